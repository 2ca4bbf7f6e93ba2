"""Back to the constraints by divide and conquer: the same corrections as `stabilize`, shortest in the metric of the mass
matrix, without that matrix."""

import numpy as np

from cotree.constraints import all_rows
from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.engine.status import NOT_CLOSED
from cotree.engine.vectors import copy, largest
from cotree.formulations.odca.solve import MOVE, kinetic_size, put_correction, put_rows
from cotree.formulations.odca.time_loop import division_of, note_least, put_gaps, put_velocities, solved, which_dof
from cotree.formulations.problem import ASK_MOTIONS, ask, keep_still
from cotree.integrate.records import errors_of, run_t, trial
from cotree.integrate.stabilization.projection import ITERATIONS, count_correction, tolerable, tolerated
from cotree.judge import CLOSED, ROUNDING
from cotree.kinematics.configuration import move
from cotree.system.views import open_rows, open_tables


@kernel
def _placed(p, t, q, v):
    """Links moved to a state, rows prepared; returns 0 or a negative status."""
    status = ask(p, ASK_MOTIONS, t, q, v)
    if status < 0:
        return status
    return which_dof(put_rows(p.system, division_of(p), q, v, MOVE))


@kernel
def _corrected(p, change, positions, x):
    """Shortest x with J x = change; returns the rank of the rows."""
    put_correction(division_of(p), change, positions)
    return solved(p, x)


@kernel
def _put_velocity_errors(p, v, b, change):
    """change = b - J v."""
    all_rows.put_speeds(open_rows(p.system), matrix(p.arrays.motions), b)
    put_velocities(p, v, change)
    for r in range(p.rows):
        change[r] = b[r] - change[r]


@entry(run_t)
def onto_constraints(run, t, q, v, _):
    """What `stabilize.project` does."""
    p, correction = run.problem, run.correction
    tables, length = open_tables(p.system), p.near.length
    g, b, change = vector(p.arrays.g), vector(p.arrays.b), np.empty(p.rows)
    x, moved, before = np.empty(p.nv), np.empty(p.nq), np.inf
    closed = 0.0 if p.near.careful else ROUNDING * length
    for k in range(ITERATIONS + 1):  # the last time only to see all terms where q is: corrections overwrite them
        status = _placed(p, t, q, v)
        if status < 0:
            return status
        put_gaps(p, q)
        size = largest(g)
        if k == 0 and tolerable(run, size):
            _put_velocity_errors(p, v, b, change)
            if largest(change) <= run.options.above:
                return tolerated(run)
        if size <= closed or not size < 0.5 * before or k == ITERATIONS:
            break
        before = size
        for r in range(p.rows):
            change[r] = -g[r]
        _corrected(p, change, True, x)
        correction.position += correction.weight * kinetic_size(division_of(p))
        keep_still(p, x)
        move(tables.links, tables.dofs, q, x, moved)
        copy(moved, q)
    if not largest(g) <= CLOSED * length:
        return NOT_CLOSED
    count_correction(run)
    _put_velocity_errors(p, v, b, change)
    rank = _corrected(p, change, False, x)
    correction.velocity += correction.weight * kinetic_size(division_of(p))
    note_least(p)
    keep_still(p, x)
    for j in range(p.nv):
        v[j] += x[j]
    return rank


@entry(run_t)
def along_constraints(run, t, _, __, ___):
    """What `stabilize.along_constraints` does."""
    p, q, err = run.problem, trial(run).q, errors_of(run)
    x, change = np.empty(p.nv), np.empty(p.rows)
    for k in range(4):  # positions and velocities, of two estimates
        if largest(err[k]) == 0.0:
            continue
        status = _placed(p, t, q, err[k])
        if status < 0:
            return status
        put_velocities(p, err[k], change)
        for r in range(p.rows):
            change[r] = -change[r]
        _corrected(p, change, k % 2 == 0, x)
        for j in range(p.nv):
            err[k, j] += x[j]
    return 0
