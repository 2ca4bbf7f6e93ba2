"""M v_dot + J^T lam = f, J v_dot = eta, by three routes; the acceleration is unique even when rows of J depend on each other.

Each kernel overwrites its matrices and returns the rank of J (negative: 1 + the coordinate without inertia). Rows are
judged dependent when they are shorter than `tolerance` times the longest, in the metric of M, after the others are
taken off (QR with pivoting); in doubt the rank `certified` at a state nearby is kept.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.status import NO_PARTITION
from cotree.engine.vectors import inner
from cotree.formulations.linalg import (
    apply_q,
    apply_q_transposed,
    cholesky,
    lu,
    pivoted_qr,
    solve_lower,
    solve_lower_transposed,
    solve_lu,
    solve_lu_transposed,
    split_by_rows,
)


@kernel
def index1(M, J, f, eta, tolerance, v_dot, lam, certified=-1):
    """Schur complement of the index-1 system [Geo (63), Lie (2), Reg (4), VTM (5)]: (J M^-1 J^T) lam = J M^-1 f - eta."""
    m = J.shape[0]
    status = cholesky(M)
    if status:
        return -status
    v_dot[:] = f
    solve_lower(M, v_dot)  # L^-1 f
    lam[:] = 0.0
    if m == 0:
        solve_lower_transposed(M, v_dot)
        return 0
    for r in range(m):
        solve_lower(M, J[r])  # A = J L^-T
    rhs = np.empty(m)
    for r in range(m):
        rhs[r] = inner(J[r], v_dot) - eta[r]
    S = np.empty((m, m))
    for r in range(m):
        for c in range(r + 1):
            S[r, c] = inner(J[r], J[c])
    if _well_conditioned(S, tolerance):
        rank = m
        lam[:] = rhs
        solve_lower(S, lam)
        solve_lower_transposed(S, lam)
    else:
        rank = _least_norm(J.copy(), rhs, tolerance, lam, certified)
    for r in range(m):
        for k in range(v_dot.size):
            v_dot[k] -= J[r, k] * lam[r]
    solve_lower_transposed(M, v_dot)
    return rank


@kernel
def _well_conditioned(S, tolerance):
    """Cholesky of S in place; False when a pivot shows rows to be nearly dependent."""
    m = S.shape[0]
    largest = 0.0
    for r in range(m):
        largest = max(largest, S[r, r])
    if cholesky(S):
        return False
    smallest = largest
    for r in range(m):
        smallest = min(smallest, S[r, r] * S[r, r])
    return smallest > 1e-6 * largest + tolerance * tolerance * largest


@kernel
def _least_norm(A, rhs, tolerance, lam, certified):
    """lam of least norm with A A^T lam = rhs on the independent part of the rows of A (complete orthogonal factors)."""
    m, n = A.shape
    beta, pivot = np.empty(min(m, n)), np.empty(m, np.int64)
    rank = pivoted_qr(A, beta, pivot, tolerance, certified)
    # A_P = R^T Q^T: the range of A is that of R^T; factor R (rank, m) once more from the right
    Rt = np.empty((rank, m))
    for i in range(rank):
        for j in range(m):
            Rt[i, j] = A[j, i] if i <= j else 0.0
    beta2, pivot2 = np.empty(rank), np.empty(rank, np.int64)
    pivoted_qr(Rt, beta2, pivot2, 0.0, -1)  # R^T P2 = Q2 T
    x = np.empty(m)
    for j in range(m):
        x[j] = rhs[pivot[j]]
    apply_q_transposed(Rt, beta2, rank, x)
    # rhs = R^T R lam_P; with R^T = Q2 T P2^T: T P2^T (R lam_P) = Q2^T rhs, R lam_P = P2 T^T Q2^T lam_P
    y = x[:rank].copy()
    for i in range(rank - 1, -1, -1):  # T y = x, T upper triangular: T[i, j] = Rt[j, i]
        for j in range(i + 1, rank):
            y[i] -= Rt[j, i] * y[j]
        y[i] /= Rt[i, i]
    for i in range(rank):  # T^T z = y
        for j in range(i):
            y[i] -= Rt[i, j] * y[j]
        y[i] /= Rt[i, i]
    x[:] = 0.0
    x[:rank] = y
    apply_q(Rt, beta2, rank, x)
    for j in range(m):
        lam[pivot[j]] = x[j]
    return rank


@kernel
def projection(M, J, f, eta, tolerance, v_dot, lam, certified=-1):
    """Gauss' principle [VTM (7)]: v_dot = N M^-1 f + J^+ eta, by an orthonormal basis Q of the rows in the metric of M."""
    m, n = J.shape
    status = cholesky(M)
    if status:
        return -status
    v_dot[:] = f
    solve_lower(M, v_dot)
    lam[:] = 0.0
    rank = 0
    if m > 0:
        for r in range(m):
            solve_lower(M, J[r])
        beta, pivot = np.empty(min(m, n)), np.empty(m, np.int64)
        rank = pivoted_qr(J, beta, pivot, tolerance, certified)
        apply_q_transposed(J, beta, rank, v_dot)
        split_by_rows(J, pivot, rank, eta, v_dot, lam)
        apply_q(J, beta, rank, v_dot)
    solve_lower_transposed(M, v_dot)
    return rank


