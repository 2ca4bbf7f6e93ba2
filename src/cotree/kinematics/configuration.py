"""The configuration group: one factor for each coordinate-free joint, and R for every other coordinate.

q moves by q exp(Psi), with Psi in velocity coordinates; `dexp_body_inv` is the right-hand side of Munthe-Kaas methods, and
dense output and the errors of steps are measured by `difference`. How such a joint stores its element is known in this file
and in `motion.group_element` only. On SE(3) the factor of a joint is the semidirect product, on SO(3) x R3 the direct one.
"""

from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy
from cotree.kinematics.motion import group_element
from cotree.lie import direct, quaternion, se3, so3
from cotree.lie.mat3 import mul_vec, tmul_vec
from cotree.lie.vec3 import sub
from cotree.system.tables import GROUP


@kernel
def group_twist(link, v):
    """Velocity coordinates of a coordinate-free joint as a twist in the joint frame."""
    i = link.iv
    w = (0.0, 0.0, 0.0)
    if link.rotations == 3:
        w = (v[i], v[i + 1], v[i + 2])
    elif link.rotations == 1:
        w = (0.0, 0.0, v[i])
    i += link.rotations
    x = y = z = 0.0
    if link.translations & 1:
        x = v[i]
        i += 1
    if link.translations & 2:
        y = v[i]
        i += 1
    if link.translations & 4:
        z = v[i]
    return (w, (x, y, z))


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
def put_translations(link, p, out):
    """Write the translations that a coordinate-free joint has, behind its rotation."""
    i = link.iq + (4 if link.rotations == 3 else link.rotations)
    for k in range(3):
        if link.translations & (1 << k):
            out[i] = p[k]
            i += 1


@kernel
def is_direct(link, dofs):
    """Whether a coordinate-free joint's translations are measured in the parent (SO(3) x R3)."""
    if link.rotations == 0 or link.translations == 0:
        return False
    return dofs[link.iv].carried != dofs[link.iv + link.nv - 1].carried


@kernel
def rates(links, dofs, q, v, out):
    """dq/dt for velocities v."""
    for j in range(dofs.size):
        if dofs[j].iq >= 0:
            out[dofs[j].iq] = v[j]
    for k in range(links.size):
        link = links[k]
        if link.kind != GROUP:
            continue
        w, u = group_twist(link, v)
        i = link.iq
        if link.rotations == 3:
            e = quaternion.rates((q[i], q[i + 1], q[i + 2], q[i + 3]), w)
            out[i], out[i + 1], out[i + 2], out[i + 3] = e
        if not is_direct(link, dofs):
            u = mul_vec(group_element(link, q)[0], u)
        put_translations(link, u, out)


@kernel
def move(links, dofs, q, v, out):
    """q moved along v for unit time: N exp(v) on coordinate-free joints, q + v on the others."""
    for j in range(dofs.size):
        if dofs[j].iq >= 0:
            out[dofs[j].iq] = q[dofs[j].iq] + v[j]
    for k in range(links.size):
        link = links[k]
        if link.kind != GROUP:
            continue
        w, u = group_twist(link, v)
        i = link.iq
        if link.rotations == 3:
            e = quaternion.mul((q[i], q[i + 1], q[i + 2], q[i + 3]), quaternion.exp(w))
            out[i], out[i + 1], out[i + 2], out[i + 3] = quaternion.normalized(e)
        if link.translations == 0:
            continue
        N = group_element(link, q)
        if is_direct(link, dofs):
            p = (N[1][0] + u[0], N[1][1] + u[1], N[1][2] + u[2])
        else:
            p = se3.act(N, so3.dexp_spatial(w, u))
        put_translations(link, p, out)


@kernel
def difference(links, dofs, q0, q1, out):
    """Psi with q1 = q0 exp(Psi): inverse of `move`, for turns below pi."""
    for j in range(dofs.size):
        if dofs[j].iq >= 0:
            out[j] = q1[dofs[j].iq] - q0[dofs[j].iq]
    for k in range(links.size):
        link = links[k]
        if link.kind != GROUP:
            continue
        N0, N1 = group_element(link, q0), group_element(link, q1)
        d, i = sub(N1[1], N0[1]), link.iq
        w = (0.0, 0.0, 0.0)
        if link.rotations == 3:
            e0, e1 = (q0[i], -q0[i + 1], -q0[i + 2], -q0[i + 3]), (q1[i], q1[i + 1], q1[i + 2], q1[i + 3])
            w = quaternion.log(quaternion.mul(e0, e1))
        elif link.rotations == 1:
            w = (0.0, 0.0, q1[i] - q0[i])
        if not is_direct(link, dofs):
            d = so3.dexp_spatial_inv(w, tmul_vec(N0[0], d))
        put_group_twist(link, (w, d), out)


@kernel
def dexp_body_inv(links, dofs, Psi, v, vectorial, out):
    """dPsi/dt = dexp_body_inv(Psi) v on coordinate-free joints, v on the others.

    vectorial: whether quaternions that are integrated as plain numbers count as such."""
    copy(v, out)
    for k in range(links.size):
        link = links[k]
        if link.kind == GROUP and link.rotations > 0 and not (vectorial and link.vectorial):
            X, V = group_twist(link, Psi), group_twist(link, v)
            if link.translations == 0 or is_direct(link, dofs):
                put_group_twist(link, direct.dexp_body_inv(X, V), out)
            else:
                put_group_twist(link, se3.dexp_body_inv(X, V), out)


@kernel
def dexp_body(links, dofs, Psi, rate, out):
    """v = dexp_body(Psi) dPsi/dt, the inverse of `dexp_body_inv`."""
    copy(rate, out)
    for k in range(links.size):
        link = links[k]
        if link.kind == GROUP and link.rotations > 0:
            X, V = group_twist(link, Psi), group_twist(link, rate)
            if link.translations == 0 or is_direct(link, dofs):
                put_group_twist(link, direct.dexp_body(X, V), out)
            else:
                put_group_twist(link, se3.dexp_body(X, V), out)
