"""Back to the constraints after a step, positions first, then velocities [Geo 5.3].

Two ways to choose the correction x with J x = error: the shortest in the metric of the mass matrix, or with the independent
coordinates held, those dependent being the ones that lie closest to the constraint directions [Geo (67), (68)].
"""

import numpy as np

from cotree.engine.entry import NOTHING, call, entry
from cotree.engine.kernel import kernel
from cotree.engine.records import integers
from cotree.engine.status import NO_PARTITION, NOT_CLOSED
from cotree.engine.vectors import copy, fill, inner, largest
from cotree.formulations.acceleration import judged, note_directions
from cotree.formulations.linalg import cholesky, lu, pivoted_qr, solve_lower, solve_lu
from cotree.formulations.problem import keep_still, terms_of, weigh_rows
from cotree.formulations.solve import partition, projection
from cotree.integrate.records import errors_of, run_t, trial, wanted_of
from cotree.judge import CLOSED, REPORTED, ROUNDING
from cotree.kinematics.configuration import move
from cotree.system.views import open_tables

ITERATIONS = 8


@kernel
def project(run, t, h, q, v):
    """Newton steps on q, then one linear correction of v, in place; returns the rank of the rows or a negative status.

    h: weight with which the size of the corrections is booked.
    """
    run.correction.weight = h
    return call(run.entries.project, run.problem.here, t, q, v, NOTHING)


@entry(run_t)
def onto_constraints(run, t, q, v, _):
    """What `project` does."""
    return close_loops(run, t, q, v, np.empty(run.problem.nv), np.empty(run.problem.nq))


@kernel
def close_loops(run, t, q, v, x, moved):
    """The same, with room for a correction and for moved coordinates."""
    p, correction = run.problem, run.correction
    e, holonomic = terms_of(p), integers(p.arrays.holonomic)
    tables, length = open_tables(p.system), p.near.length
    before = np.inf
    closed = 0.0 if p.near.careful else ROUNDING * length  # next to a singular configuration as well as can be
    for k in range(ITERATIONS + 1):  # the last time only to see all terms where q is: corrections overwrite them
        status = call(p.entries.positions, p.here, t, q, NOTHING, NOTHING)
        if status < 0:
            return status
        size = largest(e.g)
        if k == 0 and tolerable(run, size):
            for r in range(p.rows):
                e.eta[r] = e.b[r] - inner(e.J[r], v)
            if largest(e.eta) <= run.options.above:
                return tolerated(run)
        if size <= closed or not size < 0.5 * before or k == ITERATIONS:
            break
        before = size
        for r in range(p.rows):
            e.eta[r] = -e.g[r]
            if not holonomic[r]:
                fill(e.J[r], 0.0)
        fill(e.f, 0.0)
        status = correct(run, 0.0, x)
        if status < 0:
            return status
        correction.position += correction.weight * mass_norm(e.M, x)
        keep_still(p, x)
        move(tables.links, tables.dofs, q, x, moved)
        copy(moved, q)
    if not largest(e.g) <= CLOSED * length:
        return NOT_CLOSED
    count_correction(run)
    for r in range(p.rows):
        e.eta[r] = e.b[r] - inner(e.J[r], v)
    fill(e.f, 0.0)
    rank = correct(run, 1.0, x)
    if rank < 0:
        return rank
    correction.velocity += correction.weight * mass_norm(e.M, x)
    keep_still(p, x)
    for j in range(p.nv):
        v[j] += x[j]
    return rank


@kernel
def tolerable(run, size):
    """Whether a position error of this size may stay: the user tolerates it, no singular configuration is near, and the
    rank of the constraint equations is known."""
    return size <= run.options.above and run.options.above > 0.0 and not near_singular(run)


@kernel
def near_singular(run):
    return run.problem.near.careful or run.problem.near.certified < 0


@kernel
def tolerated(run):
    """The rank where nothing was corrected; counts the state at the end of a step."""
    if run.correction.weight > 0.0:
        run.counts.tolerated += 1
    return run.problem.near.certified


@kernel
def count_correction(run):
    if run.correction.weight > 0.0:
        run.counts.corrected += 1


@entry(run_t)
def along_constraints(run, t, _, __, ___):
    """Leave of the errors of a step what the projection at its end does not take away.

    Next to a singular configuration, a distance s away, the rounding errors r of a closed loop are r v^2 / s^3 in the
    acceleration, across the constraints.
    """
    return take_away(run, t, np.empty(run.problem.nv))


@kernel
def take_away(run, t, x):
    """The same, with room for a correction."""
    p = run.problem
    e, q, holonomic = terms_of(p), trial(run).q, integers(p.arrays.holonomic)
    err = errors_of(run)
    for k in range(4):  # positions and velocities, of two estimates
        if largest(err[k]) == 0.0:
            continue
        status = call(p.entries.positions, p.here, t, q, NOTHING, NOTHING)
        if status < 0:
            return status
        for r in range(p.rows):
            if k % 2 == 0 and not holonomic[r]:
                fill(e.J[r], 0.0)
            e.eta[r] = -inner(e.J[r], err[k])
        fill(e.f, 0.0)
        status = correct(run, 1.0, x)
        if status < 0:
            return status
        for j in range(p.nv):
            err[k, j] += x[j]
    return 0


@kernel
def correct(run, level, x):
    """Correction of positions (level 0) or velocities (1), without the directions that have all but vanished."""
    p = run.problem
    weigh_rows(p)
    p.near.floor = REPORTED  # the shortest correction explodes along vanishing directions
    status = call(run.entries.correct, p.here, level, NOTHING, NOTHING, x)
    p.near.floor = 0.0
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


@entry(run_t)
def by_partition(run, level, _, __, x):
    """x with J x = eta in which only dependent coordinates move; level 0 for positions, 1 for velocities.

    `wanted` holds for each level the coordinates that shall be dependent (1), may not be (0), or are left to the criterion
    (-1). Next to a singular configuration, where dependent coordinates take up errors many times over, x is the shortest one
    unless they are chosen. Leaves the Cholesky factor in M, returns the rank.
    """
    p = run.problem
    (M, J, f, eta, g, _, lam), near = terms_of(p), p.near
    m, n = J.shape
    tolerance, wanted = judged(p, g), wanted_of(run, int(level))
    if near.careful and wanted[0] < 0:  # all are -1, or none
        rank = projection(M, J, f, eta, tolerance, x, lam, near.certified)
        if rank < 0:
            return NO_PARTITION
        note_directions(near, J, rank)
        return rank
    full = M.copy()
    if cholesky(M):
        return NO_PARTITION
    A = J.copy()
    for r in range(m):
        solve_lower(M, A[r])
    beta, pivot = np.empty(max(min(m, n), 1)), np.empty(m, np.int64)
    rank = pivoted_qr(A, beta, pivot, tolerance, near.certified)
    order = partition(full, M, A, beta, rank, integers(p.arrays.dependent), wanted)
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
    note_directions(near, A, rank)
    return rank