@kernel
def voronets(M, J, f, eta, tolerance, v_dot, lam, dependent, wanted, certified=-1):
    """Voronets equations [Geo (54) to (59)]: F^T M F v2_dot = F^T (f - M v_part), v_dot = F v2_dot + v_part.

    `dependent` (n) marks the coordinates eliminated: those with the largest projection on the constraint directions in the
    metric of M, taken greedily [Geo (67)], but for those that `wanted` leaves independent, 0 (-1 elsewhere). lam belongs to
    the rows chosen, zero for dependent ones. NO_PARTITION where the others do not determine the constraints.
    """
    m, n = J.shape
    L = M.copy()
    status = cholesky(L)
    if status:
        return -status
    A = J.copy()
    for r in range(m):
        solve_lower(L, A[r])
    beta, pivot = np.empty(max(min(m, n), 1)), np.empty(m, np.int64)
    rank = pivoted_qr(A, beta, pivot, tolerance, certified) if m > 0 else 0
    chosen = np.empty((rank, n))
    for i in range(rank):
        chosen[i] = J[pivot[i]]
    order = partition(M, L, A, beta, rank, dependent, wanted)
    if rank > 0 and order[0] < 0:
        return NO_PARTITION
    J1, swaps = np.empty((rank, rank)), np.empty(rank, np.int64)
    for i in range(rank):
        for k in range(rank):
            J1[i, k] = chosen[i, order[k]]
    if rank > 0 and not lu(J1, swaps):
        return -1 - order[0]
    # F: v1 = -J1^-1 J2 v2 + J1^-1 eta, one column after another
    F, part, x = np.zeros((n - rank, n)), np.zeros(n), np.empty(rank)
    for k in range(n - rank + 1):
        for i in range(rank):
            x[i] = eta[pivot[i]] if k == n - rank else -chosen[i, order[rank + k]]
        solve_lu(J1, swaps, x)
        for i in range(rank):
            if k == n - rank:
                part[order[i]] = x[i]
            else:
                F[k, order[i]] = x[i]
        if k < n - rank:
            F[k, order[rank + k]] = 1.0
    force = f.copy()
    _subtract_product(M, part, force)
    v_dot[:] = part
    G, v2, y = np.empty((n - rank, n - rank)), np.empty(n - rank), np.empty(n)
    for k in range(n - rank):
        v2[k] = inner(F[k], force)
        y[:] = 0.0
        _subtract_product(M, F[k], y)
        for l in range(n - rank):
            G[k, l] = -inner(F[l], y)
    status = cholesky(G)
    if status:
        return -1 - order[rank + status - 1]
    solve_lower(G, v2)
    solve_lower_transposed(G, v2)
    for k in range(n - rank):
        for j in range(n):
            v_dot[j] += F[k, j] * v2[k]
    force[:] = f
    _subtract_product(M, v_dot, force)
    for i in range(rank):
        x[i] = force[order[i]]
    solve_lu_transposed(J1, swaps, x)
    lam[:] = 0.0
    for i in range(rank):
        lam[pivot[i]] = x[i]
    J[:] = A  # factors in place of the rows, as the others leave them
    return rank


@kernel
def _subtract_product(M, x, y):
    """y := y - M x."""
    for i in range(y.size):
        y[i] -= inner(M[i], x)


@kernel
def partition(M, L, A, beta, rank, dependent, wanted):
    """Coordinates in order, `rank` dependent ones first: largest Delta_C = |Q1^T L^T e_i|^2 / M_ii, one after another.

    `wanted` is 0 for coordinates that must not be dependent; when no others will do the first of the order is -1.
    """
    n = M.shape[0]
    B, order = constraint_parts(M, L, A, beta, rank), np.arange(n)
    if not chosen_in_turn(B, rank, wanted, order) > 1e-20:
        order[0] = -1
        return order
    dependent[:] = False
    for i in range(rank):
        dependent[order[i]] = True
    return order


@kernel
def constraint_parts(M, L, A, beta, rank):
    """(n, rank): in each row the part of a coordinate direction of unit length within the constraint space."""
    n = M.shape[0]
    B = np.zeros((n, max(rank, 1)))
    x = np.empty(n)
    for i in range(n):
        x[:] = L[i]  # row i of L, that is L^T e_i
        for k in range(i + 1, n):
            x[k] = 0.0
        apply_q_transposed(A, beta, rank, x)
        for k in range(rank):
            B[i, k] = x[k] / np.sqrt(M[i, i])
    return B


@kernel
def chosen_in_turn(B, rank, wanted, order):
    """Puts the longest rows first into `order`, each without what the former ones have of it; overwrites B. Returns the least
    squared length, 1 for none: how well these coordinates are determined."""
    n, least = B.shape[0], 1.0
    for i in range(rank):
        best, size = i, -1.0
        for r in range(i, n):
            s = 0.0
            for k in range(rank):
                s += B[order[r], k] * B[order[r], k]
            if s > size and wanted[order[r]] != 0:
                best, size = r, s
        least = min(least, size)
        if not size > 1e-20:
            return least
        order[i], order[best] = order[best], order[i]
        e = B[order[i]] / np.sqrt(size)
        for r in range(i + 1, n):
            s = inner(B[order[r]], e)
            B[order[r]] -= s * e
    return least
