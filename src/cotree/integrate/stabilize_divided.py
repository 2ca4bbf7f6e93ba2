"""Back to the constraints by divide and conquer: the same corrections as `stabilize`, shortest in the metric of the mass
matrix, without that matrix."""

import numpy as np

from cotree.constraints import other_rows
from cotree.engine.entry import entry, integers_at, matrix_at, vector_at
from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy
from cotree.formulations import problem as P
from cotree.formulations.odca.entries import division_of, note_least, put_gaps, put_velocities, solved, which_dof
from cotree.formulations.odca.solve import MOVE, kinetic_size, put_correction, put_rows
from cotree.formulations.problem import ask, handle_of, inputs_of, keep_still, numbers_of
from cotree.integrate import state as S
from cotree.integrate.stabilize import CLOSED, ITERATIONS, NOT_CLOSED, OPEN, largest
from cotree.kinematics.coordinates import move
from cotree.system.handle import open_cuts, open_handle, open_rows


@kernel
def _placed(p, t, q, v):
    """Links moved to a state, rows prepared; returns 0 or a negative status."""
    status = ask(p, P.ASK_MOTIONS, t, q, v)
    if status < 0:
        return status
    return which_dof(put_rows(handle_of(p), division_of(p), q, v, MOVE))


@kernel
def _corrected(p, change, positions, x):
    """Shortest x with J x = change; returns the rank of the rows."""
    put_correction(division_of(p), change, positions)
    return solved(p, x)


@entry
def onto_constraints(problem, t, q_at, v_at, _):
    """What `stabilize.project` does."""
    p = integers_at(problem, P.SIZE)
    q, v, n, m = vector_at(q_at, p[P.NQ]), vector_at(v_at, p[P.NV]), p[P.NV], p[P.ROWS]
    handle, length = handle_of(p), numbers_of(p)[P.LENGTH]
    _, links, dofs, _, _, _, _ = open_handle(handle)
    g, b, change = vector_at(p[P.RESIDUAL], m), vector_at(p[P.RATE], m), np.empty(m)
    correction = vector_at(p[S.CORRECTION], 3)
    x, moved, before = np.empty(n), np.empty(q.size), np.inf
    closed = CLOSED * length if numbers_of(p)[P.CAREFUL] == 0.0 else 0.0
    for k in range(ITERATIONS + 1):  # the last time only to see all terms where q is: corrections overwrite them
        status = _placed(p, t, q, v)
        if status < 0:
            return status
        put_gaps(p, q)
        size = largest(g)
        if size <= closed or not size < 0.5 * before or k == ITERATIONS:
            break
        before = size
        for r in range(m):
            change[r] = -g[r]
        _corrected(p, change, True, x)
        correction[0] += correction[2] * kinetic_size(division_of(p))
        keep_still(p, x)
        move(links, dofs, q, x, moved)
        copy(moved, q)
    if not largest(g) <= OPEN * length:
        return NOT_CLOSED
    if p[P.OTHERS] != 0:
        other_rows.put_rate(open_rows(handle), open_cuts(handle), inputs_of(p)[1], b)
    put_velocities(p, v, change)
    for r in range(m):
        change[r] = b[r] - change[r]
    rank = _corrected(p, change, False, x)
    correction[1] += correction[2] * kinetic_size(division_of(p))
    note_least(p)
    keep_still(p, x)
    for j in range(n):
        v[j] += x[j]
    return rank


@entry
def along_constraints(problem, t, _, __, ___):
    """What `stabilize.along_constraints` does."""
    p = integers_at(problem, P.SIZE)
    q, n, m = vector_at(p[S.TRIAL], p[P.NQ]), p[P.NV], p[P.ROWS]
    err, x, change = matrix_at(p[S.ERR], 4, n), np.empty(n), np.empty(m)
    for k in range(4):  # positions and velocities, of two estimates
        if largest(err[k]) == 0.0:
            continue
        status = _placed(p, t, q, err[k])
        if status < 0:
            return status
        put_velocities(p, err[k], change)
        for r in range(m):
            change[r] = -change[r]
        _corrected(p, change, k % 2 == 0, x)
        for j in range(n):
            err[k, j] += x[j]
    return 0
