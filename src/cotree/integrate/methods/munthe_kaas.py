"""Munthe-Kaas steps for any explicit tableau on the configuration group [Lie]: Psi_j = h sum a_jl k_l,
k_j = dexp_body_inv(Psi_j) V(q exp Psi_j), q+ = q exp(h sum b_j k_j); velocities alongside as in a vector space.

Next to a singular configuration stages are projected onto the constraints: off them the equations of motion are not
smooth there, on a branch they are.

Joints whose coordinates are plain numbers are the special case of a commutative group; quaternions that are integrated as
plain numbers move along dq/dt and are scaled back.
"""

import numpy as np

from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.engine.vectors import all_finite, copy, fill
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import power_of
from cotree.integrate.law_states import put_stage_states, work_of
from cotree.integrate.records import errors_of, now, run_t, slopes_of, tableau_of, trial
from cotree.integrate.stabilization.projection import project
from cotree.kinematics.configuration import dexp_body_inv, move, rates
from cotree.lie import quaternion
from cotree.system.views import open_tables


@kernel
def put_vectorial(links, q, dq, out):
    """Coordinates of joints that are integrated as plain numbers: q + dq, quaternions scaled to unit length."""
    for k in range(links.size):
        link = links[k]
        if link.vectorial:
            i = link.iq
            e = (q[i] + dq[i], q[i + 1] + dq[i + 1], q[i + 2] + dq[i + 2], q[i + 3] + dq[i + 3])
            out[i], out[i + 1], out[i + 2], out[i + 3] = quaternion.normalized(e)
            for j in range(i + 4, i + 1 + link.nv):
                out[j] = q[j] + dq[j]


@entry(run_t)
def step(run, h, _, __, ___):
    """From the present state to one tried, h later. The slope at the start is known: it is that of the last state's end."""
    return through_stages(run, h, np.empty(run.problem.nv), np.empty(run.problem.nq))


@kernel
def through_stages(run, h, dv, dq):
    """The step, with room for displacements."""
    p, (a, b, c), k = run.problem, tableau_of(run), slopes_of(run)
    tables, here, there = open_tables(p.system), now(run), trial(run)
    t, Psi, vectorial = run.clock.t_now, vector(run.arrays.psi), run.options.vectorial
    copy(here.v, k.q[0])
    copy(here.v_dot, k.v[0])
    copy(work_of(run)[3], k.w[0])
    if vectorial:
        rates(tables.links, tables.dofs, here.q, here.v, k.x[0])
    for j in range(1, b.size):
        put_state(h, a[j], j, k, tables, here, there, Psi, dv, dq, vectorial)
        if not (all_finite(there.q) and all_finite(there.v)):
            return 0
        put_stage_states(run, h, a[j], j)
        if p.near.careful:
            status = project(run, t + c[j] * h, 0.0, there.q, there.v)
            if status < 0:
                return status
        status = accelerate(p, t + c[j] * h, there.q, there.v, k.v[j])
        if status < 0:
            return status
        run.counts.evaluations += 1
        copy(power_of(p), k.w[j])
        dexp_body_inv(tables.links, tables.dofs, Psi, there.v, vectorial, k.q[j])
        if vectorial:
            rates(tables.links, tables.dofs, there.q, there.v, k.x[j])
    put_state(h, b, b.size, k, tables, here, there, Psi, dv, dq, vectorial)
    put_stage_states(run, h, b, b.size)
    return 0


@kernel
def put_state(h, weights, count, k, tables, here, there, Psi, dv, dq, vectorial):
    """The state that the first slopes lead to with these weights; of one run or, on lanes, of several."""
    combine(h, weights, count, k.q, Psi)
    combine(h, weights, count, k.v, dv)
    move(tables.links, tables.dofs, here.q, Psi, there.q)
    if vectorial:
        combine(h, weights, count, k.x, dq)
        put_vectorial(tables.links, here.q, dq, there.q)
    for i in range(dv.size):
        there.v[i] = here.v[i] + dv[i]


@kernel
def combine(h, weights, count, k, out):
    """out = h sum of weights k over the first `count` stages, on numbers or lanes."""
    fill(out, 0.0)
    for l in range(count):
        if weights[l] != 0.0:
            w = h * weights[l]
            for i in range(out.size):
                out[i] += w * k[l, i]


@entry(run_t)
def put_errors(run, h, _, __, ___):
    """Slopes at the end of the step, and with them the differences to the embedded methods, in the errors."""
    tables, k, s, there = open_tables(run.problem.system), slopes_of(run), run.stages, trial(run)
    dexp_body_inv(tables.links, tables.dofs, vector(run.arrays.psi), there.v, run.options.vectorial, k.q[s])
    copy(there.v_dot, k.v[s])
    weights, err = matrix(run.arrays.error), errors_of(run)
    for i in range(2):
        combine(h, weights[i], s + 1, k.q, err[2 * i])
        combine(h, weights[i], s + 1, k.v, err[2 * i + 1])
    return 0
