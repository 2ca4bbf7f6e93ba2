"""A Munthe-Kaas step of several runs at once, each of its own size: what `munthe_kaas.step`, the projection and the estimate of
the errors do for one, by the same kernels.

Lanes that come to nothing (rows that depend on each other, loops that do not close, numbers that are not finite) have NaN in
`least`; others are not touched by them.
"""

import numpy as np

from cotree.engine.choosing import select, some
from cotree.engine.entry import NOTHING, call, entry
from cotree.engine.kernel import kernel
from cotree.engine.lane_records import lane_matrix_at, lane_vector
from cotree.engine.records import matrix, vector
from cotree.engine.vectors import copy, fill, inner, largest
from cotree.formulations.pack import evaluate, pack_t, pack_terms
from cotree.integrate.methods.munthe_kaas import combine, put_state
from cotree.integrate.records import Slopes, State
from cotree.integrate.stabilization.projection import ITERATIONS, mass_norm
from cotree.judge import CLOSED, ROUNDING
from cotree.kinematics.configuration import dexp_body_inv, move, rates
from cotree.kinematics.interpolation import between_in
from cotree.system.lane_tables import lane_tables


@kernel
def slopes(p):
    """`Slopes` of all lanes."""
    a, s = p.arrays, p.stages + 1
    return Slopes(
        lane_matrix_at(a.kq.at, s, p.nv),
        lane_matrix_at(a.kv.at, s, p.nv),
        lane_matrix_at(a.kx.at, s, p.nq),
        lane_matrix_at(a.kw.at, s, 2),
    )


@entry(pack_t)
def step(p, _, __, ___, ____):
    """From the present states to those tried, with their accelerations and errors; negative where no lane comes to anything."""
    a, k, s, tables = p.arrays, slopes(p), p.stages, lane_tables(p.system)
    A, b, h = matrix(a.tableau), vector(a.weights), lane_vector(a.size)[0]
    here = State(lane_vector(a.q_now), lane_vector(a.v_now), lane_vector(a.a_now))
    there = State(lane_vector(a.q), lane_vector(a.v), lane_vector(a.a))
    Psi, dv, dq, power = lane_vector(a.psi), lane_vector(a.dv), lane_vector(a.dq), lane_vector(a.power)
    copy(here.v, k.q[0])
    copy(here.v_dot, k.v[0])
    copy(lane_vector(a.power_now), k.w[0])
    if p.vectorial:
        rates(tables.links, tables.dofs, here.q, here.v, k.x[0])
    for j in range(1, s + 1):
        put_state(h, A[j] if j < s else b, j, k, tables, here, there, Psi, dv, dq, p.vectorial)
        if j == s and p.stabilize and call(p.entries.project, p.here, 0.0, NOTHING, NOTHING, NOTHING) < 0:
            return -1
        if evaluate(p) < 0:
            return -1
        if j < s or p.adaptive:
            copy(there.v_dot, k.v[j])
            dexp_body_inv(tables.links, tables.dofs, Psi, there.v, p.vectorial, k.q[j])
        if j < s:
            copy(power, k.w[j])
            if p.vectorial:
                rates(tables.links, tables.dofs, there.q, there.v, k.x[j])
    if p.adaptive:
        _put_errors(p, k, h)
    return 0


@kernel
def _put_errors(p, k, h):
    """Differences to the embedded methods."""
    weights, err = matrix(p.arrays.error), lane_matrix_at(p.arrays.err.at, 4, p.nv)
    for i in range(2):
        combine(h, weights[i], p.stages + 1, k.q, err[2 * i])
        combine(h, weights[i], p.stages + 1, k.v, err[2 * i + 1])


@entry(pack_t)
def between_steps(p, _, __, ___, ____):
    """States (q, v) between the ends of a step, on the constraints."""
    a, n, nq = p.arrays, p.nv, p.nq
    ends, room = lane_vector(a.ends), lane_matrix_at(a.room.at, 6, n)
    start = State(ends[:nq], ends[nq : nq + n], ends[nq + n : nq + 2 * n])
    rest = ends[nq + 2 * n :]
    end = State(rest[:nq], rest[nq : nq + n], rest[nq + n :])
    where, least = lane_vector(a.where), lane_vector(a.least)
    between_in(room, lane_tables(p.system), start, end, where[0], where[1], lane_vector(a.q), lane_vector(a.v))
    least[2] = 0.0 * where[0]
    return call(p.entries.project, p.here, 0.0, NOTHING, NOTHING, NOTHING) if p.stabilize else 0


@entry(pack_t)
def project(p, _, __, ___, ____):
    """Newton steps on q, as many as each lane needs, then one linear correction of v; their sizes in `corrections`."""
    a, e, tables = p.arrays, pack_terms(p), lane_tables(p.system)
    q, v, x, moved, least = (
        lane_vector(a.q), lane_vector(a.v), lane_vector(a.x), lane_vector(a.moved), lane_vector(a.least),
    )  # fmt: skip
    h, length, corrections = lane_vector(a.size)[0], lane_vector(a.length)[0], lane_vector(a.corrections)
    before, going, size = np.inf + 0.0 * length, 1.0 + 0.0 * length, 0.0 * length
    fill(corrections, 0.0)
    fill(e.f, 0.0)
    for k in range(ITERATIONS + 1):
        call(p.entries.positions, p.here, 0.0, NOTHING, NOTHING, NOTHING)
        size = largest(e.g)
        going = select(size <= ROUNDING * length, 0.0, select(size < 0.5 * before, going, 0.0))
        if k == ITERATIONS or not some(going > 0.0):
            break
        before = size
        for r in range(p.rows):
            e.eta[r] = -e.g[r]
        if call(p.entries.solve, p.here, 0.0, NOTHING, NOTHING, NOTHING) < 0:
            return -1
        least[2] += select(going > 0.0, least[0], 0.0)
        corrections[0] += select(going > 0.0, h * mass_norm(e.M, x), 0.0)
        move(tables.links, tables.dofs, q, x, moved)
        for i in range(q.size):
            q[i] = select(going > 0.0, moved[i], q[i])
    for r in range(p.rows):
        e.eta[r] = e.b[r] - inner(e.J[r], v)
    if call(p.entries.solve, p.here, 0.0, NOTHING, NOTHING, NOTHING) < 0:
        return -1
    least[2] += select(size <= CLOSED * length, least[0], np.nan)
    corrections[1] += h * mass_norm(e.M, x)
    for j in range(p.nv):
        v[j] += x[j]
    return 0
