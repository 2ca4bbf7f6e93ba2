"""Acceleration of a state: what the time loops evaluate.

One sweep serves all: inverse dynamics for v_dot = 0 gives the forces and leaves the links' bias accelerations behind (gravity
cancels in the loops' differences), from which the constraints' right-hand side follows. The parts are entries, called by
address, so that each is compiled once and only where a system needs it.
"""

import numpy as np

from cotree.constraints import all_rows
from cotree.constraints.rank import rank_tolerance
from cotree.dynamics.articulated import forward_dynamics as articulated_bodies
from cotree.dynamics.composite import fill_mass_matrix
from cotree.dynamics.elements import has_elements
from cotree.dynamics.inverse import inverse_dynamics
from cotree.dynamics.power import element_powers
from cotree.dynamics.rounding import lost_in_rounding
from cotree.engine.entry import NOTHING, call, entry
from cotree.engine.kernel import inlined, kernel
from cotree.engine.records import integers, matrix, vector
from cotree.engine.vectors import fill_rows, inner
from cotree.formulations.linalg import least_direction, pivoted_qr
from cotree.formulations.problem import (
    ASK_BIAS,
    ASK_MOTIONS,
    ASK_ROWS,
    ASK_VALUES,
    ask,
    keep_still,
    power_of,
    problem_t,
    terms_of,
    unweigh,
    weigh_rows,
)
from cotree.formulations.schur import by_independent_rows, by_pivoting, by_pivoting_alone
from cotree.formulations.solve import index1, projection, voronets
from cotree.kinematics.sweep import place_all
from cotree.system.views import open_rows, open_tables


@entry(problem_t)
def tree(p, t, q, v, v_dot):
    """v_dot of a system without constraints, by articulated bodies; status -(1 + the coordinate without inertia)."""
    tables = open_tables(p.system)
    status = ask(p, ASK_VALUES, t, q, v)
    if status < 0:
        return status
    values = matrix(p.arrays.values)
    status = articulated_bodies(tables, values, q, v, vector(p.arrays.zero), v_dot)
    put_powers(p, tables, values, v)
    if status == 0 and p.near.check:
        status = lost_in_rounding(tables.links, tables.work, tables.dof_work)
        p.near.check = False
    return -status


@kernel
def put_powers(p, tables, values, v):
    """Powers that elements supply and dissipate."""
    put_element_powers(tables, values, v, power_of(p))


@inlined
def put_element_powers(tables, values, v, power):
    """The same into an array."""
    power[0] = power[1] = 0.0
    if has_elements(tables.elements):
        power[0], power[1] = element_powers(tables.elements, tables.work, values, v)


@entry(problem_t)
def terms(p, t, q, v, _):
    """M, f, g, J, b, eta and powers at a state of a system with constraints."""
    return put_terms(p, t, q, v)


@kernel
def put_terms(p, t, q, v):
    """What `terms` does."""
    tables, rows = open_tables(p.system), open_rows(p.system)
    status = ask(p, ASK_VALUES | ASK_MOTIONS | ASK_ROWS | ASK_BIAS, t, q, v)
    if status < 0:
        return status
    a = p.arrays
    fill_terms(
        terms_of(p), p.system, tables, rows, matrix(a.values), matrix(a.motions), vector(a.zero), power_of(p), q, v
    )
    return 0


@kernel
def fill_terms(e, here, tables, rows, values, motions, zero, power, q, v):
    """The same for these tables and rows, of numbers or lanes; here: what the kinds of rows open them from."""
    inverse_dynamics(tables, values, q, v, zero, e.f)
    for j in range(v.size):
        e.f[j] = -e.f[j]
    put_element_powers(tables, values, v, power)
    fill_rows_of(e, here, tables, rows, motions, q)
    all_rows.rates_by(rows.kinds, here)
    all_rows.put_bias(rows, tables.work, motions, e.eta)
    fill_mass_matrix(tables.links, tables.dofs, tables.work, tables.dof_work, e.M)


@entry(problem_t)
def positions(p, t, q, _, __):
    """M, g, J, b at a configuration of a system with constraints."""
    tables = open_tables(p.system)
    status = ask(p, ASK_MOTIONS | ASK_ROWS, t, q, vector(p.arrays.v_in))
    if status < 0:
        return status
    fill_positions(terms_of(p), p.system, tables, open_rows(p.system), matrix(p.arrays.motions), q)
    return 0


@kernel
def fill_positions(e, here, tables, rows, motions, q):
    """The same for these tables and rows, of numbers or lanes."""
    place_all(tables, q)
    fill_rows_of(e, here, tables, rows, motions, q)
    fill_mass_matrix(tables.links, tables.dofs, tables.work, tables.dof_work, e.M)


@kernel
def fill_rows_of(e, here, tables, rows, motions, q):
    """g, J, b of all compiled rows; the links are placed. The user's own rows are the last and stay."""
    all_rows.gaps_by(rows.kinds, here, q, motions, e.g)
    all_rows.wrenches_by(rows.kinds, here)
    fill_rows(e.J, 0, rows.rows.size, 0.0)
    all_rows.put_jacobian(rows, tables.links, tables.dof_work, e.J)
    all_rows.put_speeds(rows, motions, e.b)


