"""The jump of velocities when constraints J2 are added to J1, in three forms that agree [VTM 4, 5].

In coordinates x = L^T v with M = L L^T the mass metric is the Euclidean one; rows A = J L^-T. Rows that depend on others take
part without harm: jumps are unique, impulses of least norm in units of their rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.rank import count
from cotree.judge import DEPENDENT, TINY

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Jump:
    """dv (n,); impulses of the added rows and of the persistent ones, M dv + J1^T first + J2^T added = 0; rank of all."""

    dv: Array
    added: Array
    first: Array
    rank: int


def general(M: Array, J1: Array, J2: Array, rhs: Array) -> Jump:
    """[[M, J^T], [J, 0]] [dv; Lam] = [0; rhs], J all rows after the switch, VTM (22), (24). rhs (rows of J1, then J2)."""
    J, m = np.concatenate([J1, J2]), len(J1)
    L = root(M)
    x, Lam, rank = least(rows_in(L, J), rhs)
    return Jump(back(L, x), Lam[m:], Lam[:m], rank)


def redundant(M: Array, J1: Array, J2: Array, rhs: Array) -> Jump:
    """[[M, N^T J2^T], [J2, 0]] [dv; Lam2] = [0; rhs], N the M-weighted projector to the null space of J1, VTM (32).

    N = Z (Z^T M Z)^-1 Z^T M with an orthonormal basis Z of that space: J2 N is small where light bodies make J2 large.
    """
    m, L = len(J1), root(M)
    A1, A2 = rows_in(L, J1), rows_in(L, J2)
    dv1 = back(L, least(A1, rhs[:m])[0])  # nothing where the velocity was admissible
    rank, Z = null_space(J1)
    own = root(Z.T @ M @ Z)
    y, added, more = least(rows_in(own, J2 @ Z), rhs[m:] - J2 @ dv1, sizes(A2))
    dv = dv1 + Z @ back(own, y)
    return Jump(dv, added, taken(A1, -L.T @ dv - A2.T @ added), rank + more)


def minimal(M: Array, J1: Array, J2: Array, rhs: Array) -> Jump:
    """[[F^T M F, (J2 F)^T], [J2 F, 0]] [dv2; Lam2] = [0; rhs], F the Voronets complement of J1, VTM (10), (37)."""
    from scipy.linalg import qr

    m, L = len(J1), root(M)
    A1, A2 = rows_in(L, J1), rows_in(L, J2)
    x1, _, rank = least(A1, rhs[:m])
    F = np.eye(len(M))
    if rank:
        _, R, order = qr(J1, mode="economic", pivoting=True)  # columns: the first `rank` are the dependent coordinates
        F = np.zeros((len(M), len(M) - rank))
        F[order[:rank]] = -np.linalg.solve(R[:rank, :rank], R[:rank, rank:])
        F[order[rank:]] = np.eye(len(M) - rank)
    reduced = root(F.T @ M @ F)
    y, added, more = least(rows_in(reduced, J2 @ F), rhs[m:] - J2 @ back(L, x1), sizes(A2))
    dv = back(L, x1) + F @ back(reduced, y)
    return Jump(dv, added, taken(A1, -L.T @ dv - A2.T @ added), rank + more)


FORMS = {"general": general, "redundant": redundant, "minimal": minimal}


def root(M: Array) -> Array:
    """L with M = L L^T."""
    return np.asarray(np.linalg.cholesky(M), dtype=np.float64)


def rows_in(L: Array, J: Array) -> Array:
    """J L^-T."""
    return np.asarray(np.linalg.solve(L, J.T).T, dtype=np.float64)


def back(L: Array, x: Array) -> Array:
    """L^-T x."""
    return np.asarray(np.linalg.solve(L.T, x), dtype=np.float64)


def sizes(A: Array) -> Array:
    """Norms of the rows."""
    return np.asarray(np.linalg.norm(A, axis=1), dtype=np.float64)


def least(A: Array, rhs: Array, size: Array | None = None) -> tuple[Array, Array, int]:
    """x of least norm with A x = rhs as well as can be, Lam of least norm with x = -A^T Lam, rank of A.

    size: that of the rows before others took their share: what is small against it is rounding.
    """
    U, s, Vt, size = _factors(A, size)
    y = (U.T @ (rhs / size)) / s
    return Vt.T @ y, -(U @ (y / s)) / size, len(s)


def null_space(J: Array) -> tuple[int, Array]:
    """Rank of J, and an orthonormal basis of its null space by columns."""
    rank = len(_factors(J)[1])
    size = np.linalg.norm(J, axis=1, keepdims=True)
    Vt = np.linalg.svd(J / np.where(size > 0.0, size, 1.0))[2] if len(J) else np.eye(J.shape[1])
    return rank, np.asarray(Vt[rank:].T, dtype=np.float64)


def projector(A: Array) -> Array:
    """N = I - A^+ A, orthogonal, to the null space of A."""
    Vt = _factors(A)[2]
    return np.eye(A.shape[1]) - Vt.T @ Vt


def _factors(A: Array, size: Array | None = None) -> tuple[Array, Array, Array, Array]:
    """(U, s, Vt, size): singular values above zero of the rows of A in units of their sizes, metres and radians alike."""
    if not A.size:
        return np.zeros((len(A), 0)), np.zeros(0), np.zeros((0, A.shape[1])), np.ones(len(A))
    own = sizes(A) if size is None else size
    size = np.where(own > 1e-12 * own.max(initial=0.0), own, 1.0)
    U, s, Vt = np.linalg.svd(A / size[:, None], full_matrices=False)
    rank = count(s, least=1.0 if own.any() else TINY)
    return U[:, :rank], s[:rank], Vt[:rank], size


def taken(A: Array, x: Array) -> Array:
    """Lam of least norm with A^T Lam = x."""
    return np.asarray(np.linalg.lstsq(A.T, x, rcond=DEPENDENT)[0], dtype=np.float64) if len(A) else np.zeros(0)
