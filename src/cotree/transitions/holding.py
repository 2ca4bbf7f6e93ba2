"""Which brakes hold and which stops are leant on, of those that are at rest: one problem of least squares with bounds.

Rows C of coordinates at rest get forces lam within bounds, M a + J^T mu + C^T lam = f, J a = eta. A row stays at rest unless
its force is at a bound: friction between -most and most, a stop in one sense only. By Gauss' principle lam is the least of
|L^-1 (f - J^T mu - C^T lam)|^2 over the bounds, where J takes its share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.rank import count
from cotree.judge import DEPENDENT
from cotree.transitions.forms import least, projector, root, rows_in

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Balance:
    """lam (k,) and the rows' accelerations a (k,) under them; free: rows that nothing beside them determines; v_dot of the
    coordinates, mu: multipliers of the other rows."""

    lam: Array
    acceleration: Array
    free: NDArray[np.bool_]
    v_dot: Array
    mu: Array


def balance(M: Array, J: Array, f: Array, eta: Array, C: Array, eta_C: Array, low: Array, high: Array) -> Balance:
    """Forces of rows at rest within their bounds; eta_C with C a = eta_C where they stay so."""
    from scipy.optimize import lsq_linear

    L = root(M)
    A, G, y = rows_in(L, J), rows_in(L, C), np.linalg.solve(L, f)
    N = projector(A)
    part = least(A, eta)[0]  # accelerations that the rows in force determine
    x = part + N @ y
    free_rows = G @ N
    free = np.linalg.norm(free_rows, axis=1) > 1e-9 * np.linalg.norm(G, axis=1)
    gap = G @ x - eta_C
    lam = np.zeros(len(C))
    if free.any():
        H = free_rows[free]
        d = np.linalg.lstsq(H, gap[free], rcond=DEPENDENT)[0]
        lam[free] = lsq_linear(H.T, d, bounds=(low[free], high[free]), method="bvls", tol=1e-14).x
    a = gap - free_rows @ (free_rows.T @ lam)
    y_dot = x - free_rows.T @ lam
    mu: Array = np.asarray(np.linalg.lstsq(A.T, y - G.T @ lam - y_dot, rcond=DEPENDENT)[0], dtype=np.float64)
    v_dot: Array = np.asarray(np.linalg.solve(L.T, y_dot), dtype=np.float64)
    return Balance(lam, a, free, v_dot, mu)


def needed(M: Array, J: Array, f: Array, eta: Array, C: Array, eta_C: Array, most: Array) -> float:
    """Least s for which forces |lam_i| <= s most_i keep all rows C at rest; they may depend on each other."""
    from scipy.optimize import linprog

    L = root(M)
    A, G, y = rows_in(L, J), rows_in(L, C), np.linalg.solve(L, f)
    N = projector(A)
    H = G @ N
    U, s, _ = np.linalg.svd(H, full_matrices=False)
    rank = count(s)
    x = least(A, eta)[0] + N @ y
    equations = U[:, :rank].T @ (H @ H.T), U[:, :rank].T @ (G @ x - eta_C)
    k = len(most)
    over = np.block([[np.eye(k), -most[:, None]], [-np.eye(k), -most[:, None]]])
    found = linprog(
        np.append(np.zeros(k), 1.0), over, np.zeros(2 * k), np.column_stack([equations[0], np.zeros(rank)]), equations[1],
        bounds=[(None, None)] * k + [(0.0, None)],
    )  # fmt: skip
    return float(found.x[-1]) if found.success else np.inf
