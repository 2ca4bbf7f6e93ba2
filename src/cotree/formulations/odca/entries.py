"""What the time loops call: terms and solution by divide and conquer, behind the common signature of entries."""

import numpy as np

from cotree.constraints import loops, other_rows
from cotree.constraints.velocities import put_loop_velocities, put_other_velocities
from cotree.dynamics.power import element_powers
from cotree.engine.entry import entry, integers_at, vector_at
from cotree.engine.kernel import kernel
from cotree.formulations import problem as P
from cotree.formulations.odca.solve import LIGHT, least_direction, put_results, put_right_hand_sides, put_state, solve
from cotree.formulations.odca.tables import HANDLE_SIZE
from cotree.formulations.problem import ask, handle_of, inputs_of, numbers_of
from cotree.system.handle import open_cuts, open_handle, open_rows


@kernel
def division_of(p):
    """The handle of the divided system."""
    return integers_at(p[P.DIVISION], HANDLE_SIZE)


@entry
def terms(problem, t, q_at, v_at, _):
    """Leaves, rows, right-hand sides and powers at a state."""
    p = integers_at(problem, P.SIZE)
    q, v = vector_at(q_at, p[P.NQ]), vector_at(v_at, p[P.NV])
    status = ask(p, P.ASK_VALUES | P.ASK_MOTIONS, t, q, v)
    if status < 0:
        return status
    handle, o, m = handle_of(p), division_of(p), p[P.ROWS]
    values, motions = inputs_of(p)
    eta, b, power = vector_at(p[P.BIAS], m), vector_at(p[P.RATE], m), vector_at(p[P.POWER], 2)
    status = put_state(handle, o, values, motions, vector_at(p[P.ZERO], v.size), q, v, eta)
    if status < 0:
        return which_dof(status)
    _, _, _, _, elements, work, _ = open_handle(handle)
    power[0], power[1] = element_powers(elements, work, values, v)
    if p[P.OTHERS] != 0:
        other_rows.put_rate(open_rows(handle), open_cuts(handle), motions, b)
    if numbers_of(p)[P.BAUMGARTE] > 0.0:
        _pull_back(p, q, v, eta, b)
    put_right_hand_sides(handle, o, eta)
    return 0


@kernel
def which_dof(status):
    """-(1 + dof) for either kind of degenerate body."""
    return status - LIGHT if status < LIGHT else status


@kernel
def put_gaps(p, q):
    """Residual of the constraints' rows, for links that are in place."""
    handle, g = handle_of(p), vector_at(p[P.RESIDUAL], p[P.ROWS])
    work, cuts = open_handle(handle)[5], open_cuts(handle)
    loops.put_residual(cuts, work, g)
    if p[P.OTHERS] != 0:
        other_rows.put_residual(open_rows(handle), cuts, work, q, inputs_of(p)[1], g)


@kernel
def put_velocities(p, v, out):
    """J v, for links that have moved."""
    handle = handle_of(p)
    work, cuts = open_handle(handle)[5], open_cuts(handle)
    put_loop_velocities(cuts, work, out)
    if p[P.OTHERS] != 0:
        put_other_velocities(open_rows(handle), cuts, work, v, out)


@kernel
def _pull_back(p, q, v, eta, b):
    """Baumgarte terms: eta - 2 k (J v - b) - k^2 g, without the last for rows that hold velocities only."""
    k, g, rate = numbers_of(p)[P.BAUMGARTE], vector_at(p[P.RESIDUAL], p[P.ROWS]), np.empty(p[P.ROWS])
    holonomic = integers_at(p[P.HOLONOMIC], p[P.ROWS])
    put_gaps(p, q)
    put_velocities(p, v, rate)
    for r in range(eta.size):
        eta[r] -= 2.0 * k * (rate[r] - b[r]) + k * k * g[r] if holonomic[r] else k * (rate[r] - b[r])


@entry
def by_division(problem, t, v_dot_at, _, __):
    """v_dot and lam from the terms; returns the rank of the rows."""
    p = integers_at(problem, P.SIZE)
    rank = solved(p, vector_at(v_dot_at, p[P.NV]))
    note_least(p)
    return rank


@kernel
def solved(p, x):
    """Solution of what is prepared; returns the rank of the rows."""
    o, ratios = division_of(p), np.empty(2)
    rank = solve(o, ratios)
    put_results(o, x, vector_at(p[P.LAMBDA], p[P.ROWS]))
    numbers_of(p)[P.DROPPED] = np.sqrt(max(ratios[1], 0.0))
    return rank


@kernel
def note_least(p):
    """Note the least direction of the rows, with the factors of the last solution."""
    numbers_of(p)[P.SMALLEST] = least_direction(division_of(p), vector_at(p[P.DIRECTION], p[P.ROWS]))
