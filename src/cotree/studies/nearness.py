"""How near a configuration is to a singular one: of the loops, and of their actuation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.rank import REPORTED, count
from cotree.constraints.units import column_units, row_units
from cotree.formulations.actuation.actuators import actuation, actuator_names, actuator_units
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
    """A system, the rank that its constraints usually have, and its actuators."""

    system: System
    t: float
    rank: int
    actuators: tuple[str, ...]

    @staticmethod
    def of(system: System, driven: Any, configurations: Array, t: float) -> Measure:
        """With the largest rank that some of the configurations show."""
        good = configurations[np.isfinite(configurations).all(axis=1)]
        ranks = [count(_singular_values(system, q, t), REPORTED) for q in good[:: max(1, len(good) // LOOKED_AT)]]
        return Measure(system, t, max(ranks, default=0), actuator_names(system, driven))

    @property
    def dof(self) -> int:
        """Degrees of freedom where the constraints have their usual rank; drives are no constraints here."""
        return self.system.nv - self.rank

    @property
    def judges_actuation(self) -> bool:
        """Whether there are as many actuators as degrees of freedom: with fewer it can always move."""
        return 0 < self.dof <= len(self.actuators)

    def at(self, q: Array) -> Nearness:
        """Both values at q; infinite or not a number where they have no meaning: no loops, fewer actuators than freedoms."""
        if not np.isfinite(q).all():
            return Nearness(np.nan, np.nan)
        J = _jacobian(self.system, q, self.t)
        _, s, Vt = np.linalg.svd(J) if len(J) else (None, np.zeros(0), np.eye(self.system.nv))
        loops = float(s[self.rank - 1]) if self.rank else np.inf
        if not self.judges_actuation:
            return Nearness(loops, np.nan)
        N = Vt[self.rank :].T
        return Nearness(loops, float(np.linalg.svd(self._rates(q) @ N, compute_uv=False)[-1]))

    def _rates(self, q: Array) -> Array:
        """(actuators, nv): rates of the actuators for unit velocities, lengths in units of the system.

        The units are the same in all configurations: the rate of a cut joint is small beside the velocities of the tree where
        it is singular, so that its size there must not be divided out.
        """
        B = actuation(self.system, q, self.actuators) * column_units(self.system)
        return np.asarray(B / actuator_units(self.system, self.actuators)[:, None])

    def moving(self, kind: str, q: Array) -> tuple[str, ...]:
        """Coordinates that move most in the velocity that a singular configuration admits in addition."""
        J = _jacobian(self.system, q, self.t)
        Vt = np.linalg.svd(J)[2] if len(J) else np.eye(self.system.nv)
        if kind == "loops":
            u = Vt[self.rank - 1]
        else:
            N = Vt[self.rank :].T
            u = N @ np.linalg.svd(self._rates(q) @ N)[2][-1]
        largest = np.argsort(-np.abs(u), kind="stable")[:4]
        return tuple(self.system.coordinate_names[i] for i in largest if abs(u[i]) > FEW * np.abs(u).max())


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
