"""Energy and momentum of a state."""

from cotree.dynamics import inertia
from cotree.dynamics.curves import integral
from cotree.dynamics.elements import joint_stretch, other_energies, spring_state
from cotree.engine.kernel import kernel
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.storage import pose, put_twist, twist, vec
from cotree.lie.vec3 import add, cross, dot, sub


@kernel
def link_inertia(link, w):
    I = link.inertia
    return inertia.rigid(pose(w.C), link.mass, vec(link.com), (I[0], I[1], I[2], I[3], I[4], I[5]))


@kernel
def energy(tables, q, v, out):
    """out = (kinetic, potential): gravity (zero at the world's origin), springs and joint springs count."""
    shift = move_all(tables, q, v)
    springs, _, joint_forces, cuts, others = tables.elements
    origin = add(shift, vec(tables.world[0].origin))
    g = vec(tables.world[0].gravity)
    kinetic, potential = 0.0, 0.0
    for i in range(1, tables.links.size):
        J, V = link_inertia(tables.links[i], tables.work[i]), twist(tables.work[i].V)
        kinetic += 0.5 * se3.pair(V, inertia.momentum(J, V))
        potential -= dot(g, J[1]) + J[0] * dot(g, origin)
    for j in range(tables.dofs.size):
        kinetic += 0.5 * tables.dofs[j].inertia * v[j] * v[j]
    for k in range(springs.size):
        s = springs[k]
        _, _, length, _ = spring_state(s, tables.work)
        stretch = length - s.length
        potential += 0.5 * s.stiffness * (stretch * stretch)
    for k in range(joint_forces.size):
        f = joint_forces[k]
        stretch = joint_stretch(f, cuts, tables.work, q)
        potential += 0.5 * f.stiffness * (stretch * stretch) + integral(f.elastic, stretch)
    potential += other_energies(others, q)
    out[0], out[1] = kinetic, potential


@kernel
def momentum(tables, q, v, point, out):
    """out = (angular about the world point, linear)."""
    shift = move_all(tables, q, v)
    total = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for i in range(1, tables.links.size):
        total = se3.plus(
            total, inertia.momentum(link_inertia(tables.links[i], tables.work[i]), twist(tables.work[i].V))
        )
    arm = sub(add(shift, vec(tables.world[0].origin)), vec(point))
    put_twist(out, (add(total[0], cross(arm, total[1])), total[1]))


@kernel
def mass_centre(tables, q, v, out):
    """out = (mass, centre (3), its velocity (3)) of all that moves; NaN centre without mass."""
    shift = move_all(tables, q, v)
    m, h, p = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(1, tables.links.size):
        J = link_inertia(tables.links[i], tables.work[i])
        m += J[0]
        h = add(h, J[1])
        p = add(p, inertia.momentum(J, twist(tables.work[i].V))[1])
    origin = add(shift, vec(tables.world[0].origin))
    out[0] = m
    for k in range(3):
        out[1 + k] = h[k] / m + origin[k]
        out[4 + k] = p[k] / m
