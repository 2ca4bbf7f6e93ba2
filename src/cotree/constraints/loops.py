"""Loop closure: residual, Jacobian and acceleration right-hand side of cut joints [Geo (12), (34) to (38), Reg (20) to (23)].

With T = C F the joint frame on one of the two bodies: relative pose N = T_a^-1 T_b; residual select . log(what is left of N
when the joint's own motion is taken off); velocity select . Ad_T^-1 (V_b - V_a) = 0; acceleration
select . Ad_T^-1 (dV_b/dt - dV_a/dt + [V_b, V_a]) = 0. Each costs O(length of the loop).
"""

import numpy as np

from cotree.constraints.row_wrench import clear_null_row
from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_frames, unwrapped
from cotree.lie import se3, so3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import twist, vec
from cotree.lie.vec3 import add, cross, dot, neg, scale, sub


@kernel
def joint_part(cut, N):
    """The motion of the joint nearest to N."""
    R, p = N
    turn = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    if cut.rotations == 3:
        turn = R
    elif cut.rotations == 1:
        turn = so3.exp_unit((0.0, 0.0, 1.0), np.arctan2(R[3] - R[1], R[0] + R[4]))
    x = p[0] if cut.translations & 1 else 0.0
    y = p[1] if cut.translations & 2 else 0.0
    z = p[2] if cut.translations & 4 else 0.0
    if cut.pitch != 0.0:
        z = cut.pitch * unwrapped(np.arctan2(R[3] - R[1], R[0] + R[4]), p[2] / cut.pitch)
    return (turn, (x, y, z))


@kernel
def cut_gap(cut, work):
    """Six numbers (four for a universal joint, then zeros) that vanish when the joint is closed."""
    A, B = cut_frames(cut, work)
    N = se3.compose(se3.inverse(A), B)
    if cut.universal:
        p = N[1] if cut.on_a else neg(se3.inverse(N)[1])
        a, b = vec(cut.axis_a), mul_vec(N[0], vec(cut.axis_b))
        return (p, (dot(vec(cut.axis_a), vec(cut.axis_b)) - dot(a, b), 0.0, 0.0))
    h = se3.inverse(joint_part(cut, N))
    return se3.log(se3.compose(N, h)) if cut.on_a else se3.log(se3.compose(h, N))


@kernel
def selected(cut, k, X):
    """Row k of `select` times six numbers."""
    s = cut.select
    i = 6 * k
    return (s[i] * X[0][0] + s[i + 1] * X[0][1] + s[i + 2] * X[0][2]) + (
        s[i + 3] * X[1][0] + s[i + 4] * X[1][1] + s[i + 5] * X[1][2]
    )


@kernel
def universal_normal(cut, A, B):
    """a x b of the two axes, in the world."""
    return cross(mul_vec(A[0], vec(cut.axis_a)), mul_vec(B[0], vec(cut.axis_b)))


@kernel
def held(cut, T, normal, X):
    """What the rows select from: the twist X in frame T; for a universal joint (v, normal . w)."""
    w, v = se3.Ad_inv(T, X)
    if cut.universal:
        return (v, (dot(normal, X[0]), 0.0, 0.0))
    return (w, v)


@kernel
def cut_row_wrench(cut, k, T, normal):
    """W with W . X what row k selects of the twist X."""
    s = cut.select
    if cut.universal:
        i = 6 * k
        W = se3.coAd(T, ((0.0, 0.0, 0.0), (s[i], s[i + 1], s[i + 2])))
        return se3.plus(W, (scale(s[i + 3], normal), (0.0, 0.0, 0.0)))
    i = 6 * k
    return se3.coAd(T, ((s[i], s[i + 1], s[i + 2]), (s[i + 3], s[i + 4], s[i + 5])))


@kernel
def put_residual(cuts, work, g):
    for c in range(cuts.size):
        gap = cut_gap(cuts[c], work)
        for k in range(cuts[c].kept):
            g[cuts[c].row + k] = selected(cuts[c], k, gap)


@kernel
def put_jacobian(cuts, links, work, dof_work, J):
    """Add the rows of the cut joints; J must be zero before. Screws common to both sides cancel."""
    for c in range(cuts.size):
        cut = cuts[c]
        A, B = cut_frames(cut, work)
        T = A if cut.on_a else B
        normal = universal_normal(cut, A, B)
        _add_path(cut, cut.link_b, 1.0, T, normal, links, dof_work, J)
        _add_path(cut, cut.link_a, -1.0, T, normal, links, dof_work, J)
        for k in range(cut.kept):
            W = cut_row_wrench(cut, k, T, normal)
            clear_null_row(J, cut.row + k, W, cut.link_a, cut.link_b, links, dof_work)


@kernel
def _add_path(cut, link, sign, T, normal, links, dof_work, J):
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            X = held(cut, T, normal, twist(dof_work[j].S))
            for k in range(cut.kept):
                J[cut.row + k, j] += sign * selected(cut, k, X)
        link = links[link].parent


@kernel
def put_bias(cuts, work, eta):
    """eta with J v_dot = eta; `a` of the links must hold their accelerations for v_dot = 0."""
    for c in range(cuts.size):
        cut = cuts[c]
        A, B = cut_frames(cut, work)
        T = A if cut.on_a else B
        a, b = work[cut.link_a], work[cut.link_b]
        Va, Vb = twist(a.V), twist(b.V)
        rest = se3.plus(se3.minus(twist(b.a), twist(a.a)), se3.bracket(Vb, Va))
        normal = universal_normal(cut, A, B)
        X = held(cut, T, normal, rest)
        if cut.universal:
            X = (
                X[0],
                (dot(normal, sub(twist(b.a)[0], twist(a.a)[0])) + _normal_rate(cut, A, B, Va[0], Vb[0]), 0.0, 0.0),
            )
        for k in range(cut.kept):
            eta[cut.row + k] = -selected(cut, k, X)


@kernel
def _normal_rate(cut, A, B, wa, wb):
    """d(a x b)/dt . (w_b - w_a)."""
    a, b = mul_vec(A[0], vec(cut.axis_a)), mul_vec(B[0], vec(cut.axis_b))
    rate = add(cross(cross(wa, a), b), cross(a, cross(wb, b)))
    return dot(rate, sub(wb, wa))
