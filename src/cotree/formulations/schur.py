"""The fast way through M v_dot + J^T lam = f, J v_dot = eta for independent rows: Cholesky factors that skip zeros.

Loops couple neighbours only. In M a coordinate meets those above and below it in the tree, in J a row meets its loop; both are
found in ranges of columns, and so are their factors. Rows that turn out dependent are left to QR with pivoting.

A division takes as long as ten products: as long as a factor is worked with, it has the reciprocals of its diagonal in place of
this. Columns are counted by unsigned numbers: from others the compiler expects negative ones, and uses no vector instructions.
"""

import numpy as np

from cotree.engine.choosing import every, select, some
from cotree.engine.kernel import dense
from cotree.engine.vectors import copy, fill, fill_rows
from cotree.formulations.linalg import (
    apply_q,
    apply_q_transposed,
    normalize,
    pivoted_qr,
    put_trial_vector,
    split_by_rows,
)
from cotree.judge import DEPENDENT_SQUARE

INDEPENDENT = (
    1e-6  # least part of a row, squared, that the rows before it must leave for the normal equations to be accurate
)


@dense
def put_starts(A, first):
    """first[i] = column of the first entry of row i of the lower triangle that is not zero."""
    for i in range(A.shape[0]):
        k = 0
        while k < i and every(A[i, k] == 0.0):
            k += 1
        first[i] = k


@dense
def cholesky_by_rows(A, first):
    """A = L L^T in place, row i from column first[i] on, reciprocals on the diagonal; returns 0, or 1 + the row where A is not
    positive.

    Column by column, so that entries do not wait for each other.
    """
    for j in range(A.shape[0]):
        s = A[j, j]
        for k in range(np.uint64(first[j]), np.uint64(j)):
            s -= A[j, k] * A[j, k]
        if not some(s > 0.0):  # lanes that alone are not become NaN
            return j + 1
        d = 1.0 / np.sqrt(s)
        A[j, j] = d
        for i in range(j + 1, A.shape[0]):
            if first[i] > j:
                continue
            s = A[i, j]
            for k in range(np.uint64(max(first[i], first[j])), np.uint64(j)):
                s -= A[i, k] * A[j, k]
            A[i, j] = s * d
    return 0


@dense
def invert_diagonal(L):
    """From the reciprocals on the diagonal of a factor to the factor itself, and back."""
    for j in range(L.shape[0]):
        L[j, j] = 1.0 / L[j, j]


@dense
def solve_down(L, first, x, start):
    """x := L^-1 x for x that is zero before `start`; returns where what is not zero ends. L has reciprocals on its diagonal."""
    end = start
    for i in range(start, x.size):
        s = x[i]
        if first[i] < end:
            for k in range(np.uint64(max(first[i], start)), np.uint64(i)):
                s -= L[i, k] * x[k]
        x[i] = s * L[i, i]
        if not every(s == 0.0):
            end = i + 1
    return end


@dense
def solve_up(L, first, x):
    """x := L^-T x. L has reciprocals on its diagonal."""
    for i in range(x.size - 1, -1, -1):
        x[i] *= L[i, i]
        for k in range(np.uint64(first[i]), np.uint64(i)):
            x[k] -= L[i, k] * x[i]


@dense
def reduce(M, J, f, v_dot, first, start, end):
    """M := L with reciprocals on its diagonal, J := J L^-T, v_dot := L^-1 f, with the ranges of columns of both; returns 0, or
    1 + the row without inertia."""
    put_starts(M, first)
    status = cholesky_by_rows(M, first)
    if status:
        return status
    copy(f, v_dot)
    solve_down(M, first, v_dot, 0)
    for r in range(J.shape[0]):
        k = 0
        while k < v_dot.size and every(J[r, k] == 0.0):
            k += 1
        start[r] = k
        end[r] = solve_down(M, first, J[r], k)
    return 0


@dense
def by_independent_rows(M, J, f, eta, v_dot, lam):
    """Schur complement S = J M^-1 J^T by factors; one step of refinement makes J v_dot = eta to rounding.

    Returns (status, least): status the number of rows, -(1 + coordinate) without inertia there, or -m - n - 1 when rows depend
    on each other, whereupon v_dot holds L^-1 f; least the least singular value of J L^-T, relative to the longest row. M holds
    L, and J holds J L^-T.
    """
    m, n = J.shape
    room, places = np.empty((m + 2, m)), np.empty(n + 3 * m, np.int64)
    found = by_complement(M, J, f, eta, v_dot, lam, room[:m], room[m], room[m + 1], places)
    invert_diagonal(M)
    return found


