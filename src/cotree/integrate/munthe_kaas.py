"""Munthe-Kaas steps for any explicit tableau on the configuration group [Lie]: Psi_j = h sum a_jl k_l,
k_j = dexp_body_inv(Psi_j) V(q exp Psi_j), q+ = q exp(h sum b_j k_j); velocities alongside as in a vector space.

Joints whose coordinates are plain numbers are the special case of a commutative group; quaternions that are integrated as
plain numbers move along dq/dt and are scaled back.
"""

import numpy as np

from cotree._kernel import kernel
from cotree.formulations.acceleration import acceleration
from cotree.kinematics.coordinates import group_twist, is_direct, move, rates
from cotree.lie import direct, quaternion, se3
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
    out[:] = v
    for k in range(links.size):
        link = links[k]
        if link.kind == GROUP and link.rotations > 0 and not link.vectorial:
            X, V = group_twist(link, Psi), group_twist(link, v)
            if is_direct(link, dofs):
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


@kernel
def step(handle, values, motions, formulation, length, a, b, error, h, q, v, q_new, v_new, err_q, err_v, lam):
    """One step of size h; returns the rank of the last stage, or a negative status. err_*: the embedded method's errors."""
    _, links, dofs, _, _, _, _ = open_handle(handle)
    s, n = b.size, v.size
    kq, kv, kx = np.empty((s, n)), np.empty((s, n)), np.empty((s, q.size))
    Psi, dv, dq, qs, vs = np.empty(n), np.empty(n), np.empty(q.size), np.empty(q.size), np.empty(n)
    status = 0
    for j in range(s):
        Psi[:], dv[:], dq[:] = 0.0, 0.0, 0.0
        for l in range(j):
            if a[j, l] != 0.0:
                Psi += h * a[j, l] * kq[l]
                dv += h * a[j, l] * kv[l]
                dq += h * a[j, l] * kx[l]
        move(links, dofs, q, Psi, qs)
        put_vectorial(links, q, dq, qs)
        vs[:] = v + dv
        status = acceleration(handle, values, motions, formulation, length, qs, vs, kv[j], lam)
        if status < 0:
            return status
        algebra_rate(links, dofs, Psi, vs, kq[j])
        rates(links, dofs, qs, vs, kx[j])
    Psi[:], dv[:], dq[:] = 0.0, 0.0, 0.0
    err_q[:], err_v[:] = 0.0, 0.0
    for j in range(s):
        Psi += h * b[j] * kq[j]
        dv += h * b[j] * kv[j]
        dq += h * b[j] * kx[j]
        if error.size > 0:
            err_q += h * error[j] * kq[j]
            err_v += h * error[j] * kv[j]
    move(links, dofs, q, Psi, q_new)
    put_vectorial(links, q, dq, q_new)
    v_new[:] = v + dv
    return status
