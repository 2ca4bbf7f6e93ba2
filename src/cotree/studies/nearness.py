"""How near a configuration is to a singular one: of the loops, and of their actuation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.rank import count
from cotree.constraints.units import column_units, row_units
from cotree.formulations.actuation.actuators import actuation, actuator_names
from cotree.judge import REPORTED
from cotree.system.system import System

Array = NDArray[np.float64]
LOOKED_AT = 200  # configurations by which the usual rank is known
FEW = 1e-2  # part of the largest rate of a coordinate below which it does not move


class Nearness(NamedTuple):
    """Smallest singular values: of the independent constraints, and of the actuators' rates over admissible velocities."""

    loops: float
    actuation: float


@dataclass(frozen=True, eq=False)
class Measure:
    """A system, the rank that its constraints usually have, and its actuators.

    typical (nv,), usual (actuators,): sizes of the coordinates' rates in admissible velocities, and of the actuators' rates
    beside these, as they are in most configurations. In these units a screw that turns a thousand times while a lever turns
    once does not hide that it stands still at a dead centre; and the rate of a cut joint, which has no coordinate, is measured
    in the same unit in all configurations, also where it vanishes.
    """

    system: System
    t: float
    rank: int
    actuators: tuple[str, ...]
    typical: Array
    usual: Array

    @staticmethod
    def of(system: System, driven: Any, configurations: Array, t: float) -> Measure:
        """With the largest rank that some of the configurations show."""
        good = configurations[np.isfinite(configurations).all(axis=1)]
        some = good[:: max(1, len(good) // LOOKED_AT)]
        rank = max((count(_singular_values(system, q, t), REPORTED) for q in some), default=0)
        names = actuator_names(system, driven)
        plain = Measure(system, t, rank, names, np.ones(system.nv), np.ones(len(names)))
        if not plain.judges_actuation or not len(some):
            return plain
        moving = replace(plain, typical=_usual([plain._motions(q) for q in some]))
        return replace(moving, usual=_usual([moving._rates(q) for q in some]))

    @property
    def dof(self) -> int:
        """Degrees of freedom where the constraints have their usual rank; drives do not count here."""
        return self.system.nv - self.rank

    @property
    def judges_actuation(self) -> bool:
        """Whether there are as many actuators as degrees of freedom: with fewer it can always move."""
        return 0 < self.dof <= len(self.actuators)

    def at(self, q: Array) -> Nearness:
        """Both values at q; infinite or not a number where they have no meaning: no loops, fewer actuators than freedoms."""
        if not np.isfinite(q).all():
            return Nearness(np.nan, np.nan)
        loops = float(_singular_values(self.system, q, self.t)[self.rank - 1]) if self.rank else np.inf
        if not self.judges_actuation:
            return Nearness(loops, np.nan)
        return Nearness(loops, float(np.linalg.svd(self._rates(q), compute_uv=False)[-1]))

    def _motions(self, q: Array) -> Array:
        """(nv, dof): admissible velocities, orthonormal in the typical sizes."""
        J = _jacobian(self.system, q, self.t)
        N = np.linalg.svd(J)[2][self.rank :].T if len(J) else np.eye(self.system.nv)
        return np.asarray(np.linalg.qr(N / self.typical[:, None])[0])

    def _rates(self, q: Array) -> Array:
        """(actuators, dof): rates of the actuators in admissible velocities, in their usual sizes."""
        B = actuation(self.system, q, self.actuators) * (column_units(self.system) * self.typical)
        return np.asarray(B @ self._motions(q) / self.usual[:, None])

    def moving(self, kind: str, q: Array) -> tuple[str, ...]:
        """Coordinates that move most in the velocity that a singular configuration admits in addition."""
        if kind == "loops":
            u = np.linalg.svd(_jacobian(self.system, q, self.t))[2][self.rank - 1]
        else:
            u = self.typical * (self._motions(q) @ np.linalg.svd(self._rates(q))[2][-1])
        largest = np.argsort(-np.abs(u), kind="stable")[:4]
        return tuple(self.system.coordinate_names[i] for i in largest if abs(u[i]) > FEW * np.abs(u).max())


def _usual(matrices: list[Array]) -> Array:
    """Median sizes of the rows of some matrices; 1 for rows that vanish as a rule."""
    size = np.median([np.linalg.norm(A, axis=1) for A in matrices], axis=0)
    return np.asarray(np.where(size > REPORTED * size.max(initial=0.0), size, 1.0))


def _jacobian(system: System, q: Array, t: float) -> Array:
    """Rows of all joints and constraints but drives in radians and parts of the system's length."""
    J = constraint_jacobian(system, q, t, regularized=False)
    J = J / row_units(system, len(J))[:, None] * column_units(system)
    owners = system.extra_rows.owners
    drives = [bool(system.constraints[name].terms) and system.constraints[name].drives for name in owners]
    keep = np.ones(len(J), dtype=bool)
    keep[len(J) - len(owners) :] = ~np.array(drives, dtype=bool)
    return np.asarray(J[keep])


def _singular_values(system: System, q: Array, t: float) -> Array:
    J = _jacobian(system, q, t)
    return np.asarray(np.linalg.svd(J, compute_uv=False)) if len(J) else np.zeros(0)
