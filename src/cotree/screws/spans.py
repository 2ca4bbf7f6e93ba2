"""Subspaces of se(3), each the columns of an orthonormal (6, k) basis of scaled screws (see `scale`).

A + B and A n B follow from the principal angles between A and B: the singular values of (I - A A^T) B are their sines,
exact even for small angles, where cosines would lose half of the digits. One cut at the tolerance serves both, so that
dim (A + B) + dim (A n B) = dim A + dim B always holds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cotree.judge import REPORTED
from cotree.screws.scale import columns
from cotree.screws.screw import Array


def span(screws: ArrayLike, tol: float = REPORTED) -> Array:
    """Basis of the span of screws of about unit size; what is smaller than tol is noise and not blown up."""
    U, s, _ = np.linalg.svd(columns(screws), full_matrices=False)
    return U[:, s > tol * max(1.0, np.max(s, initial=0.0))]


def dimension(A: Array) -> int:
    """Dimension of a subspace."""
    return A.shape[1]


def _outside(A: Array, B: Array) -> tuple[Array, Array, Array]:
    """(U, sines, V): (I - A A^T) B = U diag(sines) V^T, all dim B of them, sines falling."""
    rest = B - A @ (A.T @ B)
    U, s, Vt = np.linalg.svd(rest - A @ (A.T @ rest), full_matrices=False)
    return U, s, Vt.T


def sum_of(A: Array, B: Array, tol: float = REPORTED) -> Array:
    """Basis of A + B: A and what of B makes a greater angle with it than tol."""
    U, sines, _ = _outside(A, B)
    return np.concatenate([A, U[:, sines > tol]], axis=1)


def intersection(A: Array, B: Array, tol: float = REPORTED) -> Array:
    """Basis of the intersection: halfway between the principal vectors of A and B whose angle is at most tol."""
    _, sines, V = _outside(A, B)
    shared = B @ V[:, sines <= tol]
    return np.linalg.qr(shared + A @ (A.T @ shared))[0]


def contains(A: Array, B: Array, tol: float = REPORTED) -> bool:
    """Whether B lies in A."""
    return bool(np.all(_outside(A, B)[1] <= tol))


def same(A: Array, B: Array, tol: float = REPORTED) -> bool:
    """Whether A and B are one subspace."""
    return dimension(A) == dimension(B) and contains(A, B, tol)


def complement(A: Array) -> Array:
    """Basis of the orthogonal complement in the metric of scaled screws; its columns annihilate A."""
    return np.linalg.svd(A, full_matrices=True)[0][:, dimension(A) :]
