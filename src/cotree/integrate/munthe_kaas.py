"""Munthe-Kaas steps for any explicit tableau on the configuration group [Lie]: Psi_j = h sum a_jl k_l,
k_j = dexp_body_inv(Psi_j) V(q exp Psi_j), q+ = q exp(h sum b_j k_j); velocities alongside as in a vector space.

Next to a singular configuration stages are projected onto the constraints: off them the equations of motion are not
smooth there, on a branch they are.

Joints whose coordinates are plain numbers are the special case of a commutative group; quaternions that are integrated as
plain numbers move along dq/dt and are scaled back.
"""

import numpy as np

from cotree.engine.entry import entry, integers_at, matrix_at, vector_at
from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy, fill
from cotree.formulations import problem as P
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import handle_of, numbers_of
from cotree.integrate import state as S
from cotree.integrate.stabilize import project
from cotree.integrate.state import clock_of, options_of, slopes_of, state_of, tableau_of
from cotree.kinematics.coordinates import group_twist, is_direct, move, rates
from cotree.lie import direct, quaternion, se3
from cotree.system.finite import all_finite
from cotree.system.handle import open_handle
from cotree.system.tables import GROUP


@kernel
def put_group_twist(link, X, out):
    """Inverse of `group_twist`: the components that the joint has."""
    i = link.iv
    w, v = X
    if link.rotations == 3:
        out[i], out[i + 1], out[i + 2] = w
    elif link.rotations == 1:
        out[i] = w[2]
    i += link.rotations
    for k in range(3):
        if link.translations & (1 << k):
            out[i] = v[k]
            i += 1


@kernel
def algebra_rate(links, dofs, Psi, v, out):
    """dPsi/dt = dexp_body_inv(Psi) v on coordinate-free joints, v on the others."""
    copy(v, out)
    for k in range(links.size):
        link = links[k]
        if link.kind == GROUP and link.rotations > 0 and not link.vectorial:
            X, V = group_twist(link, Psi), group_twist(link, v)
            if link.translations == 0 or is_direct(link, dofs):
                put_group_twist(link, direct.dexp_body_inv(X, V), out)
            else:
                put_group_twist(link, se3.dexp_body_inv(X, V), out)


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


@entry
def step(problem, h, _, __, ___):
    """From the present state to one tried, h later. The slope at the start is known: it is that of the last state's end."""
    p = integers_at(problem, P.SIZE)
    _, links, dofs, _, _, _, _ = open_handle(handle_of(p))
    a, b, c = tableau_of(p)
    kq, kv, kx, kw = slopes_of(p)
    q, v, v_dot = state_of(p, S.NOW)
    q_new, v_new, _ = state_of(p, S.TRIAL)
    t, Psi = clock_of(p)[S.T_NOW], vector_at(p[S.PSI], v.size)
    n = v.size
    dv, dq = np.empty(n), np.empty(q.size)
    copy(v, kq[0])
    copy(v_dot, kv[0])
    copy(matrix_at(p[S.WORK], 4, 2)[3], kw[0])
    vectorial = options_of(p)[S.VECTORIAL] != 0.0
    if vectorial:
        rates(links, dofs, q, v, kx[0])
    for j in range(1, b.size):
        _combine(h, a[j], j, kq, Psi)
        _combine(h, a[j], j, kv, dv)
        move(links, dofs, q, Psi, q_new)
        if vectorial:
            _combine(h, a[j], j, kx, dq)
            put_vectorial(links, q, dq, q_new)
        for i in range(n):
            v_new[i] = v[i] + dv[i]
        if not (all_finite(q_new) and all_finite(v_new)):
            return 0
        if numbers_of(p)[P.CAREFUL] != 0.0:
            status = project(p, t + c[j] * h, 0.0, q_new, v_new)
            if status < 0:
                return status
        status = accelerate(p, t + c[j] * h, q_new, v_new, kv[j])
        if status < 0:
            return status
        copy(vector_at(p[P.POWER], 2), kw[j])
        algebra_rate(links, dofs, Psi, v_new, kq[j])
        if vectorial:
            rates(links, dofs, q_new, v_new, kx[j])
    _combine(h, b, b.size, kq, Psi)
    _combine(h, b, b.size, kv, dv)
    move(links, dofs, q, Psi, q_new)
    if vectorial:
        _combine(h, b, b.size, kx, dq)
        put_vectorial(links, q, dq, q_new)
    for i in range(n):
        v_new[i] = v[i] + dv[i]
    return 0


@kernel
def _combine(h, weights, count, k, out):
    """out = h sum of weights k over the first `count` stages."""
    fill(out, 0.0)
    for l in range(count):
        w = h * weights[l]
        if w != 0.0:
            for i in range(out.size):
                out[i] += w * k[l, i]


@kernel
def put_errors(p, h):
    """Slopes at the end of the step, and with them the differences to the embedded methods, in ERR."""
    _, links, dofs, _, _, _, _ = open_handle(handle_of(p))
    kq, kv, _, _ = slopes_of(p)
    s = p[S.STAGES]
    _, v_new, a_new = state_of(p, S.TRIAL)
    algebra_rate(links, dofs, vector_at(p[S.PSI], v_new.size), v_new, kq[s])
    copy(a_new, kv[s])
    weights, err = matrix_at(p[S.ERROR], 2, s + 1), matrix_at(p[S.ERR], 4, v_new.size)
    for i in range(2):
        _combine(h, weights[i], s + 1, kq, err[2 * i])
        _combine(h, weights[i], s + 1, kv, err[2 * i + 1])
