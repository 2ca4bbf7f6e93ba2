"""Forward dynamics of a tree by articulated bodies, O(n), in the world frame.

Joints with several dofs are taken apart one motion at a time, last first, which is an LDL^T elimination. Gravity enters
as an upward acceleration of ground. Where a joint both turns and travels, its rotations are shifted for the
elimination to pass by the floating origin; coordinates about a far point would lose their digits there.
"""

from cotree.dynamics import inertia
from cotree.dynamics.elements import apply_elements
from cotree.engine.choosing import every
from cotree.engine.kernel import inlined, kernel
from cotree.kinematics.sweep import move_general, move_screw, place_general, place_screw, put_ground
from cotree.lie import se3
from cotree.lie.storage import pose, put_twist, twist, vec
from cotree.lie.vec3 import axpy, dot, neg
from cotree.system.tables import GROUP, SCREW


@inlined
def forward_dynamics(tables, values, q, v, tau, v_dot):
    """v_dot of a tree; returns 0, or 1 + the dof that has no inertia behind it (on lanes: in one of them)."""
    outward(tables, q, v, tau)
    apply_elements(tables.elements, tables.work, tables.dof_work, values, q, v)
    status = inward(tables.links, tables.dofs, tables.work, tables.dof_work)
    accelerate(tables.world, tables.links, tables.work, tables.dof_work, v_dot)
    return status


@inlined
def outward(tables, q, v, tau):
    """Kinematics, rigid inertias and bias wrenches; generalized forces in place."""
    put_ground(tables.world, tables.links, tables.dofs, tables.work, q)
    for i in range(1, tables.links.size):
        link, w = tables.links[i], tables.work[i]
        if link.kind == SCREW:
            above, x = tables.work[link.parent], tables.dof_work[link.iv]
            place_screw(tables.dofs[link.iv], above, w, x, q[link.iq])
            move_screw(above, w, x, v[link.iv])
        else:
            place_general(i, tables.links, tables.dofs, tables.work, tables.dof_work, q)
            move_general(i, tables.links, tables.dofs, tables.work, tables.dof_work, q, v)
        put_rigid(link, w)
    for j in range(tables.dofs.size):
        tables.dof_work[j].tau = tau[j]


@inlined
def put_rigid(link, w):
    """Inertia and gyroscopic wrench of a link."""
    I = link.inertia
    J = inertia.rigid(pose(w.C), link.mass, vec(link.com), (I[0], I[1], I[2], I[3], I[4], I[5]))
    inertia.store(w.J, inertia.full(J))
    V = twist(w.V)
    put_twist(w.p, se3.cobracket(V, inertia.momentum(J, V)))


@kernel
def inward(links, dofs, work, dof_work):
    """Articulated inertias and bias wrenches, from the leaves to the root."""
    status = 0
    for i in range(links.size - 1, 0, -1):
        link, w = links[i], work[i]
        M, p = inertia.load(w.J), twist(w.p)
        if link.kind == SCREW:
            M, p, sus = _release(M, p, dof_work[link.iv], dofs[link.iv].inertia)
            if not every(sus > 0.0):
                status = link.iv + 1
        else:
            M, p, bad = _release_several(link, dofs, M, p, dof_work)
            status = max(status, bad)
        if link.parent > 0:
            above = work[link.parent]
            inertia.accumulate(above.J, M)
            put_twist(above.p, se3.plus(twist(above.p), se3.plus(p, inertia.apply(M, twist(w.a)))))
    return status


@inlined
def _release(M, p, x, rotor):
    """Free one motion, which a rotor takes part in."""
    S = twist(x.S)
    U = inertia.apply(M, S)
    sus = se3.pair(S, U) + rotor
    d = 1.0 / sus
    u = x.tau - se3.pair(S, p)
    put_twist(x.U, U)
    x.d, x.u = d, u
    return inertia.deflate(M, U, d), se3.plus_times(d * u, U, p), sus


@inlined
def _release_several(link, dofs, M, p, dof_work):
    status = 0
    local = link.kind == GROUP and link.rotations > 0 and link.translations > 0
    for j in range(link.iv + link.nv - 1, link.iv - 1, -1):
        x = dof_work[j]
        S, tau = twist(x.S), x.tau
        if local and j < link.iv + link.rotations:
            S, tau = _local(link, dof_work, S, tau)
        U = inertia.apply(M, S)
        sus = se3.pair(S, U) + dofs[j].inertia
        if not every(sus > 0.0):
            status = j + 1
        d = 1.0 / sus
        u = tau - se3.pair(S, p)
        put_twist(x.U, U)
        x.d, x.u = d, u
        M = inertia.deflate(M, U, d)
        p = se3.plus_times(d * u, U, p)
    return M, p, status


@kernel
def _local(link, dof_work, S, tau):
    """Rotation screw without its part along the joint's translations, and the force that goes with it."""
    w, v = S
    x = v
    for k in range(link.iv + link.rotations, link.iv + link.nv):
        e = twist(dof_work[k].S)[1]
        b = dot(e, v)
        x = axpy(-b, e, x)
        tau -= b * dof_work[k].tau
    return (w, x), tau


@kernel
def accelerate(world, links, work, dof_work, v_dot):
    """Accelerations from the root to the leaves; `a` of each link is its spatial acceleration minus gravity."""
    put_twist(work[0].a, ((0.0, 0.0, 0.0), neg(vec(world[0].gravity))))
    for i in range(1, links.size):
        link, w = links[i], work[i]
        a = se3.plus(twist(work[link.parent].a), twist(w.a))
        if link.kind == SCREW:
            x = dof_work[link.iv]
            rate = x.d * (x.u - se3.pair(a, twist(x.U)))
            v_dot[link.iv] = rate
            put_twist(w.a, se3.plus_times(rate, twist(x.S), a))
        else:
            put_twist(w.a, _accelerate_several(link, a, dof_work, v_dot))


@inlined
def _accelerate_several(link, a, dof_work, v_dot):
    local = link.kind == GROUP and link.rotations > 0 and link.translations > 0
    for j in range(link.iv, link.iv + link.nv):
        x = dof_work[j]
        S = twist(x.S)
        if local and j < link.iv + link.rotations:
            S, _ = _local(link, dof_work, S, 0.0)
        rate = x.d * (x.u - se3.pair(a, twist(x.U)))
        v_dot[j] = rate
        a = se3.plus_times(rate, S, a)
    if local:
        for k in range(link.iv + link.rotations, link.iv + link.nv):
            e = twist(dof_work[k].S)[1]
            for j in range(link.iv, link.iv + link.rotations):
                v_dot[k] -= dot(e, twist(dof_work[j].S)[1]) * v_dot[j]
    return a