@kernel
def judged(p, g):
    """Tolerance of the rank at this gap, and not below the floor asked for."""
    return max(p.near.floor, rank_tolerance(g, p.near.length))


@entry(problem_t)
def by_auto(p, t, _, __, v_dot):
    """v_dot and lam from the terms; returns the rank of the rows: independent ones the fast way, else by pivoting.

    Notes how much the least row keeps beside the others. Where rows were dependent the fast way is not tried again until
    pivoting finds them all independent.
    """
    (M, J, f, eta, g, _, lam), near = terms_of(p), p.near
    if not near.dependent_rows:
        status, least = by_independent_rows(M, J, f, eta, v_dot, lam)
        if status >= -v_dot.size:
            near.smallest, near.dropped = least, 0.0
            return status
        rank = by_pivoting(M, J, eta, judged(p, g), v_dot, lam, near.certified)
    else:
        rank = by_pivoting_alone(M, J, f, eta, judged(p, g), v_dot, lam, near.certified)
        if rank < 0:
            return rank
    near.dependent_rows = rank < J.shape[0]
    note_directions(near, J, rank)
    return rank


@entry(problem_t)
def by_projection(p, t, _, __, v_dot):
    """The same by Gauss' principle with QR throughout."""
    M, J, f, eta, g, _, lam = terms_of(p)
    rank = projection(M, J, f, eta, judged(p, g), v_dot, lam, p.near.certified)
    note_directions(p.near, J, rank)
    return rank


@kernel
def note_directions(near, R, rank):
    """Sizes of the least direction kept and of the next one, relative to the largest, from the factors of pivoting."""
    if rank > 0:
        near.smallest, near.dropped = least_direction(R, rank), 0.0
        if rank < R.shape[0]:
            near.dropped = np.sqrt(inner(R[rank, rank:], R[rank, rank:])) / abs(R[0, 0])


@entry(problem_t)
def by_index1(p, t, _, __, v_dot):
    """The same by the index-1 system. Directions are noted only where no projection does so."""
    M, J, f, eta, g, _, lam = terms_of(p)
    rank = index1(M, J, f, eta, judged(p, g), v_dot, lam, p.near.certified)
    if rank > 0 and p.near.certified < 0:
        beta, pivot = np.empty(min(J.shape)), np.empty(J.shape[0], np.int64)
        note_directions(p.near, J, pivoted_qr(J, beta, pivot, judged(p, g)))
    return rank


@entry(problem_t)
def by_voronets(p, t, _, __, v_dot):
    """The same by Voronets equations; `dependent` marks the partition."""
    M, J, f, eta, g, _, lam = terms_of(p)
    dependent, wanted = integers(p.arrays.dependent), np.full(v_dot.size, -1)
    rank = voronets(M, J, f, eta, judged(p, g), v_dot, lam, dependent, wanted, p.near.certified)
    if p.near.certified < 0:
        note_directions(p.near, J, rank)
    return rank


@kernel
def narrowest(rank, most, near):
    """Size of the direction that decides whether the rank is as great as another one."""
    return near.smallest if rank >= most else near.dropped if rank == most - 1 else 0.0


@kernel
def accelerate(p, t, q, v, v_dot):
    """v_dot, multipliers and powers at (t, q, v); returns the rank of the constraint rows or a negative status."""
    if p.entries.loaded != 0:
        return call(p.entries.loaded, p.here, t, q, v, v_dot)
    return accelerate_plainly(p, t, q, v, v_dot)


@kernel
def accelerate_plainly(p, t, q, v, v_dot):
    """The same where no friction grows with the load, or with the friction given."""
    status = call(p.entries.terms, p.here, t, q, v, v_dot)
    if p.rows == 0 or status < 0:
        return status
    near, lam = p.near, vector(p.arrays.lam)
    if near.baumgarte > 0.0 and p.arrays.J.at != 0:
        _pull_back(p, v)
    weigh_rows(p)
    status = call(p.entries.solve, p.here, t, NOTHING, NOTHING, v_dot)
    unweigh(p, lam)
    keep_still(p, v_dot)
    near.narrowest = min(near.narrowest, narrowest(status, near.certified, near))
    if p.arrays.motions.m > 0 or p.asks & ASK_ROWS:  # what drivers supply: the constraint forces are -J^T lam, J v = b
        power_of(p)[0] -= inner(lam, vector(p.arrays.b))
    return status


@kernel
def _pull_back(p, v):
    """Baumgarte terms: eta - 2 k (J v - b) - k^2 g, without the last for rows that hold velocities only."""
    e, k, holonomic = terms_of(p), p.near.baumgarte, integers(p.arrays.holonomic)
    for r in range(e.eta.size):
        if holonomic[r]:
            e.eta[r] -= 2.0 * k * (inner(e.J[r], v) - e.b[r]) + k * k * e.g[r]
        else:
            e.eta[r] -= k * (inner(e.J[r], v) - e.b[r])
