"""Velocities that the loops admit at a configuration, and those of them that second derivatives leave.

With N the admissible velocities (J N = 0) and W the combinations of rows that vanish (W J = 0), a motion along which the rank
stays the same has W J' N = 0: its velocities u lie in the kernel K of u -> W J'(u) N, a linear condition. At a configuration
in general position on the set of closed ones, dim K bounds the dimension of the set from above, where dim N may be too large:
there the constraints touch along the whole motion, as a plane touches a cylinder.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian, constraint_residual, holonomic_rows
from cotree.constraints.rank import reported, settled_basis, unit_columns
from cotree.constraints.units import column_units, loop_units, row_units
from cotree.judge import TOUCHING
from cotree.kinematics.coordinates import displace
from cotree.system.system import System

Array = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Rows:
    """The holonomic rows of a system as functions of its configuration, in radians and in parts of the system's length, or of a
    tiny loop's own."""

    system: System
    t: float
    units: Array
    columns: Array
    holonomic: NDArray[np.bool_]

    @staticmethod
    def of(system: System, t: float) -> Rows:
        holonomic = holonomic_rows(system, regularized=False)
        return Rows(system, t, loop_units(system, len(holonomic)), column_units(system), holonomic)

    @property
    def rounding(self) -> float:
        """What rounding leaves open: positions have the last digit of the system's length, also in a loop that is tiny."""
        return EPS * float((row_units(self.system, len(self.units)) / self.units).max(initial=1.0))

    def residual(self, q: Array) -> Array:
        g = constraint_residual(self.system, q, self.t, regularized=False)
        return (g / self.units)[self.holonomic]

    def jacobian(self, q: Array) -> Array:
        J = constraint_jacobian(self.system, q, self.t, regularized=False)
        return (J / self.units[:, None] * self.columns)[self.holonomic]

    def bias(self, q: Array, x: Array) -> Array:
        """Second derivatives along x, -J'(x) x, without what drivers add at rest."""
        moved, still = (
            constraint_bias(self.system, q, v * self.columns, self.t, regularized=False) for v in (x, 0.0 * x)
        )
        return ((moved - still) / self.units)[self.holonomic]

    def moved(self, q: Array, x: Array) -> Array:
        return np.asarray(displace(self.system, q, x * self.columns))


@dataclass(frozen=True, eq=False)
class Tangent:
    """At one closed configuration: N (nv, n) with J N = 0 and W (m, rows) with W J = 0, both orthonormal."""

    rows: Rows
    q: Array
    N: Array
    W: Array

    @staticmethod
    def at(rows: Rows, q: Array) -> Tangent:
        J = rows.jacobian(q)
        if not len(J):
            return Tangent(rows, q, np.eye(J.shape[1]), np.zeros((0, 0)))
        s = np.linalg.svd(unit_columns(J), compute_uv=False)
        gap = np.abs(rows.residual(q)).max(initial=0.0)
        rank = reported(s, gap, TOUCHING)
        U, _, Vt = np.linalg.svd(J)
        return Tangent(rows, q, settled_basis(Vt[rank:].T), settled_basis(U[:, rank:]).T)

    @property
    def dimension(self) -> int:
        return self.N.shape[1]

    def unobstructed(self) -> Array:
        """K (nv, k): velocities u in N with W J'(u) N = 0."""
        n = self.dimension
        if not n or not len(self.W):
            return self.N
        B = self._forms()
        s, Vt = np.linalg.svd(B.reshape(n, -1).T)[1:]
        return self.N @ Vt[int(np.count_nonzero(s > TOUCHING)) :].T

    def _forms(self) -> Array:
        """(n, n, m): W J'(N_i) N_k, by differences, which are exact for quadratic functions."""
        n = self.dimension
        own = [self.W @ self.rows.bias(self.q, x) for x in self.N.T]
        B = np.zeros((n, n, len(self.W)))
        for i in range(n):
            B[i, i] = -own[i]
            for k in range(i):
                both = self.W @ self.rows.bias(self.q, self.N[:, i] + self.N[:, k])
                B[i, k] = B[k, i] = -0.5 * (both - own[i] - own[k])
        return B
