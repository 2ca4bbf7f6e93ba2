"""Linear equations of statics: dense where they are small, by sparse factors where they are large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LARGE = 150  # unknowns from which on sparse factors are faster


def solve_bordered(K: Array, J: Array, f: Array, g: Array) -> tuple[Array, Array]:
    """(x, lam) with K x + J^T lam = f, J x = g; NaN where the matrix is singular."""
    n, m = len(f), len(g)
    right = np.append(f, g)
    solution = _sparse(K, J, right) if n + m >= LARGE else _dense(K, J, right)
    return solution[:n], solution[n:]


def _dense(K: Array, J: Array, right: Array) -> Array:
    m = len(J)
    try:
        return np.asarray(np.linalg.solve(np.block([[K, J.T], [J, np.zeros((m, m))]]), right), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(len(right), np.nan)


def _sparse(K: Array, J: Array, right: Array) -> Array:
    from scipy.sparse import block_array, csc_array
    from scipy.sparse.linalg import splu  # slow to load

    rows = csc_array(J)
    A = block_array([[csc_array(K), rows.T], [rows, None]], format="csc") if len(J) else csc_array(K)
    try:
        return np.asarray(splu(A).solve(right))
    except RuntimeError:
        return np.full(len(right), np.nan)
