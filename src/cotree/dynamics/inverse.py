"""Inverse dynamics by recursive Newton-Euler equations in the world frame, O(n)."""

from cotree.dynamics import inertia
from cotree.dynamics.elements import apply_elements
from cotree.engine.kernel import inlined, kernel
from cotree.kinematics.sweep import move_general, move_screw, place_general, place_screw, put_ground
from cotree.lie import se3
from cotree.lie.storage import pose, put_twist, twist, vec
from cotree.lie.vec3 import neg
from cotree.system.tables import SCREW


@kernel
def inverse_dynamics(tables, values, q, v, v_dot, tau):
    """tau = M v_dot + C v - (gravity, elements): what must be added at the joints for this motion."""
    put_ground(tables.world, tables.links, tables.dofs, tables.work, q)
    put_twist(tables.work[0].a, ((0.0, 0.0, 0.0), neg(vec(tables.world[0].gravity))))
    for i in range(1, tables.links.size):
        link, w = tables.links[i], tables.work[i]
        above = tables.work[link.parent]
        if link.kind == SCREW:
            x = tables.dof_work[link.iv]
            place_screw(tables.dofs[link.iv], above, w, x, q[link.iq])
            move_screw(above, w, x, v[link.iv])
            a = se3.plus_times(v_dot[link.iv], twist(x.S), twist(w.a))
        else:
            place_general(i, tables.links, tables.dofs, tables.work, tables.dof_work, q)
            move_general(i, tables.links, tables.dofs, tables.work, tables.dof_work, q, v)
            a = twist(w.a)
            for j in range(link.iv, link.iv + link.nv):
                a = se3.plus_times(v_dot[j], twist(tables.dof_work[j].S), a)
        put_twist(w.a, se3.plus(twist(above.a), a))
        put_wrench(link, w)
    for j in range(tables.dofs.size):
        tables.dof_work[j].tau = 0.0
    apply_elements(tables.elements, tables.work, tables.dof_work, values, q, v)
    for i in range(tables.links.size - 1, 0, -1):
        link = tables.links[i]
        p = twist(tables.work[i].p)
        for j in range(link.iv, link.iv + link.nv):
            x = tables.dof_work[j]
            tau[j] = se3.pair(twist(x.S), p) + tables.dofs[j].inertia * v_dot[j] - x.tau
        above = tables.work[link.parent]
        if link.parent > 0:
            put_twist(above.p, se3.plus(twist(above.p), p))


@inlined
def put_wrench(link, w):
    """Rate of momentum of a link: J a + V x* J V."""
    I = link.inertia
    J = inertia.rigid(pose(w.C), link.mass, vec(link.com), (I[0], I[1], I[2], I[3], I[4], I[5]))
    V = twist(w.V)
    gyroscopic = se3.cobracket(V, inertia.momentum(J, V))
    put_twist(w.p, se3.plus(inertia.momentum(J, twist(w.a)), gyroscopic))
