"""Force elements in a sweep: springs, applied loads, forces along joint coordinates.

A force u along a coordinate of the tree is a part of tau; along that of a cut joint it is the wrench u W on body b and -u W
on body a, where W . (V_b - V_a) is the coordinate's rate.
"""

import numpy as np

from cotree.dynamics.curves import value
from cotree.engine.choosing import every, select
from cotree.engine.kernel import inlined, kernel
from cotree.engine.spans import call_span
from cotree.kinematics.cut_joint import cut_coordinate, cut_rate, cut_wrench
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, put_twist, twist, vec
from cotree.lie.vec3 import add, cross, dot, scale, sub


@inlined
def has_elements(elements):
    """Whether there are force elements: to pass all tables to a function takes longer than to move a body."""
    springs, loads, joint_forces, _, others = elements
    return springs.size + loads.size + joint_forces.size + _kinds(others) > 0


@inlined
def _kinds(others):
    """Number of registered kinds of elements; None: there are none."""
    return 0 if others is None else others.kinds.size


@inlined
def apply_elements(elements, work, dof_work, values, q, v):
    """Subtract the wrenches of all elements from the links' bias wrenches, add the joint forces to tau.

    `values` has a row of three numbers for each load, then for each motor. Links must be placed and moved.
    """
    if has_elements(elements):
        _apply(elements, work, dof_work, values, q, v)


@kernel
def _apply(elements, work, dof_work, values, q, v):
    springs, loads, joint_forces, cuts, others = elements
    for k in range(springs.size):
        s = springs[k]
        _push(work[s.link_a], spring_wrench(s, work), -1.0)
        _push(work[s.link_b], spring_wrench(s, work), 1.0)
    for k in range(loads.size):
        _push(work[loads[k].link], load_wrench(loads[k], work, vec(values[k])), -1.0)
    for k in range(joint_forces.size):
        f = joint_forces[k]
        u = joint_force(f, values, cuts, work, q, v)
        if f.cut < 0:
            dof_work[f.iv].tau += u
        else:
            W = cut_wrench(cuts[f.cut], f.component, work)
            _push(work[cuts[f.cut].link_a], W, u)
            _push(work[cuts[f.cut].link_b], W, -u)
    _apply_others(others, work, values, q, v)


@kernel
def _apply_others(others, work, values, q, v):
    """The same for elements of registered kinds; None: there are none (their spans take numbers, not lanes)."""
    if others is not None:
        put_efforts(others, values, q, v)
        for i in range(others.pieces.size):
            _push(work[others.pieces[i].link_a], twist(others.efforts[i].W), 1.0)
            _push(work[others.pieces[i].link_b], twist(others.efforts[i].W), -1.0)


@kernel
def put_efforts(others, values, q, v):
    """Wrenches of the elements of registered kinds; links are placed and have moved."""
    for k in range(others.kinds.size):
        x = others.kinds[k]
        call_span(x.wrenches, others.here, x.table, 0, 0, x.table.n, values, q, v)


@kernel
def put_effort(s, piece, W):
    """The wrench of a piece, for kinds of force elements: W on body b, its opposite on body a."""
    put_twist(s.efforts[piece].W, W)


@kernel
def put_scalar(s, piece, u):
    """What an element along a line does, as its sensor shows it."""
    s.efforts[piece].u = u


@kernel
def other_energies(others, q):
    """Potential energies of elements of registered kinds; None: there are none."""
    if others is None or others.kinds.size == 0:
        return 0.0
    sums, values = np.zeros(1), np.zeros((0, 3))
    for k in range(others.kinds.size):
        x = others.kinds[k]
        call_span(x.energies, others.here, x.table, 0, 0, x.table.n, values, q, sums)
    return sums[0]


@kernel
def add_powers(others, values, v, sums):
    """Add what they (supply, dissipate) to two numbers."""
    for k in range(others.kinds.size):
        x = others.kinds[k]
        call_span(x.powers, others.here, x.table, 0, 0, x.table.n, values, v, sums)


