"""Back to the constraints after a step, positions first, then velocities [Geo 5.3].

Two ways to choose the correction x with J x = error: the shortest in the metric of the mass matrix, or with the independent
coordinates held, those dependent being the ones that lie closest to the constraint directions [Geo (67), (68)].
"""

import numpy as np

from cotree.engine.entry import call, entry, integers_at, matrix_at, vector_at
from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy, fill
from cotree.formulations import problem as P
from cotree.formulations.acceleration import certified_rank, note_directions, rank_tolerance
from cotree.formulations.linalg import cholesky, lu, pivoted_qr, solve_lower, solve_lu
from cotree.formulations.problem import handle_of, keep_still, matrices_of, numbers_of, weigh_rows
from cotree.formulations.solve import partition, projection
from cotree.integrate import state as S
from cotree.kinematics.coordinates import move
from cotree.system.handle import open_handle

CLOSED = 1e-14  # relative to the system's length: below this a residual is rounding
OPEN = 1e-9  # above this the loops did not close
ITERATIONS = 8
NEAR_SINGULAR = 1e-7  # the shortest correction explodes along vanishing directions: leave those out
NOT_CLOSED = -(1 << 41)
NO_PARTITION = -(1 << 42)


@kernel
def largest(x):
    s = 0.0
    for k in range(x.size):
        s = max(s, abs(x[k]))
    return s


@kernel
def project(p, t, h, q, v):
    """Newton steps on q, then one linear correction of v, in place; returns the rank of the rows or a negative status.

    h: weight with which the size of the corrections is booked.
    """
    vector_at(p[S.CORRECTION], 3)[2] = h
    return call(p[S.PROJECT], p.ctypes.data, t, q.ctypes.data, v.ctypes.data, 0)


@entry
def onto_constraints(problem, t, q_at, v_at, _):
    """What `project` does."""
    p = integers_at(problem, P.SIZE)
    q, v = vector_at(q_at, p[P.NQ]), vector_at(v_at, p[P.NV])
    here, length = problem, numbers_of(p)[P.LENGTH]
    n, m = p[P.NV], p[P.ROWS]
    M, J, f, rhs, g = matrices_of(p)
    b, holonomic = vector_at(p[P.RATE], m), integers_at(p[P.HOLONOMIC], m)
    correction = vector_at(p[S.CORRECTION], 3)
    h = correction[2]
    x, moved, before = np.empty(n), np.empty(q.size), np.inf
    closed = (
        CLOSED * length if numbers_of(p)[P.CAREFUL] == 0.0 else 0.0
    )  # next to a singular configuration as well as can be
    _, links, dofs, _, _, _, _ = open_handle(handle_of(p))
    for k in range(ITERATIONS + 1):  # the last time only to see all terms where q is: corrections overwrite them
        status = call(p[P.POSITIONS], here, t, q.ctypes.data, 0, 0)
        if status < 0:
            return status
        size = largest(g)
        if size <= closed or not size < 0.5 * before or k == ITERATIONS:
            break
        before = size
        for r in range(m):
            rhs[r] = -g[r]
            if not holonomic[r]:
                fill(J[r], 0.0)
        fill(f, 0.0)
        status = correct(p, 0.0, x)
        if status < 0:
            return status
        correction[0] += h * mass_norm(M, x)
        keep_still(p, x)
        move(links, dofs, q, x, moved)
        copy(moved, q)
    if not largest(g) <= OPEN * length:
        return NOT_CLOSED
    for r in range(m):
        rhs[r] = b[r] - np.dot(J[r], v)
    fill(f, 0.0)
    rank = correct(p, 1.0, x)
    if rank < 0:
        return rank
    correction[1] += h * mass_norm(M, x)
    keep_still(p, x)
    for j in range(n):
        v[j] += x[j]
    return rank


