"""Eigenvalues and eigenvectors that satisfy their equation.

LAPACK balances a matrix before it looks for eigenvalues. Where entries that should be zero are rounding errors of many sizes,
as in the free motions of a bicycle, the eigenvectors that come back may have nothing to do with the matrix. Schur's form needs
no balancing: its vectors are those of a matrix that differs from the given one by rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.judge import CANCELLED

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


def eigen(A: Array) -> tuple[Complex, Complex]:
    """(n,) values and (n, n) vectors of length one, as columns."""
    values, vectors = np.linalg.eig(A)
    left = np.linalg.norm(A @ vectors - vectors * values, axis=0)
    if (left > CANCELLED * np.linalg.norm(A)).any():
        values, vectors = _by_schur(A)
    return values.astype(complex), vectors.astype(complex)


def _by_schur(A: Array) -> tuple[Complex, Complex]:
    from scipy.linalg import schur, solve_triangular

    T, Q = schur(A, output="complex")
    least = np.finfo(float).eps * max(float(np.linalg.norm(T)), np.finfo(float).tiny)
    out = np.eye(len(T), dtype=complex)
    for k in range(1, len(T)):
        R = T[:k, :k] - T[k, k] * np.eye(k)
        d = R.diagonal()
        np.fill_diagonal(R, np.where(np.abs(d) < least, least, d))  # a repeated value: a vector of a matrix nearby
        x = np.concatenate([solve_triangular(R, -T[:k, k]), [1.0]])
        out[: k + 1, k] = x / np.linalg.norm(x)
    return np.diag(T), Q @ out
