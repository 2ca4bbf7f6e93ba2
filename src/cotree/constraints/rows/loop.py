"""Loop closure: rows of cut joints, and of joints that close during a run [Geo (12), (34) to (38), Reg (20) to (23)].

With T = C F the joint frame on one of the two bodies: relative pose N = T_a^-1 T_b; residual select . log(what is left of N
when the joint's own motion is taken off); velocity select . Ad_T^-1 (V_b - V_a) = 0, so that the wrenches are
Ad_T^-T select^T; acceleration select . Ad_T^-1 (dV_b/dt - dV_a/dt + [V_b, V_a]) = 0.

In absolute coordinates a joint with a common point that keeps all its rows holds it in world axes: residual x_b - x_a, velocity
v_b(x_b) - v_a(x_a), which is its derivative also where the joint is open. In axes that turn with a body, errors of integration
turn too, and unstabilized runs on SO(3) x R3 drift away by orders of magnitude, see [Lie] (41), (45), (48).
"""

from typing import Any

import numpy as np

from cotree.constraints.jets import crossed, direction, motion_of, plus, point, put_carried_jets, put_jets, still, times
from cotree.constraints.row_wrench import put_pair, put_pair_rate, put_rate_between, velocity_at
from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_frames, unwrapped
from cotree.lie import se3, so3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import twist, vec
from cotree.lie.vec3 import add, cross, dot, neg, scale, sub
from cotree.model.constraints import Closing
from cotree.system.cuts import padded, put_all_rows, put_motion
from cotree.system.links import flat
from cotree.system.row_kinds import ASKED, RowKind, register, row_gaps, row_jets, row_rates, row_wrenches
from cotree.system.rows import RowBuilder
from cotree.system.tables import cut_t


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
    p = sub(B[1], A[1])
    if cut.universal:
        if not cut.world:
            p = N[1] if cut.on_a else neg(se3.inverse(N)[1])
        a, b = vec(cut.axis_a), mul_vec(N[0], vec(cut.axis_b))
        return (p, (dot(vec(cut.axis_a), vec(cut.axis_b)) - dot(a, b), 0.0, 0.0))
    h = se3.inverse(joint_part(cut, N))
    w, v = se3.log(se3.compose(N, h)) if cut.on_a else se3.log(se3.compose(h, N))
    return (w, p if cut.world else v)


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
def moment_and_force(cut, k, R, normal):
    """(m, f) of row k, in the world: it holds f . (v_b - v_a) of the joint's point and m . (w_b - w_a)."""
    s, i = cut.select, 6 * k
    if cut.universal:
        m, f = scale(s[i + 3], normal), (s[i], s[i + 1], s[i + 2])
    else:
        m, f = mul_vec(R, (s[i], s[i + 1], s[i + 2])), (s[i + 3], s[i + 4], s[i + 5])
    return m, (f if cut.world else mul_vec(R, f))


@row_gaps(cut_t)
def put_gaps(cut, base, s, motions, q, g):
    gap = cut_gap(cut, s.work)
    for k in range(cut.kept):
        g[base + cut.row + k] = selected(cut, k, gap)


@row_wrenches(cut_t)
def put_wrenches(cut, base, s):
    A, B = cut_frames(cut, s.work)
    T, normal = A if cut.on_a else B, universal_normal(cut, A, B)
    a, b = (A[1], B[1]) if cut.world else (T[1], T[1])
    for k in range(cut.kept):
        m, f = moment_and_force(cut, k, T[0], normal)
        put_pair(s, base + cut.piece + k, (add(m, cross(a, f)), f), (add(m, cross(b, f)), f))
    return 0


