"""Forces on a mechanism at rest, and how they change with its position: what a search for rest positions looks at.

At rest the applied forces f = -ID(q, 0, 0) are taken by the constraint rows, f = J^T lam. Along the displacements Z that the
rows leave, Z^T f is out of balance, and for a displacement x it changes by -K x, K = Z^T (d ID/dq + d(J^T lam)/dq) Z. Some
rows are those of stops and brakes, which count while they are leant on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian, constraint_residual
from cotree.constraints.rank import count
from cotree.constraints.units import column_units
from cotree.derivatives.constraints import force_change
from cotree.derivatives.inverse import inverse_dynamics_derivatives
from cotree.dynamics.api import tree_forces
from cotree.judge import SETTLED
from cotree.kinematics.coordinates import displace
from cotree.system.system import System

Array = NDArray[np.float64]
LIGHT = 1e-3  # of the largest inertia: added to all, so that what has no mass has a measure as well
CLOSING_STEPS = 30


@dataclass(frozen=True, eq=False)
class Statics:
    """Of a position q: forces f (nv,), rows J in force (m, nv) with multipliers lam; displacements Z (nv, k), of unit size in
    the metric of the masses; force (k,) out of balance, stiffness K, damping C and mass M (k, k) along Z; scale: forces that
    count as large here."""

    q: Array
    f: Array
    J: Array
    lam: Array
    Z: Array
    force: Array
    K: Array
    C: Array
    M: Array
    scale: float

    @property
    def unbalanced(self) -> float:
        """Size of what is out of balance, in parts of `scale`."""
        return float(np.linalg.norm(self.force)) / self.scale if self.scale > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Rest:
    """A system at a time, with velocities `columns` held, and of its rows those that `shut` gives values to or that are not
    `open`; shut: values of rows of stops that are leant on, by row."""

    system: System
    t: float
    columns: tuple[int, ...]
    open: frozenset[int]
    shut: dict[int, float]

    @property
    def rows(self) -> NDArray[np.intp]:
        """Rows in force."""
        return np.array(
            [r for r in range(self.system.n_constraints) if r not in self.open or r in self.shut], dtype=np.intp
        )

    def jacobian(self, q: Array) -> Array:
        """Rows in force, then those of the held columns."""
        return np.vstack(
            [constraint_jacobian(self.system, q, self.t)[self.rows], np.eye(self.system.nv)[list(self.columns)]]
        )

    def gap(self, q: Array) -> Array:
        """What the rows in force are off; zero for rows of velocities and held columns."""
        g = constraint_residual(self.system, q, self.t)
        for r, value in self.shut.items():
            g[r] -= value
        return np.append(g[self.rows], np.zeros(len(self.columns)))

    def metric(self, M: Array) -> Array:
        """The mass matrix, made regular."""
        units = column_units(self.system)
        return M + np.diag(LIGHT * (float((M.diagonal() * units**2).max(initial=0.0)) or 1.0) / units**2)

    def closed(self, q: Array, M: Array) -> Array | None:
        """The nearest position where the rows in force hold; None where steps do not lead there."""
        L = np.linalg.cholesky(self.metric(M))
        holds = np.append(self.system.holonomic[self.rows], np.ones(len(self.columns), dtype=np.bool_))
        best = np.inf
        for _ in range(CLOSING_STEPS):
            g = self.gap(q)
            off = float(np.abs(g).max(initial=0.0))
            if off <= SETTLED or (off <= 1e-9 and off > 0.5 * best):
                return q
            if not off < 1e6:
                return None
            best = min(best, off)
            A = np.linalg.solve(L, self.jacobian(q)[holds].T).T
            step = -np.linalg.solve(L.T, np.linalg.lstsq(A, g[holds], rcond=1e-9)[0])
            step[list(self.columns)] = 0.0
            q = displace(self.system, q, step)
        return None

    def at(self, q: Array) -> Statics:
        """Forces and stiffness at a position."""
        system, t = self.system, self.t
        f, tree = -tree_forces(system, q, None, None, t), inverse_dynamics_derivatives(system, q, None, None, t)
        J, W = self.jacobian(q), self.metric(tree.da)
        L = np.linalg.cholesky(W)
        lam, N = split(np.linalg.solve(L, J.T).T, np.linalg.solve(L, f))
        Z = np.linalg.solve(L.T, N)
        Z[list(self.columns)] = 0.0  # to the last bit
        everywhere = np.zeros(system.n_constraints)
        everywhere[self.rows] = lam[: len(self.rows)]
        K = Z.T @ (tree.dq + force_change(system, q, everywhere, t)) @ Z
        unit = float(np.sqrt((W.diagonal() * column_units(system) ** 2).max(initial=0.0)))
        scale = float(np.linalg.norm(K, 2) if K.size else 0.0) * unit + float(np.linalg.norm(np.linalg.solve(L, f)))
        return Statics(q, f, J, lam, Z, Z.T @ f, K, Z.T @ tree.dv @ Z, Z.T @ tree.da @ Z, scale)


def split(A: Array, y: Array) -> tuple[Array, Array]:
    """(lam with A^T lam nearest to y, orthonormal columns that A does nothing to)."""
    if not len(A):
        return np.zeros(0), np.eye(len(y))
    U, s, Vt = np.linalg.svd(A)
    rank = count(s)
    return U[:, :rank] @ ((Vt[:rank] @ y) / s[:rank]), Vt[rank:].T