@kernel
def push_links(joint_forces):
    """Whether some of them act on links, across cut joints, and not along the tree's coordinates."""
    count = 0
    for k in range(joint_forces.size):
        count += joint_forces[k].cut >= 0
    return count > 0


@kernel
def _push(w, wrench, sign):
    put_twist(w.p, se3.plus_times(sign, wrench, twist(w.p)))


@kernel
def spring_state(s, work):
    """(end a, unit vector from a to b, length, rate of the length); no direction at zero length."""
    A, B = work[s.link_a], work[s.link_b]
    a, b = se3.act(pose(A.C), vec(s.point_a)), se3.act(pose(B.C), vec(s.point_b))
    d = sub(b, a)
    length = np.sqrt(dot(d, d))
    e = scale(select(length > 0.0, 1.0 / length, 0.0), d)
    rate = dot(e, sub(point_velocity(twist(B.V), b), point_velocity(twist(A.V), a)))
    return a, e, length, rate


@kernel
def point_velocity(V, x):
    """Velocity of the material point at x of a body with spatial twist V."""
    return add(V[1], cross(V[0], x))


@kernel
def spring_wrench(s, work):
    """Wrench on end a; the other end feels its opposite."""
    a, e, length, rate = spring_state(s, work)
    pull = scale(s.stiffness * (length - s.length) + s.damping * rate, e)
    return (cross(a, pull), pull)


@kernel
def load_wrench(load, work, value):
    """Wrench of an applied force or moment about the sweep's origin."""
    C = pose(work[load.link].C)
    if load.in_body:
        A = load.axes
        value = mul_vec(C[0], mul_vec((A[0], A[1], A[2], A[3], A[4], A[5], A[6], A[7], A[8]), value))
    if load.is_moment:
        return (value, (0.0, 0.0, 0.0))
    return (cross(se3.act(C, vec(load.point)), value), value)


@kernel
def joint_stretch(f, cuts, work, q):
    """Coordinate less that at which the spring is relaxed; zero where there is none."""
    if f.cut >= 0:
        return cut_coordinate(cuts[f.cut], f.component, work) - f.rest
    return q[f.iq] - f.rest if f.iq >= 0 else 0.0


@kernel
def joint_rate(f, cuts, work, v):
    """Rate of the coordinate, read from v or measured between the links."""
    return cut_rate(cuts[f.cut], f.component, work) if f.cut >= 0 else v[f.iv]


@kernel
def joint_force(f, values, cuts, work, q, v):
    """Motor torque minus spring minus damper along one coordinate."""
    rate, stretch = joint_rate(f, cuts, work, v), joint_stretch(f, cuts, work, q)
    force = -f.damping * rate - f.stiffness * stretch
    if f.elastic.n + f.resisting.n + f.driving.n > 0:
        force += value(f.driving, rate) - value(f.resisting, rate) - value(f.elastic, stretch)
    if f.slot >= 0:
        force += rubbed(f, values[f.slot, 0], rate)
    return force


@kernel
def rubbed(f, given, rate):
    """The number of a slot, which is a motor's torque; or the sliding friction of a brake, that grows with the rate and, below
    the speed of Stribeck, towards static friction."""
    if f.friction == 0 or every(given == 0.0):
        return given
    x = rate / f.speed if f.speed > 0.0 else 0.0 * rate
    more = f.excess * np.exp(-(x * x)) if f.speed > 0.0 else 0.0 * rate
    return select(given == 0.0, given, given * (1.0 + more) - f.viscous * rate)


@kernel
def rubbed_slope(f, given, rate):
    """Its derivative by the rate."""
    if f.friction == 0 or given == 0.0:
        return 0.0
    x = rate / f.speed if f.speed > 0.0 else 0.0
    more = -2.0 * x / f.speed * f.excess * np.exp(-x * x) if f.speed > 0.0 else 0.0
    return given * more - f.viscous