@dense
def by_complement(M, J, f, eta, v_dot, lam, S, diagonal, change, places):
    """The same on numbers or lanes, with room (m, m), m, m for the complement, its diagonal and changes of the multipliers, and
    for n + 3 m places; L keeps reciprocals on its diagonal. Of lanes those whose rows depend on each other have NaN for the
    least singular value, and what they are given means nothing."""
    m, n = J.shape
    first, start, end, meets = places[:n], places[n : n + m], places[n + m : n + 2 * m], places[n + 2 * m :]
    status = reduce(M, J, f, v_dot, first, start, end)
    if status:
        return -status, 0.0 * v_dot[0]
    longest, good = 0.0 * v_dot[0], 1.0 + 0.0 * v_dot[0]
    fill_rows(S, 0, m, 0.0)
    for r in range(m):
        meets[r] = r
        for c in range(r, -1, -1):
            lo, hi = max(start[r], start[c]), min(end[r], end[c])
            if lo < hi:
                s = 0.0
                for k in range(np.uint64(lo), np.uint64(hi)):
                    s += J[r, k] * J[c, k]
                S[r, c] = s
                meets[r] = c
        diagonal[r] = S[r, r]
        longest = max(longest, diagonal[r])
    if cholesky_by_rows(S, meets):
        return -m - n - 1, 0.0 * longest
    for r in range(m):
        good = select(diagonal[r] > DEPENDENT_SQUARE * longest, good, 0.0 * longest)
        good = select(INDEPENDENT * diagonal[r] * S[r, r] * S[r, r] < 1.0, good, 0.0 * longest)
    if not some(good > 0.0):
        return -m - n - 1, 0.0 * longest
    size = 1.0 + 0.0 * longest
    put_trial_vector(change)
    for _ in range(3):  # inverse iteration, as in `least_direction`
        solve_down(S, meets, change, 0)
        solve_up(S, meets, change)
        size = normalize(change)
    fill(lam, 0.0)
    for _ in range(2):
        for r in range(m):
            s = -eta[r]
            for k in range(np.uint64(start[r]), np.uint64(end[r])):
                s += J[r, k] * v_dot[k]
            change[r] = s
        solve_down(S, meets, change, 0)
        solve_up(S, meets, change)
        for r in range(m):
            lam[r] += change[r]
            for k in range(np.uint64(start[r]), np.uint64(end[r])):
                v_dot[k] -= J[r, k] * change[r]
    solve_up(M, first, v_dot)
    return m, select(good > 0.0, np.sqrt(1.0 / (size * longest)), np.nan)


@dense
def by_pivoting_alone(M, J, f, eta, tolerance, v_dot, lam, certified):
    """All the way by QR with pivoting; returns the rank, or -(1 + coordinate) without inertia."""
    m, n = J.shape
    places = np.empty(n + 2 * m, np.int64)
    status = reduce(M, J, f, v_dot, places[:n], places[n : n + m], places[n + m :])
    if status:
        return -status
    invert_diagonal(M)
    return by_pivoting(M, J, eta, tolerance, v_dot, lam, certified)


@dense
def by_pivoting(L, A, eta, tolerance, v_dot, lam, certified):
    """The rest of the way where rows depend: from L, A = J L^-T and v_dot = L^-1 f, by QR with pivoting; returns the rank."""
    m, n = A.shape
    beta, pivot = np.empty(min(m, n)), np.empty(m, np.int64)
    rank = pivoted_qr(A, beta, pivot, tolerance, certified)
    apply_q_transposed(A, beta, rank, v_dot)
    fill(lam, 0.0)
    split_by_rows(A, pivot, rank, eta, v_dot, lam)
    apply_q(A, beta, rank, v_dot)
    first = np.empty(n, np.int64)
    put_starts(L, first)
    invert_diagonal(L)
    solve_up(L, first, v_dot)
    invert_diagonal(L)
    return rank
