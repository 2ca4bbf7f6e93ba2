"""What the time loops call: terms and solution by divide and conquer, behind the common signature of entries."""

import numpy as np

from cotree.constraints import all_rows
from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import integers, matrix, vector
from cotree.formulations.acceleration import put_powers
from cotree.formulations.odca.solve import LIGHT, least_direction, put_results, put_right_hand_sides, put_state, solve
from cotree.formulations.odca.tables import division_at
from cotree.formulations.problem import ASK_MOTIONS, ASK_VALUES, ask, problem_t
from cotree.system.views import open_rows, open_tables


@kernel
def division_of(p):
    """The record of the divided system."""
    return division_at(p.division)


@entry(problem_t)
def terms(p, t, q, v, _):
    """Leaves, rows, right-hand sides and powers at a state."""
    status = ask(p, ASK_VALUES | ASK_MOTIONS, t, q, v)
    if status < 0:
        return status
    d, eta, b = division_of(p), vector(p.arrays.eta), vector(p.arrays.b)
    values, motions = matrix(p.arrays.values), matrix(p.arrays.motions)
    status = put_state(p.system, d, values, motions, vector(p.arrays.zero), q, v, eta)
    if status < 0:
        return which_dof(status)
    put_powers(p, open_tables(p.system), values, v)
    all_rows.put_speeds(open_rows(p.system), motions, b)
    if p.near.baumgarte > 0.0:
        _pull_back(p, q, v, eta, b)
    put_right_hand_sides(p.system, d, eta)
    return 0


@kernel
def which_dof(status):
    """-(1 + dof) for either kind of degenerate body."""
    return status - LIGHT if status < LIGHT else status


@kernel
def put_gaps(p, q):
    """Residual of the constraints' rows, for links that are in place."""
    all_rows.put_gaps(p.system, q, matrix(p.arrays.motions), vector(p.arrays.g))


@kernel
def put_velocities(p, v, out):
    """J v, for links that have moved and rows that were prepared."""
    all_rows.put_velocities(open_rows(p.system), open_tables(p.system).work, v, out)


@kernel
def _pull_back(p, q, v, eta, b):
    """Baumgarte terms: eta - 2 k (J v - b) - k^2 g, without the last for rows that hold velocities only."""
    k, g, rate, holonomic = p.near.baumgarte, vector(p.arrays.g), np.empty(p.rows), integers(p.arrays.holonomic)
    put_gaps(p, q)
    put_velocities(p, v, rate)
    for r in range(eta.size):
        eta[r] -= 2.0 * k * (rate[r] - b[r]) + k * k * g[r] if holonomic[r] else k * (rate[r] - b[r])


@entry(problem_t)
def by_division(p, t, _, __, v_dot):
    """v_dot and lam from the terms; returns the rank of the rows."""
    rank = solved(p, v_dot)
    note_least(p)
    return rank


@kernel
def solved(p, x):
    """Solution of what is prepared; returns the rank of the rows."""
    d = division_of(p)
    rank = solve(d)
    put_results(d, x, vector(p.arrays.lam))
    p.near.dropped = np.sqrt(max(d.ratios[1], 0.0))
    return rank


@kernel
def note_least(p):
    """Note the least direction of the rows, with the factors of the last solution."""
    p.near.smallest = least_direction(division_of(p), vector(p.arrays.direction))
