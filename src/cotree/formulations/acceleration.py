"""Acceleration of a state: what the time loops evaluate.

One sweep serves all: inverse dynamics for v_dot = 0 gives the forces and leaves the links' bias accelerations behind (gravity
cancels in the loops' differences), from which the constraints' right-hand side follows. The parts are entries, called by
address, so that each is compiled once and only where a system needs it.
"""

import numpy as np

from cotree.constraints import loops, other_rows
from cotree.dynamics.articulated import forward_dynamics as articulated_bodies
from cotree.dynamics.composite import fill_mass_matrix
from cotree.dynamics.forward import lost_in_rounding
from cotree.dynamics.inverse import inverse_dynamics
from cotree.dynamics.power import element_powers
from cotree.engine.entry import call, entry, integers_at, vector_at
from cotree.engine.kernel import kernel
from cotree.engine.vectors import fill_rows
from cotree.formulations import problem as P
from cotree.formulations.linalg import least_direction, pivoted_qr
from cotree.formulations.problem import (
    ask,
    handle_of,
    inputs_of,
    keep_still,
    matrices_of,
    numbers_of,
    unweigh,
    weigh_rows,
)
from cotree.formulations.schur import by_independent_rows, by_pivoting, by_pivoting_alone
from cotree.formulations.solve import index1, projection, voronets
from cotree.kinematics.sweep import place_all
from cotree.system.handle import open_cuts, open_handle, open_rows

RANK = 1e-9  # rows shorter than this, relative to the longest, are dependent on the others
RANK_PER_GAP = 10.0  # and than this times the gap: some rows depend on each other only where the loops are closed


@kernel
def rank_tolerance(g, length):
    """Relative length below which a row counts as dependent, tied to how well the loops are closed."""
    gap = 0.0
    for k in range(g.size):
        gap = max(gap, abs(g[k]))
    return min(1e-4, max(RANK, RANK_PER_GAP * gap / length))


@entry
def tree(problem, t, q_at, v_at, v_dot_at):
    """v_dot of a system without constraints, by articulated bodies; status -(1 + the coordinate without inertia)."""
    p = integers_at(problem, P.SIZE)
    q, v, v_dot = vector_at(q_at, p[P.NQ]), vector_at(v_at, p[P.NV]), vector_at(v_dot_at, p[P.NV])
    world, links, dofs, _, elements, work, dof_work = open_handle(handle_of(p))
    status = ask(p, P.ASK_VALUES, t, q, v)
    if status < 0:
        return status
    values, zero = inputs_of(p)[0], vector_at(p[P.ZERO], v.size)
    status = articulated_bodies(world, links, dofs, elements, work, dof_work, values, q, v, zero, v_dot)
    numbers, power = numbers_of(p), vector_at(p[P.POWER], 2)
    power[0], power[1] = element_powers(elements, work, values, v)
    if status == 0 and numbers[P.CHECK] != 0.0:
        status = lost_in_rounding(links, work, dof_work)
        numbers[P.CHECK] = 0.0
    return -status


@entry
def terms(problem, t, q_at, v_at, _):
    """M, f, g, J, b, eta and powers at a state of a system with constraints."""
    p = integers_at(problem, P.SIZE)
    q, v = vector_at(q_at, p[P.NQ]), vector_at(v_at, p[P.NV])
    handle = handle_of(p)
    world, links, dofs, _, elements, work, dof_work = open_handle(handle)
    status = ask(p, P.ASK_VALUES | P.ASK_MOTIONS | P.ASK_ROWS | P.ASK_BIAS, t, q, v)
    if status < 0:
        return status
    M, J, f, eta, g = matrices_of(p)
    values, zero = inputs_of(p)[0], vector_at(p[P.ZERO], v.size)
    inverse_dynamics(world, links, dofs, elements, work, dof_work, values, q, v, zero, f)
    for j in range(v.size):
        f[j] = -f[j]
    power = vector_at(p[P.POWER], 2)
    power[0], power[1] = element_powers(elements, work, values, v)
    cuts = open_cuts(handle)
    _put_loops(cuts, links, work, dof_work, g, J)
    loops.put_bias(cuts, work, eta)
    if p[P.OTHERS] != 0:
        call(p[P.OTHERS], problem, t, q_at, 0, 0)
        call(p[P.OTHERS_BIAS], problem, t, q_at, 0, 0)
    fill_mass_matrix(links, dofs, work, dof_work, M)
    return 0


