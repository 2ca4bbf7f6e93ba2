"""Wrenches of springs, loads, forces across cut joints and constraints on links, and how they change with parameters."""

from cotree.derivatives.elements import force_slopes
from cotree.derivatives.rows import put_six, six
from cotree.dynamics.elements import (
    joint_force,
    joint_rate,
    joint_stretch,
    load_wrench,
    point_velocity,
    put_efforts,
    rubbed,
    spring_state,
    spring_wrench,
)
from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_wrench, relative
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import add, axpy, cross, dot, scale, sub
from cotree.system.views import open_rows

STEP, TWIST = 0, 24  # columns of a field, see `fields`


@kernel
def push(P, link, W, sign):
    put_six(P, link, 0, se3.plus_times(sign, W, six(P, link, 0)))


@kernel
def add_element_wrenches(here, tables, values, q, v, lam, P):
    """What the links need besides their own inertia: less the elements, and the wrenches of J^T lam."""
    springs, loads, joint_forces, cuts, others = tables.elements
    for k in range(springs.size):
        W = spring_wrench(springs[k], tables.work)
        push(P, springs[k].link_a, W, -1.0)
        push(P, springs[k].link_b, W, 1.0)
    for k in range(loads.size):
        push(P, loads[k].link, load_wrench(loads[k], tables.work, vec(values[k])), -1.0)
    for k in range(joint_forces.size):
        f = joint_forces[k]
        if f.cut >= 0:
            W, u = (
                cut_wrench(cuts[f.cut], f.component, tables.work),
                joint_force(f, values, cuts, tables.work, q, v),
            )
            push(P, cuts[f.cut].link_a, W, u)
            push(P, cuts[f.cut].link_b, W, -u)
    put_efforts(others, values, q, v)
    for i in range(others.pieces.size):
        push(P, others.pieces[i].link_a, twist(others.efforts[i].W), 1.0)
        push(P, others.pieces[i].link_b, twist(others.efforts[i].W), -1.0)
    if lam.size > 0:
        rows = open_rows(here)
        for i in range(rows.pieces.size):
            p = rows.pieces[i]
            if p.iv < 0:
                push(P, p.link_b, twist(rows.wrenches[i].Wb), lam[p.row])
                push(P, p.link_a, twist(rows.wrenches[i].Wa), -lam[p.row])


@kernel
def add_element_changes(tables, values, q, v, field, d, k, dP, out):
    """Changes of all these but the constraints; those of forces along coordinates of the tree into column k of out."""
    springs, loads, joint_forces, cuts, _ = tables.elements
    for i in range(springs.size):
        W = _spring_change(tables, springs[i], field, d.springs[k, i])
        push(dP, springs[i].link_a, W, -1.0)
        push(dP, springs[i].link_b, W, 1.0)
    for i in range(loads.size):
        push(dP, loads[i].link, _load_change(tables, loads[i], vec(values[i]), vec(d.values[k, i]), field), -1.0)
    for i in range(joint_forces.size):
        f = joint_forces[i]
        rate, stretch = joint_rate(f, cuts, tables.work, v), joint_stretch(f, cuts, tables.work, q)
        du = -d.forces[k, i, 0] * stretch - d.forces[k, i, 2] * rate
        if d.forces[k, i, 1] != 0.0:
            du -= force_slopes(f, values, cuts, tables.work, q, v)[0] * d.forces[k, i, 1]
        if f.slot >= 0:
            given = values[f.slot, 0]
            share = 1.0 if f.friction == 0 or given == 0.0 else (rubbed(f, given, rate) + f.viscous * rate) / given
            du += share * d.values[k, f.slot, 0]
        if f.cut < 0:
            out[f.iv, k] -= du
        else:
            _add_across(tables, f, values, cuts, q, v, field, twist(d.cuts[k, f.cut]), du, dP)


@kernel
def _spring_change(tables, s, field, change):
    """Of the wrench on end a, with the numbers of the spring changed too."""
    A, B = tables.work[s.link_a], tables.work[s.link_b]
    a, e, length, rate = spring_state(s, tables.work)
    b = axpy(length, e, a)
    Va, Vb, Da, Db = twist(A.V), twist(B.V), six(field, s.link_a, TWIST), six(field, s.link_b, TWIST)
    da = add(point_velocity(six(field, s.link_a, STEP), a), mul_vec(pose(A.C)[0], (change[3], change[4], change[5])))
    db = add(point_velocity(six(field, s.link_b, STEP), b), mul_vec(pose(B.C)[0], (change[6], change[7], change[8])))
    dr = sub(db, da)
    dr_dot = sub(add(point_velocity(Db, b), cross(Vb[0], db)), add(point_velocity(Da, a), cross(Va[0], da)))
    pull = s.stiffness * (length - s.length) + s.damping * rate
    more = change[0] * (length - s.length) - s.stiffness * change[1] + change[2] * rate
    if length > 0.0:
        stretch = dot(e, dr)
        de = scale(1.0 / length, axpy(-stretch, e, dr))
        r_dot = sub(point_velocity(Vb, b), point_velocity(Va, a))
        more += s.stiffness * stretch + s.damping * (dot(de, r_dot) + dot(e, dr_dot))
        df = axpy(more, e, scale(pull, de))
    else:
        df = scale(s.stiffness, dr)
    return (add(cross(da, scale(pull, e)), cross(a, df)), df)


@kernel
def _load_change(tables, load, value, change, field):
    """Loads in the body's axes turn with it, others stay and only their point moves."""
    W, X = load_wrench(load, tables.work, value), six(field, load.link, STEP)
    more = load_wrench(load, tables.work, change)
    if load.in_body:
        return se3.plus(more, se3.cobracket(X, W))
    if load.is_moment:
        return more
    x = se3.act(pose(tables.work[load.link].C), vec(load.point))
    return (add(more[0], cross(point_velocity(X, x), W[1])), more[1])


@kernel
def _add_across(tables, f, values, cuts, q, v, field, xi, du, dP):
    """A force u along the coordinate of a cut joint: u W on b, where W moves with b."""
    cut = cuts[f.cut]
    A, B = tables.work[cut.link_a], tables.work[cut.link_b]
    W, u = cut_wrench(cut, f.component, tables.work), joint_force(f, values, cuts, tables.work, q, v)
    by_angle, by_rate = force_slopes(f, values, cuts, tables.work, q, v)
    Sa = se3.plus(six(field, cut.link_a, STEP), se3.Ad(pose(A.C), xi))
    Sb = se3.plus(six(field, cut.link_b, STEP), se3.Ad(pose(B.C), xi))
    dW, X = se3.cobracket(Sb, W), relative(tables.work, cut.link_a, cut.link_b)
    D = se3.minus(six(field, cut.link_b, TWIST), six(field, cut.link_a, TWIST))
    du += by_angle * se3.pair(se3.minus(Sb, Sa), W) + by_rate * (se3.pair(X, dW) + se3.pair(D, W))
    F = se3.plus_times(du, W, se3.times(u, dW))
    push(dP, cut.link_a, F, 1.0)
    push(dP, cut.link_b, F, -1.0)
