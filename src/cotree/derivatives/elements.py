"""Derivatives of the forces of springs, dampers and motors; those of loads are in `composites`, of registered kinds in
`functions`."""

from cotree.derivatives.between import add_change, add_change_by_velocity, find_path
from cotree.derivatives.motion import twist_change
from cotree.derivatives.rows import put_six
from cotree.dynamics.curves import slope
from cotree.dynamics.elements import (
    joint_force,
    joint_rate,
    joint_stretch,
    point_velocity,
    rubbed_slope,
    spring_state,
)
from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_wrench, relative
from cotree.kinematics.motion import ZERO
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.lie.vec3 import add, axpy, cross, dot, scale, sub


@kernel
def add_elements(tables, values, q, v, rates, path, dq, dv):
    """Subtract the derivatives of the generalized forces from those of inverse dynamics.

    Returns 0, or 1 + the number of a spring of no length, whose direction is not known.
    """
    springs, _, joint_forces, cuts, _ = tables.elements
    status = 0
    for k in range(springs.size):
        s = springs[k]
        if _add_spring(tables, s, q, rates, path, dq, dv):
            status = k + 1
    for k in range(joint_forces.size):
        f = joint_forces[k]
        if f.cut >= 0:
            _add_across(tables, f, values, cuts, q, v, rates, path, dq, dv)
            continue
        by_angle, by_rate = force_slopes(f, values, cuts, tables.work, q, v)
        dv[f.iv, f.iv] -= by_rate
        if f.iq >= 0:
            dq[f.iv, f.iv] -= by_angle
    return status


@kernel
def force_slopes(f, values, cuts, work, q, v):
    """Derivatives of a force along a coordinate by the coordinate and by its rate."""
    rate, stretch = joint_rate(f, cuts, work, v), joint_stretch(f, cuts, work, q)
    by_rate = slope(f.driving, rate) - slope(f.resisting, rate) - f.damping
    if f.slot >= 0:
        by_rate += rubbed_slope(f, values[f.slot, 0], rate)
    return -f.stiffness - slope(f.elastic, stretch), by_rate


@kernel
def _add_spring(tables, s, q, rates, path, dq, dv):
    """A spring pulls link b along -e and link a along e."""
    n = find_path(path, s.link_a, s.link_b, tables.links)
    a, e, length, rate = spring_state(s, tables.work)
    force = scale(-(s.stiffness * (length - s.length) + s.damping * rate), e)
    undefined = n > 0 and length == 0.0 and (s.damping != 0.0 or (s.stiffness != 0.0 and s.length != 0.0))
    for y in range(n):
        c, on_b = path.dof[y], path.sign[y] > 0.0
        put_six(path.by_q, y, 0, spring_change(tables, s, rates, c, on_b, a, e, length, rate))
        put_six(path.by_v, y, 0, _spring_by_velocity(tables, s, c, on_b, a, e, length))
    add_change(tables, q, path, n, (cross(a, force), force), -1.0, dq)
    add_change_by_velocity(tables, path, n, -1.0, dv)
    return undefined


@kernel
def spring_change(tables, s, rates, c, on_b, a, e, length, rate):
    """d_c of the wrench on b, when c moves b alone or a alone."""
    link, S = s.link_b if on_b else s.link_a, twist(tables.dof_work[c].S)
    V, x = twist(tables.work[link].V), (axpy(length, e, a) if on_b else a)
    dx = point_velocity(S, x)
    dx_dot = add(point_velocity(twist_change(tables, rates, c, link), x), cross(V[0], dx))
    sign = 1.0 if on_b else -1.0
    A, B = twist(tables.work[s.link_a].V), twist(tables.work[s.link_b].V)
    r_dot = sub(point_velocity(B, axpy(length, e, a)), point_velocity(A, a))
    if length > 0.0:
        stretch = sign * dot(e, dx)
        de = scale(1.0 / length, axpy(-stretch, e, scale(sign, dx)))
        pull = s.stiffness * stretch + s.damping * (dot(de, r_dot) + sign * dot(e, dx_dot))
        df = axpy(pull, e, scale(s.stiffness * (length - s.length) + s.damping * rate, de))
    else:
        df = scale(s.stiffness * sign, dx)  # of no length when it is relaxed: the force is linear
    f = scale(s.stiffness * (length - s.length) + s.damping * rate, e)
    da = (0.0, 0.0, 0.0) if on_b else dx
    return se3.times(-1.0, (add(cross(da, f), cross(a, df)), df))


@kernel
def _spring_by_velocity(tables, s, c, on_b, a, e, length):
    sign = 1.0 if on_b else -1.0
    speed = dot(e, point_velocity(twist(tables.dof_work[c].S), axpy(length, e, a) if on_b else a))
    f = scale(-s.damping * sign * speed, e)
    return (cross(a, f), f)


@kernel
def _add_across(tables, f, values, cuts, q, v, rates, path, dq, dv):
    """A force u along the coordinate of a cut joint: u W on b, where W moves with b."""
    cut = cuts[f.cut]
    W, u = cut_wrench(cut, f.component, tables.work), joint_force(f, values, cuts, tables.work, q, v)
    by_angle, by_rate = force_slopes(f, values, cuts, tables.work, q, v)
    n, X = find_path(path, cut.link_a, cut.link_b, tables.links), relative(tables.work, cut.link_a, cut.link_b)
    for y in range(n):
        c, sign = path.dof[y], path.sign[y]
        S = twist(tables.dof_work[c].S)
        turned = se3.cobracket(S, W) if sign > 0.0 else ZERO
        link = cut.link_b if sign > 0.0 else cut.link_a
        rate = se3.pair(X, turned) + sign * se3.pair(twist_change(tables, rates, c, link), W)
        du = by_angle * sign * se3.pair(S, W) + by_rate * rate
        put_six(path.by_q, y, 0, se3.plus_times(du, W, se3.times(u, turned)))
        put_six(path.by_v, y, 0, se3.times(by_rate * sign * se3.pair(S, W), W))
    add_change(tables, q, path, n, se3.times(u, W), -1.0, dq)
    add_change_by_velocity(tables, path, n, -1.0, dv)