@entry
def positions(problem, t, q_at, _, __):
    """M, g, J, b at a configuration of a system with constraints."""
    p = integers_at(problem, P.SIZE)
    q = vector_at(q_at, p[P.NQ])
    handle = handle_of(p)
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    status = ask(p, P.ASK_MOTIONS | P.ASK_ROWS, t, q, vector_at(p[P.V_IN], p[P.NV]))
    if status < 0:
        return status
    M, J, _, _, g = matrices_of(p)
    place_all(world, links, dofs, work, dof_work, q)
    _put_loops(open_cuts(handle), links, work, dof_work, g, J)
    if p[P.OTHERS] != 0:
        call(p[P.OTHERS], problem, t, q_at, 0, 0)
    fill_mass_matrix(links, dofs, work, dof_work, M)
    return 0


@kernel
def _put_loops(cuts, links, work, dof_work, g, J):
    """Residual and rows of the cut joints; the rows behind them are left alone."""
    loops.put_residual(cuts, work, g)
    fill_rows(J, 0, other_rows.first_row(cuts), 0.0)
    loops.put_jacobian(cuts, links, work, dof_work, J)


@entry
def others(problem, t, q_at, _, __):
    """g, J, b of the rows beside the cut joints; the links are placed. The user's own rows are the last and stay."""
    p = integers_at(problem, P.SIZE)
    handle = handle_of(p)
    _, links, _, _, _, work, dof_work = open_handle(handle)
    cuts, rows = open_cuts(handle), open_rows(handle)
    _, J, _, _, g = matrices_of(p)
    motions = inputs_of(p)[1]
    fill_rows(J, other_rows.first_row(cuts), other_rows.behind(rows, cuts), 0.0)
    other_rows.put_residual(rows, cuts, work, vector_at(q_at, p[P.NQ]), motions, g)
    other_rows.put_jacobian(rows, cuts, links, work, dof_work, J)
    other_rows.put_rate(rows, cuts, motions, vector_at(p[P.RATE], p[P.ROWS]))
    return 0


@entry
def others_bias(problem, t, q_at, _, __):
    """eta of the rows beside the cut joints; the links have moved."""
    p = integers_at(problem, P.SIZE)
    handle = handle_of(p)
    work = open_handle(handle)[5]
    other_rows.put_bias(open_rows(handle), open_cuts(handle), work, inputs_of(p)[1], matrices_of(p)[3])
    return 0


@kernel
def _judged(p, g):
    """Tolerance of the rank at this gap, and not below the floor asked for."""
    numbers = numbers_of(p)
    return max(numbers[P.FLOOR], rank_tolerance(g, numbers[P.LENGTH]))


@kernel
def certified_rank(p):
    """Rank of the rows at the last closed state, -1 before the first."""
    return int(numbers_of(p)[P.CERTIFIED])


@entry
def by_auto(problem, t, v_dot_at, _, __):
    """v_dot and lam from the terms; returns the rank of the rows: independent ones the fast way, else by pivoting.

    Notes how much the least row keeps beside the others. Where rows were dependent the fast way is not tried again until
    pivoting finds them all independent.
    """
    p = integers_at(problem, P.SIZE)
    M, J, f, eta, g = matrices_of(p)
    v_dot, lam = vector_at(v_dot_at, p[P.NV]), vector_at(p[P.LAMBDA], p[P.ROWS])
    numbers = numbers_of(p)
    if numbers[P.DEPENDENT_ROWS] == 0.0:
        status, least = by_independent_rows(M, J, f, eta, v_dot, lam)
        if status >= -v_dot.size:
            numbers[P.SMALLEST], numbers[P.DROPPED] = least, 0.0
            return status
        rank = by_pivoting(M, J, eta, _judged(p, g), v_dot, lam, certified_rank(p))
    else:
        rank = by_pivoting_alone(M, J, f, eta, _judged(p, g), v_dot, lam, certified_rank(p))
        if rank < 0:
            return rank
    numbers[P.DEPENDENT_ROWS] = np.float64(rank < J.shape[0])
    note_directions(numbers, J, rank)
    return rank


@entry
def by_projection(problem, t, v_dot_at, _, __):
    """The same by Gauss' principle with QR throughout."""
    p = integers_at(problem, P.SIZE)
    M, J, f, eta, g = matrices_of(p)
    v_dot, lam = vector_at(v_dot_at, p[P.NV]), vector_at(p[P.LAMBDA], p[P.ROWS])
    rank = projection(M, J, f, eta, _judged(p, g), v_dot, lam, certified_rank(p))
    note_directions(numbers_of(p), J, rank)
    return rank


