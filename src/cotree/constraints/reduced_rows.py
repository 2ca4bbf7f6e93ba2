"""The few functions of few variables that closed configurations next to a singular one depend on: Lyapunov-Schmidt reduction.

With J N = 0 and W J = 0 at a closed configuration, and M, R the complements of N and W, the rows R g = 0 are regular there:
they give M's part of a displacement as a function of N's part x, to rounding. What is left is f(x) = W g = 0, as many
functions as there are dependent rows, of as many variables as there are admissible velocities, all of second order or higher.
Combinations of f that vanish at all x come from redundant rows. No square root of rounding is lost: f is as exact as g where
the rows R g are as regular as at q. Where they are not, it is known to less, and what is less than that is zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.rank import settled_basis
from cotree.constraints.tangents import Rows
from cotree.judge import DIGITS, SOLVED

Array = NDArray[np.float64]
ROUNDS = 12  # of Newton's method, which is regular here
CONTRACTS = 0.5  # part of a correction that the next one may be: else the search may end on another branch
HALVINGS = 4
PER_ROUNDING = 100.0  # times what rounding of the rows makes of f: values below this are none
SAMPLES = 12  # displacements for each variable, by which functions that vanish are known


@dataclass(frozen=True, eq=False)
class ReducedRows:
    """f and its derivatives next to q; N (nv, n), M (nv, r), R (r, rows), E (m, rows): combinations that do not vanish."""

    rows: Rows
    q: Array
    N: Array
    M: Array
    R: Array
    E: Array

    @staticmethod
    def at(rows: Rows, q: Array, n: int) -> ReducedRows:
        """At a closed configuration with n admissible velocities."""
        J = rows.jacobian(q)
        U, _, Vt = np.linalg.svd(J)
        rank = J.shape[1] - n
        N, E = settled_basis(Vt[rank:].T), settled_basis(U[:, rank:]).T
        return ReducedRows(rows, q, N, Vt[:rank].T, U[:, :rank].T, E)

    @property
    def variables(self) -> int:
        return self.N.shape[1]

    @property
    def functions(self) -> int:
        return len(self.E)

    def moved(self, q: Array, x: Array, halvings: int = HALVINGS) -> Array | None:
        """The configuration displaced by N x on which the regular rows are closed again; None where there is none.

        It is followed without a leap: where Newton's method does not contract at once, in steps of half the length."""
        there = self._closed(self.rows.moved(q, self.N @ x), float(np.linalg.norm(x)))
        if there is None and halvings:
            half = self.moved(q, 0.5 * x, halvings - 1)
            there = None if half is None else self.moved(half, 0.5 * x, halvings - 1)
        return there

    def _closed(self, q: Array, most: float) -> Array | None:
        """The configuration next to q on which the regular rows are closed; most: the largest first correction."""
        for _ in range(ROUNDS):
            A = self.R @ self.rows.jacobian(q) @ self.M
            try:
                y = np.linalg.solve(A, self.R @ self.rows.residual(q))
            except np.linalg.LinAlgError:
                return None
            size = float(np.abs(y).max(initial=0.0))
            if not size < max(most, SOLVED):
                return None
            q, most = self.rows.moved(q, -self.M @ y), CONTRACTS * size
            if size < DIGITS:
                break
        return q

    def value(self, q: Array) -> Array:
        return np.asarray(self.E @ self.rows.residual(q))

    def told(self, q: Array) -> Array:
        """f, zero where it is no more than rounding of the rows, carried over by R g = 0: the same in every arithmetic."""
        J, f = self.rows.jacobian(q), self.value(q)
        carried = np.linalg.solve((self.R @ J @ self.M).T, (self.E @ J @ self.M).T)
        return np.where(np.abs(f) > PER_ROUNDING * self.rows.rounding * np.linalg.norm(carried, axis=0), f, 0.0)

    def slope(self, q: Array) -> Array:
        """(m, n): derivatives of f by displacements from q on, exact where f vanishes."""
        J = self.rows.jacobian(q)
        A, B = self.R @ J @ self.M, self.R @ J @ self.N
        return np.asarray(self.E @ (J @ self.N - J @ (self.M @ np.linalg.solve(A, B))))

    def samples(self, radius: float) -> Array | None:
        """f at displacements of this length in directions at random and their opposites; None where some cannot be made."""
        n = self.variables
        x = np.random.default_rng(2).standard_normal((SAMPLES * n, n)) if n > 1 else np.ones((1, 1))
        x *= radius / np.linalg.norm(x, axis=1, keepdims=True)
        found = [self.moved(self.q, y) for y in np.concatenate([x, -x])]
        return np.array([self.told(q) for q in found if q is not None]) if all(q is not None for q in found) else None

    def effective(self, radius: float, nought: float) -> tuple[ReducedRows, Array] | None:
        """Without the combinations of f that are less than `nought` at all samples; and the samples of the others."""
        values = self.samples(radius)
        if values is None:
            return None
        _, s, Vt = np.linalg.svd(values, full_matrices=False)
        keep = Vt[s > nought * np.sqrt(len(values))]
        return replace(self, E=keep @ self.E), values @ keep.T
