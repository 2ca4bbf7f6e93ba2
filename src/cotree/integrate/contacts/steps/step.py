"""A step of Moreau and Jean's method with theta = 1/2, for all contacts, limits and brakes at once.

Forces, rows and mobility are those of the middle of the step, q_m = q exp(h v / 2); velocities in forces are the mean of those
at both ends, found in two turns. The impulses P of all candidates that act solve one problem of cones for the velocities at the
end of the step,

    v+ = v + h a_free + M^-1 W^T P,    u+ = W v+ + h/2 eta,    0 <= u+_N + e min(u-_N, 0), P_N >= 0, friction on u+_T,

with a_free and M^-1 those with the loops in force; then q+ = q exp(h (v + v+) / 2). Between impacts the order is 2, through
impacts 1. Penetrations of what stays closed are taken out after the step, as errors of loops are.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.engine.vectors import copy, copy_into, fill, inner, largest
from cotree.formulations.acceleration import judged
from cotree.formulations.problem import power_of
from cotree.integrate.contacts.steps.activity import (
    put_active,
    put_columns,
    put_cones,
    put_operator,
    put_rates,
    put_rows_of,
    room,
)
from cotree.integrate.contacts.steps.depth import take_out
from cotree.integrate.contacts.steps.measuring import put_forces, put_places
from cotree.integrate.contacts.steps.mobility import factorize, put_back, put_free, put_sum
from cotree.integrate.contacts.steps.noting import note, strikes, work_of_contacts
from cotree.integrate.contacts.steps.records import candidates_of, cone_t
from cotree.integrate.law_states import put_stage_states, work_of
from cotree.integrate.methods.munthe_kaas import put_vectorial
from cotree.integrate.records import now, slopes_of, tableau_of, trial
from cotree.kinematics.configuration import move, rates
from cotree.system.views import open_rows, open_tables
from cotree.transitions.contacts.cones import EXACT, SLIP
from cotree.transitions.contacts.solving import put_impulses

NOISE = 1e-12  # relative to the terms of which a velocity is the sum: below, it is zero
SAME = 1e-14  # relative change of velocities that leaves the impulses as they are
CREATED = 1e-9  # relative: work of impacts that is more than rounding
TURNS = 2
GLIDING = 0.25  # part of its slip that a point that slides on may change in a step


@kernel
def take_step(run, c, h):
    """From the present state to one tried, h later; 0 or a negative status."""
    p, here, k = run.problem, now(run), slopes_of(run)
    tables, t = open_tables(c.here), run.clock.t_now + 0.5 * h
    _, q_mid, v_mid, _ = room(c)
    copy(work_of(run)[3], k.w[0])
    put_stage_states(run, h, tableau_of(run)[0][1], 1)
    displace(run, tables, 0.5 * h, here.q, here.v, q_mid)
    copy(here.v, v_mid)
    status = put_forces(p, c, t, q_mid, v_mid)
    if status < 0:
        return status
    put_places(p, c, q_mid)
    status = factorize(c, matrix(c.arrays.M), matrix(c.arrays.J), judged(p, vector(c.arrays.g)[: c.rows]))
    if status < 0:
        return status
    candidates = candidates_of(c.arrays.candidates)
    active = np.empty(candidates.size, np.int64)
    active = active[: put_active(c, vector(c.arrays.g), active)]
    return with_active(run, c, h, t, tables, candidates, active)


@kernel
def with_active(run, c, h, t, tables, candidates, active):
    """The step with these candidates."""
    p, here, there = run.problem, now(run), trial(run)
    f, q_mid, v_mid, a = room(c)
    first = np.empty(active.size + 1, np.int64)
    n = 0
    for i in range(active.size):
        n += candidates[active[i]].normal + candidates[active[i]].tangents
    W, X, G = np.empty((n, p.nv)), np.empty((n, p.nv)), np.empty((n, n))
    P, u, b, eta = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    cones, modes = np.empty(active.size, cone_t), np.zeros(active.size, np.int64)
    put_rows_of(candidates, active, open_rows(c.here), tables, W, first)
    put_columns(c, candidates, active, first, W, X)
    put_operator(c, candidates, active, first, X, G)
    put_cones(c, candidates, active, first, W, here.v, h, cones, P)
    y, sizes, dv = np.empty(p.nv), np.empty(p.nv), np.zeros(p.nv)
    residual, free, lost, rebound = 0.0, np.empty(p.nv), 0.0, 1.0
    for turn in range(TURNS + 1):
        if turn == TURNS:
            if not created(candidates, active, first, W, here.v, there.v, free, eta, h, P, lost):
                break
            rebound = 0.0
            c.softened += 1
        if turn > 0:
            status = put_forces(p, c, t, q_mid, v_mid)
            if status < 0:
                return status
            run.counts.evaluations += 1
        put_free(c, f, vector(c.arrays.eta), y, a)
        for j in range(p.nv):
            free[j] = here.v[j] + h * a[j]
        if n > 0:
            put_rates(open_rows(c.here), tables.work, candidates, active, first, eta)
            if put_sides(candidates, active, first, W, here.v, free, eta, h, rebound, turn, u, b) or turn == 0:
                residual = solved(G, b, cones, P, u, modes)
            put_sum(c, candidates, active, first, X, P, y, sizes)
            put_back(c, y, dv)
        for j in range(p.nv):
            there.v[j] = free[j] + dv[j]
        if n > 0:
            still(c, free, dv, sizes, there.v)
        for j in range(p.nv):
            v_mid[j] = 0.5 * (here.v[j] + there.v[j])
        lost = work_of_contacts(candidates, active, first, W, here.v, there.v, P)
    note_residual(c, residual, active.size)
    displace(run, tables, h, here.q, v_mid, there.q)
    begun = c.impacts + c.lost
    note(run, c, h, candidates, active, first, W, here.v, free, eta, P, modes, lost)
    power = power_of(p)
    kw, more = slopes_of(run).w[1], work_of(run)[2][power.size :]
    copy_into(power, kw)
    if c.impacts + c.lost > begun:
        more[0] += lost
    else:
        kw[1] += lost / h
    copy_into(vector(c.arrays.report), more[1:])
    lifted = c.lifted
    take_out(c, tables, candidates, active, first, W, X, G, P, there)
    more[0] += c.lifted - lifted
    return 0


@kernel
def displace(run, tables, h, q, v, out):
    """out = q exp(h v)."""
    dq = np.empty(v.size)
    for j in range(v.size):
        dq[j] = h * v[j]
    move(tables.links, tables.dofs, q, dq, out)
    if run.options.vectorial:
        x = np.zeros(q.size)
        rates(tables.links, tables.dofs, q, dq, x)
        put_vectorial(tables.links, q, x, out)


@kernel
def solved(G, b, cones, P, u, modes):
    """Impulses from those of the last step, and from none where these do not lead to a solution; the residual."""
    begin = P.copy()
    residual = put_impulses(G, b, cones, P, u, modes)
    if residual <= EXACT:
        return residual
    copy(P, begin)
    fill(P, 0.0)
    other = put_impulses(G, b, cones, P, u, modes)
    if other <= residual:
        return other
    copy(begin, P)
    return put_impulses(G, b, cones, P, u, modes)


@kernel
def put_sides(candidates, active, first, W, v, free, eta, h, rebound, turn, u, b):
    """b of u = G P + b; whether it has changed by more than rounding. rebound: 1, or 0 for none; u: of the last turn."""
    change, size = 0.0, 0.0
    for i in range(active.size):
        one, f = candidates[active[i]], first[i]
        slides = turn > 0 and glides(one, W, v, eta, 0.5 * h, u, f + one.normal)
        for r in range(f, first[i + 1]):
            before, new = inner(W[r], v) - 0.5 * h * eta[r], inner(W[r], free) + 0.5 * h * eta[r]
            if one.normal == 1 and r == f:
                new += rebound * one.restitution * min(before, 0.0)
            elif slides:
                new += before
            change, size = max(change, abs(new - b[r])), max(size, abs(new))
            b[r] = new
    return change > SAME * size


@kernel
def glides(one, W, v, eta, half, u, f):
    """Whether a point has slid before and changes its slip by little: its friction is then against the mean of the slips at
    both ends, which has the order of the method; against that at the end where it may come to stick. f: its first tangent."""
    if one.tangents == 0 or one.state != SLIP:
        return False
    size, change = 0.0, 0.0
    for r in range(f, f + one.tangents):
        before = inner(W[r], v) - half * eta[r]
        size += before * before
        change += (u[r] - before) ** 2
    return change < GLIDING * GLIDING * size


@kernel
def created(candidates, active, first, W, before, after, free, eta, h, P, lost):
    """Whether impacts have created energy: with friction, Newton's law of restitution can (Kane)."""
    if lost >= 0.0:
        return False
    size, rebounds = 0.0, False
    for i in range(active.size):
        one, f = candidates[active[i]], first[i]
        for r in range(f, first[i + 1]):
            size += abs(P[r]) * (abs(inner(W[r], before)) + abs(inner(W[r], after)))
        if one.normal == 1 and one.restitution > 0.0 and P[f] > 0.0:
            rebounds = rebounds or strikes(W[f], before, free, 0.5 * h * eta[f])
    return rebounds and -lost > CREATED * size


@kernel
def still(c, free, dv, sizes, v):
    """Velocities that are rounding errors of what they are the difference of become zero: what sticks does not creep."""
    M, scale = matrix(c.arrays.M), largest(sizes)
    for j in range(v.size):
        if abs(v[j]) <= NOISE * (abs(free[j]) + abs(dv[j])) or abs(v[j]) * np.sqrt(M[j, j]) <= NOISE * scale:
            v[j] = 0.0


@kernel
def note_residual(c, residual, count):
    """Statistics of the cones."""
    c.worst, c.most = max(c.worst, residual), max(c.most, count)
    if not residual <= EXACT:
        c.unsolved += 1