@row_rates(cut_t)
def put_rates(cut, base, s):
    """Wrenches move with the body that carries T; but for forces in world axes, whose points move with their bodies, and for
    the normal of the two axes of a universal joint."""
    Va, Vb = twist(s.work[cut.link_a].V), twist(s.work[cut.link_b].V)
    V = Va if cut.on_a else Vb
    if not (cut.world or cut.universal):
        for k in range(cut.kept):
            i = base + cut.piece + k
            put_rate_between(s, i, se3.cobracket(V, twist(s.wrenches[i].Wb)))
        return
    A, B = cut_frames(cut, s.work)
    T, normal = A if cut.on_a else B, universal_normal(cut, A, B)
    a, b = velocity_at(V, T[1]), velocity_at(V, T[1])
    if cut.world:
        a, b = velocity_at(Va, A[1]), velocity_at(Vb, B[1])
    turning = _normal_rate(cut, A, B, Va[0], Vb[0])
    for k in range(cut.kept):
        m, f = moment_and_force(cut, k, T[0], normal)
        m_dot = scale(cut.select[6 * k + 3], turning) if cut.universal else cross(V[0], m)
        f_dot = (0.0, 0.0, 0.0) if cut.world else cross(V[0], f)
        more = add(m_dot, cross(T[1], f_dot))
        put_pair_rate(s, base + cut.piece + k, (add(more, cross(a, f)), f_dot), (add(more, cross(b, f)), f_dot))


@kernel
def _normal_rate(cut, A, B, wa, wb):
    """d(a x b)/dt."""
    a, b = mul_vec(A[0], vec(cut.axis_a)), mul_vec(B[0], vec(cut.axis_b))
    return add(cross(cross(wa, a), b), cross(a, cross(wb, b)))


@row_jets(cut_t)
def put_changes(cut, base, s, m, a, out):
    """As `put_rates`: wrenches move with the body that carries T, but for forces in world axes and for universal joints."""
    k, on_a, on_b = int(a[0]) - base - cut.piece, motion_of(m, 0), motion_of(m, 1)
    carrier = on_a if cut.on_a else on_b
    if not (cut.world or cut.universal):
        put_carried_jets(out, twist(s.wrenches[int(a[0])].Wb), carrier)
        return
    A, B = cut_frames(cut, s.work)
    T = A if cut.on_a else B
    moment, force = moment_and_force(cut, k, T[0], universal_normal(cut, A, B))
    m_jet = direction(moment, carrier)
    if cut.universal:
        first, second = mul_vec(A[0], vec(cut.axis_a)), mul_vec(B[0], vec(cut.axis_b))
        m_jet = times(cut.select[6 * k + 3], crossed(direction(first, on_a), direction(second, on_b)))
    f_jet, x = direction(force, carrier), point(T[1], carrier)
    x_a, x_b = x, x
    if cut.world:
        f_jet, x_a, x_b = still(force), point(A[1], on_a), point(B[1], on_b)
    put_jets(out, plus(m_jet, crossed(x_a, f_jet)), plus(m_jet, crossed(x_b, f_jet)), f_jet)


def carrier(cut: Any) -> int:
    """The link that carries the wrenches."""
    return ASKED if cut["world"] or cut["universal"] else 0 if cut["on_a"] else 1


def fill(c: Closing, x: Any, build: RowBuilder) -> None:
    """A joint that has closed: its frames on both bodies, and all that it holds."""
    place = build.place
    x["body_a"], x["body_b"] = place.rows[c.body_a], place.rows[c.body_b]
    x["link_a"], x["link_b"] = place.link(c.body_a), place.link(c.body_b)
    x["frame_a"] = flat(place.frames[place.rows[c.body_a]] @ c.frame_a)
    x["frame_b"] = flat(place.frames[place.rows[c.body_b]] @ c.frame_b)
    put_motion(x, c.joint)
    put_all_rows(x, c.joint, False)
    if c.held is not None:
        x["full"] = x["kept"] = len(c.held)
        x["select"] = padded(np.eye(6)[list(c.held)])
    for _ in range(c.rows):
        build.row()
        build.between(c.body_a, c.body_b)


register(
    RowKind(
        Closing,
        cut_t,
        put_gaps,
        put_wrenches,
        put_rates,
        fill,
        jets=put_changes,
        carrier=carrier,
        on_lanes=True,
        shared=("pitch",),
    )
)