@kernel
def note_directions(numbers, R, rank):
    """Sizes of the least direction kept and of the next one, relative to the largest, from the factors of pivoting."""
    if rank > 0:
        numbers[P.SMALLEST], numbers[P.DROPPED] = least_direction(R, rank), 0.0
        if rank < R.shape[0]:
            numbers[P.DROPPED] = np.sqrt(np.dot(R[rank, rank:], R[rank, rank:])) / abs(R[0, 0])


@entry
def by_index1(problem, t, v_dot_at, _, __):
    """The same by the index-1 system. Directions are noted only where no projection does so."""
    p = integers_at(problem, P.SIZE)
    M, J, f, eta, g = matrices_of(p)
    v_dot, lam = vector_at(v_dot_at, p[P.NV]), vector_at(p[P.LAMBDA], p[P.ROWS])
    rank = index1(M, J, f, eta, _judged(p, g), v_dot, lam, certified_rank(p))
    if rank > 0 and certified_rank(p) < 0:
        beta, pivot = np.empty(min(J.shape)), np.empty(J.shape[0], np.int64)
        note_directions(numbers_of(p), J, pivoted_qr(J, beta, pivot, _judged(p, g)))
    return rank


@entry
def by_voronets(problem, t, v_dot_at, _, __):
    """The same by Voronets equations; DEPENDENT marks the partition."""
    p = integers_at(problem, P.SIZE)
    M, J, f, eta, g = matrices_of(p)
    v_dot, lam = vector_at(v_dot_at, p[P.NV]), vector_at(p[P.LAMBDA], p[P.ROWS])
    dependent = integers_at(p[P.DEPENDENT], p[P.NV])
    rank = voronets(M, J, f, eta, _judged(p, g), v_dot, lam, dependent, certified_rank(p))
    if certified_rank(p) < 0:
        note_directions(numbers_of(p), J, rank)
    return rank


@kernel
def narrowest(rank, most, numbers):
    """Size of the direction that decides whether the rank is as great as another one."""
    return numbers[P.SMALLEST] if rank >= most else numbers[P.DROPPED] if rank == most - 1 else 0.0


@kernel
def accelerate(p, t, q, v, v_dot):
    """v_dot, multipliers and powers at (t, q, v); returns the rank of the constraint rows or a negative status."""
    here = p.ctypes.data
    status = call(p[P.TERMS], here, t, q.ctypes.data, v.ctypes.data, v_dot.ctypes.data)
    if p[P.ROWS] == 0 or status < 0:
        return status
    if numbers_of(p)[P.BAUMGARTE] > 0.0 and p[P.JACOBIAN] != 0:
        _pull_back(p, v)
    weigh_rows(p)
    status = call(p[P.SOLVE], here, t, v_dot.ctypes.data, 0, 0)
    unweigh(p, vector_at(p[P.LAMBDA], p[P.ROWS]))
    keep_still(p, v_dot)
    numbers = numbers_of(p)
    numbers[P.NARROWEST] = min(numbers[P.NARROWEST], narrowest(status, numbers[P.CERTIFIED], numbers))
    if p[P.OTHERS] != 0 or p[P.ASKS] & P.ASK_ROWS:  # what drivers supply: the constraint forces are -J^T lam, J v = b
        b, lam, power = vector_at(p[P.RATE], p[P.ROWS]), vector_at(p[P.LAMBDA], p[P.ROWS]), vector_at(p[P.POWER], 2)
        power[0] -= np.dot(lam, b)
    return status


@kernel
def _pull_back(p, v):
    """Baumgarte terms: eta - 2 k (J v - b) - k^2 g, without the last for rows that hold velocities only."""
    _, J, _, eta, g = matrices_of(p)
    k, b = numbers_of(p)[P.BAUMGARTE], vector_at(p[P.RATE], p[P.ROWS])
    holonomic = integers_at(p[P.HOLONOMIC], p[P.ROWS])
    for r in range(eta.size):
        if holonomic[r]:
            eta[r] -= 2.0 * k * (np.dot(J[r], v) - b[r]) + k * k * g[r]
        else:
            eta[r] -= k * (np.dot(J[r], v) - b[r])
