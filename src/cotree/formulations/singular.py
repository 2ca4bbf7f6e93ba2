"""Where rows of the constraints lose rank: the acceleration of the motion that passes there, and where there is none.

With W J = 0 rows W (J v_dot - eta) say nothing here. Along a motion that passes they do, so that their derivative holds too,
    W (J' - eta_v) v_dot = W (eta_q v + eta_t),   J' = dJ/dt along v,
and next to this configuration their forces act along W J'. Both are linear in v_dot. Rows that are redundant in every
configuration, or on the constraint set, add nothing to J. At rest J' = 0: which motion goes on is not decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian, constraint_residual
from cotree.constraints.rank import count, rank_tolerance, sizes_or_largest
from cotree.constraints.units import column_units, length_of
from cotree.judge import CONSISTENT, ZERO
from cotree.kinematics.coordinates import displace
from cotree.system.system import System

Array = NDArray[np.float64]

TURN = 1e-3  # radians, or parts of the system's length, between states of which differences are taken
LOOKS = 2


@dataclass(frozen=True, eq=False)
class Rows:
    """Constraint rows J at a state, in units of their own; W J = 0 and J N = 0, columns of N orthonormal in these units."""

    system: System
    q: Array
    v: Array
    t: float
    J: Array
    eta: Array
    units: Array
    columns: Array
    W: Array
    N: Array
    gap: float

    @staticmethod
    def at(system: System, q: Array, v: Array, t: float, J: Array, eta: Array) -> Rows:
        """The rows in rates of coordinates, their rank judged by their directions alone, whatever the bodies weigh."""
        columns = column_units(system)
        size = np.abs(J * columns).max(axis=1)
        units = sizes_or_largest(size, length_of(system))
        gap = float(np.abs(constraint_residual(system, q, t) / units).max())
        U, s, Vt = np.linalg.svd(J * columns / units[:, None])
        rank = count(s, rank_tolerance(np.array([gap]), 1.0))
        W, N = (U[:, rank:] / units[:, None]).T, columns[:, None] * Vt[rank:].T
        return Rows(system, q, v, t, J, eta, units, columns, W, N, gap)

    @property
    def rank(self) -> int:
        return len(self.J) - len(self.W)

    @cached_property
    def speed(self) -> float:
        """Largest rate, lengths in the system's own; none where there is nothing but rounding errors."""
        found = float(np.abs(self.v / self.columns).max(initial=0.0))
        return found if found > ZERO else 0.0

    def begins(self, x: Array) -> bool:
        """Whether an acceleration is there for an admissible velocity: W eta(q, x) = 0."""
        eta = constraint_bias(self.system, self.q, x, self.t)
        size = max(np.abs(x / self.columns).max() ** 2, np.abs(eta / self.units).max())
        left = np.abs(self.W @ eta).max(initial=0.0)
        return bool(left <= max(CONSISTENT, 10.0 * self.gap) * size)

    def all_begin(self, K: Array) -> bool:
        """Whether all velocities v + K x begin a motion, as at a regular configuration those in ker J do."""
        if not len(self.W) or not K.shape[1]:
            return True  # all rows count, or J alone determines v_dot
        rng = np.random.default_rng(0)
        v, size = (self.v, self.speed) if self.speed else (0.0 * self.v, 1.0)
        return all(self.begins(v + size * (K @ rng.standard_normal(K.shape[1]))) for _ in range(LOOKS))


def vanishing_rows(rows: Rows) -> tuple[Array, Array] | None:
    """(C, c) with C v_dot = c on the motion along v, for what has vanished of the rows; None where v does not decide it."""
    if not rows.speed or not rows.begins(rows.v):
        return None
    J_rate, eta_rate = _along(rows)
    P, s, Qt = np.linalg.svd(rows.W @ J_rate @ rows.N)
    new = int(np.count_nonzero(s > CONSISTENT * rows.speed))
    W, K = P[:, :new].T @ rows.W, rows.N @ Qt[new:].T
    C, c = W @ (J_rate - _by_velocities(rows)), W @ eta_rate
    tangent = np.abs(C @ K).max(initial=0.0) <= 1e-4 * rows.speed  # of what the rows' own forces leave free
    return (C, c) if new and tangent and rows.all_begin(K) else None


def _along(rows: Rows) -> tuple[Array, Array]:
    """d/dt of J and of eta(q, v, t) for constant v, by differences of fourth order."""
    h = TURN / rows.speed
    if any(not motion.constant for _, motion in rows.system.extra_rows.motions) or rows.system.extra_rows.user:
        h = min(h, TURN)

    def at(s: float) -> tuple[Array, Array]:
        q = displace(rows.system, rows.q, s * rows.v)
        return constraint_jacobian(rows.system, q, rows.t + s), constraint_bias(rows.system, q, rows.v, rows.t + s)

    (J1, e1), (J2, e2), (J3, e3), (J4, e4) = (at(k * h) for k in (-2, -1, 1, 2))
    return (J1 - 8.0 * J2 + 8.0 * J3 - J4) / (12.0 * h), (e1 - 8.0 * e2 + 8.0 * e3 - e4) / (12.0 * h)


def _by_velocities(rows: Rows) -> Array:
    """Derivative of eta by v: differences are exact, since it is quadratic."""
    steps = np.diag(rows.speed * rows.columns)
    plus, minus = (
        np.array([constraint_bias(rows.system, rows.q, rows.v + sign * e, rows.t) for e in steps])
        for sign in (1.0, -1.0)
    )
    return np.asarray((plus - minus).T / (2.0 * rows.speed * rows.columns))
