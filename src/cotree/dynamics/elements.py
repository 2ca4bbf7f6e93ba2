"""Force elements in a sweep: springs, applied loads, forces along joint coordinates."""

import numpy as np

from cotree._kernel import kernel
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, put_twist, twist, vec
from cotree.lie.vec3 import add, cross, dot, scale, sub


@kernel
def apply_elements(elements, work, dof_work, values, q, v):
    """Subtract the wrenches of all elements from the links' bias wrenches, add the joint forces to tau.

    `values` has a row of three numbers for each load, then for each motor. Links must be placed and moved.
    """
    springs, loads, joint_forces = elements
    for k in range(springs.size):
        s = springs[k]
        _push(work[s.link_a], spring_wrench(s, work), -1.0)
        _push(work[s.link_b], spring_wrench(s, work), 1.0)
    for k in range(loads.size):
        _push(work[loads[k].link], load_wrench(loads[k], work, vec(values[k])), -1.0)
    for k in range(joint_forces.size):
        f = joint_forces[k]
        dof_work[f.iv].tau += joint_force(f, values, q, v)


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
    e = scale(1.0 / length, d) if length > 0.0 else (0.0, 0.0, 0.0)
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
def joint_force(f, values, q, v):
    """Motor torque minus spring minus damper along one coordinate."""
    force = -f.damping * v[f.iv]
    if f.iq >= 0:
        force -= f.stiffness * (q[f.iq] - f.rest)
    if f.slot >= 0:
        force += values[f.slot, 0]
    return force
