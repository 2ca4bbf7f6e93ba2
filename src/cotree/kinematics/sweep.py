"""Outward sweeps over the links: displacements, screws, twists, biases, all in the world frame.

The world frame of a sweep is moved to a floating origin (ground's displacement is then a translation), so that a system
that has travelled far computes as one at home.

Functions on the short path take rows of tables, not tables: Numba counts references to arrays at each call.
"""

from cotree.engine.kernel import inlined, kernel
from cotree.kinematics.motion import (
    IDENTITY,
    ZERO,
    chart_bias,
    group_motion,
    group_twist_and_bias,
    put_chart_screws,
    put_group_screws,
    relative_pose,
    screw_motion,
)
from cotree.lie import se3
from cotree.lie.storage import pose, put_pose, put_twist, twist, vec
from cotree.lie.vec3 import neg
from cotree.system.tables import GROUP, SCREW


@kernel
def put_ground(world, links, dofs, work, q):
    """Row 0: ground seen from the base link's mass centre, or from the system's origin if it has none; returns the
    floating origin relative to the latter."""
    shift = (0.0, 0.0, 0.0)
    base = world[0].base
    if base > 0:
        shift = se3.act(relative_pose(links[base], dofs, q), vec(links[base].com))
    put_pose(work[0].C, (IDENTITY[0], neg(shift)))
    put_twist(work[0].V, ZERO)
    return shift


@inlined
def place_screw(dof, above, w, x, coordinate):
    """Displacement and screw of a one-dof link; above, w, x: workspace rows of the parent, the link and its dof."""
    P = pose(above.C)
    put_pose(w.C, se3.compose(P, screw_motion(dof, coordinate)))
    put_twist(x.S, se3.Ad(P, twist(dof.Y)))


@inlined
def move_screw(above, w, x, rate):
    """Twist and bias of a one-dof link once it is placed."""
    V, S = twist(above.V), twist(x.S)
    put_twist(w.V, se3.plus_times(rate, S, V))
    put_twist(w.a, se3.times(rate, se3.bracket(V, S)))


@kernel
def place_general(i, links, dofs, work, dof_work, q):
    """Displacement and screws of link i of any kind."""
    link = links[i]
    P = pose(work[link.parent].C)
    if link.kind == GROUP:
        C = se3.compose(P, group_motion(link, q))
        put_pose(work[i].C, C)
        put_group_screws(link, dofs, dof_work, P, C)
    else:
        put_pose(work[i].C, se3.compose(P, relative_pose(link, dofs, q)))
        put_chart_screws(link, dofs, dof_work, q, P)


@kernel
def move_general(i, links, dofs, work, dof_work, q, v):
    """Twist and bias of link i of any kind once it is placed."""
    link, w = links[i], work[i]
    V_parent = twist(work[link.parent].V)
    V, bias = group_twist_and_bias(link, dofs, dof_work, v, V_parent)
    if link.kind != GROUP:
        bias = se3.plus(bias, chart_bias(link, dofs, q, v, pose(work[link.parent].C)))
    put_twist(w.V, se3.plus(V_parent, V))
    put_twist(w.a, bias)


@kernel
def place_all(tables, q):
    """Displacements and screws of all links; returns the floating origin."""
    shift = put_ground(tables.world, tables.links, tables.dofs, tables.work, q)
    for i in range(1, tables.links.size):
        link = tables.links[i]
        if link.kind == SCREW:
            place_screw(
                tables.dofs[link.iv], tables.work[link.parent], tables.work[i], tables.dof_work[link.iv], q[link.iq]
            )
        else:
            place_general(i, tables.links, tables.dofs, tables.work, tables.dof_work, q)
    return shift


@kernel
def move_all(tables, q, v):
    """Displacements, screws, twists and biases of all links; returns the floating origin."""
    shift = put_ground(tables.world, tables.links, tables.dofs, tables.work, q)
    move_some(tables.links, tables.dofs, tables.work, tables.dof_work, q, v, 1, tables.links.size)
    return shift


@kernel
def move_some(links, dofs, work, dof_work, q, v, first, last):
    """The same for some links, those above them having moved."""
    for i in range(first, last):
        link = links[i]
        if link.kind == SCREW:
            above, w, x = work[link.parent], work[i], dof_work[link.iv]
            place_screw(dofs[link.iv], above, w, x, q[link.iq])
            move_screw(above, w, x, v[link.iv])
        else:
            place_general(i, links, dofs, work, dof_work, q)
            move_general(i, links, dofs, work, dof_work, q, v)


@kernel
def accelerate_links(tables, v_dot):
    """Rates of the spatial twists of all links for these accelerations, in place of their biases; the links have moved."""
    put_twist(tables.work[0].a, ZERO)
    for i in range(1, tables.links.size):
        link = tables.links[i]
        a = se3.plus(twist(tables.work[link.parent].a), twist(tables.work[i].a))
        for j in range(link.iv, link.iv + link.nv):
            a = se3.plus_times(v_dot[j], twist(tables.dof_work[j].S), a)
        put_twist(tables.work[i].a, a)
