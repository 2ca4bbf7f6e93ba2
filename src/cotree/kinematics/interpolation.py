"""States between two states: the quintic in the algebra that agrees with poses, velocities and accelerations at both ends.

Of sixth order in positions: q(theta) = q_0 exp(Psi(theta)), v = dexp_body(Psi) dPsi/dt, dPsi/dt = dexp_body_inv(Psi) v at the
ends.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy
from cotree.kinematics.coordinates import group_twist, is_direct, move, put_group_twist
from cotree.kinematics.motion import group_element
from cotree.lie import direct, quaternion, se3, so3
from cotree.lie.mat3 import tmul_vec
from cotree.lie.vec3 import sub
from cotree.system.tables import GROUP

NUDGE = 1e-4  # of a step: difference quotients along it are exact to 1e-8 of a bracket term, which is small itself


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
def to_algebra(links, dofs, Psi, v, out):
    """dPsi/dt = dexp_body_inv(Psi) v."""
    copy(v, out)
    for k in range(links.size):
        link = links[k]
        if link.kind == GROUP and link.rotations > 0:
            X, V = group_twist(link, Psi), group_twist(link, v)
            Y = direct.dexp_body_inv(X, V) if is_direct(link, dofs) else se3.dexp_body_inv(X, V)
            put_group_twist(link, Y, out)


@kernel
def from_algebra(links, dofs, Psi, rate, out):
    """v = dexp_body(Psi) dPsi/dt."""
    copy(rate, out)
    for k in range(links.size):
        link = links[k]
        if link.kind == GROUP and link.rotations > 0:
            X, V = group_twist(link, Psi), group_twist(link, rate)
            Y = direct.dexp_body(X, V) if is_direct(link, dofs) else se3.dexp_body(X, V)
            put_group_twist(link, Y, out)


@kernel
def between(tables, start, end, h, theta, q_out, v_out):
    """State at a fraction theta of the step of size h from one state to the other."""
    (q0, v0, a0), (q1, v1, a1) = start, end
    n = v0.size
    x1, d1, ahead, behind = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    difference(tables.links, tables.dofs, q0, q1, x1)
    to_algebra(tables.links, tables.dofs, x1, v1, d1)
    s = NUDGE * h
    Psi, rate = np.empty(n), np.empty(n)
    _nudged(s, x1, d1, v1, a1, Psi, rate)
    to_algebra(tables.links, tables.dofs, Psi, rate, ahead)
    _nudged(-s, x1, d1, v1, a1, Psi, rate)
    to_algebra(tables.links, tables.dofs, Psi, rate, behind)
    for j in range(n):
        x, d, e, c, g = x1[j], h * v0[j], h * d1[j], h * h * a0[j], h * h * (ahead[j] - behind[j]) / (2.0 * s)
        c3 = 10.0 * x - 6.0 * d - 4.0 * e - 1.5 * c + 0.5 * g
        c4 = -15.0 * x + 8.0 * d + 7.0 * e + 1.5 * c - g
        c5 = 6.0 * x - 3.0 * (d + e) - 0.5 * c + 0.5 * g
        Psi[j] = theta * (d + theta * (0.5 * c + theta * (c3 + theta * (c4 + theta * c5))))
        rate[j] = (d + theta * (c + theta * (3.0 * c3 + theta * (4.0 * c4 + theta * 5.0 * c5)))) / h
    move(tables.links, tables.dofs, q0, Psi, q_out)
    from_algebra(tables.links, tables.dofs, Psi, rate, v_out)


@kernel
def _nudged(s, x, d, v, a, x_out, v_out):
    """(x + s d, v + s a)."""
    for j in range(x.size):
        x_out[j] = x[j] + s * d[j]
        v_out[j] = v[j] + s * a[j]
