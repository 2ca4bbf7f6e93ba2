"""What a run knows of its contacts: at each output row gaps, forces, slip and states of all points, and its impacts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import UnknownNameError
from cotree.model.checks import shown
from cotree.model.naming import nearest
from cotree.transitions.contacts.cones import MODES, OPEN, SLIP, STICK

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Impact:
    """Contacts that hit at one instant: `impulses` on body_a by contact [N s], (3,) in world axes; `law`: "newton", "poisson"
    or "plastic"; simultaneous: whether several hit or were closed, so that the law alone does not decide what happens."""

    t: float
    contacts: tuple[str, ...]
    impulses: dict[str, Array]
    energy_loss: float
    law: str = "newton"
    simultaneous: bool = False

    def __str__(self) -> str:
        names = ", ".join(map(repr, self.contacts))
        return f"impact of {names} at t = {self.t:.9g} s; {self.energy_loss:.6g} J lost"


@dataclass(frozen=True, eq=False, repr=False)
class PointReading:
    """By times: gap [m], force (k, 3) on body_a [N] in world axes, normal force [N], point (k, 3) [m], speed of slip [m/s], and
    state: "open", "stick" or "slip"."""

    gap: Array
    force: Array
    normal_force: Array
    point: Array
    slip: Array
    state: NDArray[np.str_]

    def __repr__(self) -> str:
        """States with the number of rows in each, in place of the arrays."""
        counted = ", ".join(f"{n} {state}" for state, n in Counter(self.state.tolist()).items()) or "no rows"
        names = ", ".join(f.name for f in fields(self))
        return f"<{type(self).__name__}: {counted}; .{names.replace(', ', ' .')}>"


@dataclass(frozen=True, eq=False, repr=False)
class ContactReading(PointReading):
    """The same of a contact with several points: smallest gap, sum of the forces, the point where they act together, largest
    slip of what touches; `points`: each by its name."""

    points: dict[str, PointReading] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ContactHistory:
    """Of points by name, each of a contact: arrays (k, points) and (k, points, 3); codes of states: 0 open, 1 stick, 2 slip."""

    points: tuple[str, ...]
    contacts: tuple[str, ...]  # whose point each is
    gap: Array
    force: Array
    normal_force: Array
    point: Array
    slip: Array
    codes: NDArray[np.int8]

    @classmethod
    def room(cls, points: tuple[str, ...], contacts: tuple[str, ...], rows: int) -> ContactHistory:
        """Points that are open all the time, to be filled."""
        n = len(points)
        flat, spatial = (rows, n), (rows, n, 3)
        return cls(
            points, contacts, np.zeros(flat), np.zeros(spatial), np.zeros(flat), np.zeros(spatial), np.zeros(flat),
            np.zeros(flat, np.int8),
        )  # fmt: skip

    @property
    def arrays(self) -> dict[str, Any]:
        """The arrays by name, rows first."""
        return {f.name: getattr(self, f.name) for f in fields(self)[2:]}

    def rows(self, which: slice | NDArray[np.bool_]) -> ContactHistory:
        """Some of its rows."""
        return replace(self, **{name: x[which] for name, x in self.arrays.items()})

    def joined(self, other: ContactHistory) -> ContactHistory:
        """Its rows and those of another history of the same points."""
        both: dict[str, Any] = {name: np.concatenate([x, other.arrays[name]]) for name, x in self.arrays.items()}
        return replace(self, **both)

    def reading(self, name: str) -> ContactReading:
        """What one contact shows."""
        own = [k for k, contact in enumerate(self.contacts) if contact == name]
        if not own:
            known = list(dict.fromkeys(self.contacts))
            raise UnknownNameError(f"there is no contact {shown(name)} in this run{nearest(name, known)}")
        several = {self.points[k]: self._point(k) for k in own}
        if len(own) == 1:
            one = several[self.points[own[0]]]
            return ContactReading(one.gap, one.force, one.normal_force, one.point, one.slip, one.state, several)
        gap, normal, slip, codes = self.gap[:, own], self.normal_force[:, own], self.slip[:, own], self.codes[:, own]
        state = np.where((codes == STICK).any(axis=1), STICK, np.where((codes == SLIP).any(axis=1), SLIP, OPEN))
        fastest = np.where(codes == OPEN, 0.0, slip).max(axis=1)
        nearest_slip = np.take_along_axis(slip, gap.argmin(axis=1)[:, None], axis=1)[:, 0]
        return ContactReading(
            gap.min(axis=1), self.force[:, own].sum(axis=1), normal.sum(axis=1), _together(gap, normal, self.point[:, own]),
            np.where(state == OPEN, nearest_slip, fastest), np.array(MODES)[state], several,
        )  # fmt: skip

    def _point(self, k: int) -> PointReading:
        state = np.array(MODES)[self.codes[:, k]]
        return PointReading(
            self.gap[:, k], self.force[:, k], self.normal_force[:, k], self.point[:, k], self.slip[:, k], state
        )


def _together(gap: Array, normal: Array, point: Array) -> Array:
    """Centre of the normal forces, or the nearest point where there are none: (k, 3)."""
    alone = np.take_along_axis(point, gap.argmin(axis=1)[:, None, None], axis=1)[:, 0]
    total = normal.sum(axis=1)
    centre = np.einsum("kp,kpi->ki", normal, point) / np.where(total > 0.0, total, 1.0)[:, None]
    return np.where(total[:, None] > 0.0, centre, alone)