@entry
def along_constraints(problem, t, _, __, ___):
    """Leave of the errors of a step what the projection at its end does not take away.

    Next to a singular configuration, a distance s away, the rounding errors r of a closed loop are r v^2 / s^3 in the
    acceleration, across the constraints.
    """
    p = integers_at(problem, P.SIZE)
    _, J, f, rhs, _ = matrices_of(p)
    q, n = vector_at(p[S.TRIAL], p[P.NQ]), p[P.NV]
    err, x, holonomic = matrix_at(p[S.ERR], 4, n), np.empty(n), integers_at(p[P.HOLONOMIC], p[P.ROWS])
    for k in range(4):  # positions and velocities, of two estimates
        if largest(err[k]) == 0.0:
            continue
        status = call(p[P.POSITIONS], problem, t, q.ctypes.data, 0, 0)
        if status < 0:
            return status
        for r in range(p[P.ROWS]):
            if k % 2 == 0 and not holonomic[r]:
                fill(J[r], 0.0)
            rhs[r] = -np.dot(J[r], err[k])
        fill(f, 0.0)
        status = correct(p, 1.0, x)
        if status < 0:
            return status
        for j in range(n):
            err[k, j] += x[j]
    return 0


@kernel
def correct(p, level, x):
    """Correction of positions (level 0) or velocities (1), without the directions that have all but vanished."""
    weigh_rows(p)
    numbers_of(p)[P.FLOOR] = NEAR_SINGULAR
    status = call(p[S.CORRECT], p.ctypes.data, level, x.ctypes.data, 0, 0)
    numbers_of(p)[P.FLOOR] = 0.0
    return status


@kernel
def mass_norm(L, x):
    """x^T M x with M = L L^T."""
    total = 0.0
    for j in range(x.size):
        s = 0.0
        for i in range(j, x.size):
            s += L[i, j] * x[i]
        total += s * s
    return total


@entry
def by_partition(problem, level, x_at, _, __):
    """x with J x = eta in which only dependent coordinates move; level 0 for positions, 1 for velocities.

    WANTED holds for each level the coordinates that shall be dependent (1), may not be (0), or are left to the criterion (-1).
    Next to a singular configuration, where dependent coordinates take up errors many times over, x is the shortest one unless
    they are chosen. Leaves the Cholesky factor in M, returns the rank.
    """
    p = integers_at(problem, P.SIZE)
    M, J, f, eta, g = matrices_of(p)
    m, n = J.shape
    x, numbers = vector_at(x_at, n), numbers_of(p)
    tolerance = max(numbers[P.FLOOR], rank_tolerance(g, numbers[P.LENGTH]))
    wanted = _wanted(p, int(level))
    if numbers[P.CAREFUL] != 0.0 and wanted[0] < 0:  # all are -1, or none
        rank = projection(M, J, f, eta, tolerance, x, vector_at(p[P.LAMBDA], m), certified_rank(p))
        if rank < 0:
            return NO_PARTITION
        note_directions(numbers, J, rank)
        return rank
    full = M.copy()
    if cholesky(M):
        return NO_PARTITION
    A = J.copy()
    for r in range(m):
        solve_lower(M, A[r])
    beta, pivot = np.empty(max(min(m, n), 1)), np.empty(m, np.int64)
    rank = pivoted_qr(A, beta, pivot, tolerance, certified_rank(p))
    order = partition(full, M, A, beta, rank, integers_at(p[P.DEPENDENT], n), wanted)
    x[:] = 0.0
    if rank == 0:
        return rank
    if order[0] < 0:
        return NO_PARTITION
    J1, right = np.empty((rank, rank)), np.empty(rank)
    for i in range(rank):
        for k in range(rank):
            J1[i, k] = J[pivot[i], order[k]]
        right[i] = eta[pivot[i]]
    swaps = np.empty(rank, np.int64)
    if not lu(J1, swaps):
        return NO_PARTITION
    solve_lu(J1, swaps, right)
    for k in range(rank):
        x[order[k]] = right[k]
    note_directions(numbers, A, rank)
    return rank


@kernel
def _wanted(p, level):
    """The user's partition for a level."""
    n = p[P.NV]
    return integers_at(p[S.WANTED], 2 * n)[level * n : (level + 1) * n]
