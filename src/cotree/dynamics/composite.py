"""Mass matrix by composite rigid bodies; in the world frame a column climbs to the root without being moved.

M_ij = S_i . (Jc_j S_j) for i at or above j, Jc_j the inertia of all that j carries [Geo (43), (51)].
"""

from cotree.dynamics import inertia
from cotree.engine.kernel import kernel
from cotree.kinematics.sweep import place_all
from cotree.lie import se3
from cotree.lie.storage import pose, put_twist, twist, vec


@kernel
def mass_matrix(tables, q, M):
    """Fill the (nv, nv) mass matrix."""
    place_all(tables, q)
    fill_mass_matrix(tables.links, tables.dofs, tables.work, tables.dof_work, M)


@kernel
def fill_mass_matrix(links, dofs, work, dof_work, M):
    """The same for links that are placed already."""
    put_composites(links, work)
    put_momenta(dofs, work, dof_work)
    M[:] = 0.0
    for i in range(1, links.size):
        link = links[i]
        for j in range(link.iv, link.iv + link.nv):
            F = twist(dof_work[j].U)
            for k in range(link.iv, link.iv + link.nv):
                M[j, k] = M[k, j] = se3.pair(twist(dof_work[k].S), F)
            above = link.parent
            while above > 0:
                up = links[above]
                for k in range(up.iv, up.iv + up.nv):
                    M[j, k] = M[k, j] = se3.pair(twist(dof_work[k].S), F)
                above = up.parent


@kernel
def put_composites(links, work):
    """Rigid inertia of each link with all that it carries, in the first ten of J."""
    for i in range(links.size):
        link, w = links[i], work[i]
        I = link.inertia
        J = inertia.rigid(pose(w.C), link.mass, vec(link.com), (I[0], I[1], I[2], I[3], I[4], I[5]))
        inertia.store_rigid(w.J, J)
    for i in range(links.size - 1, 0, -1):
        a, b = work[links[i].parent].J, work[i].J
        for k in range(10):
            a[k] += b[k]


@kernel
def put_momenta(dofs, work, dof_work):
    """U_j = Jc_j S_j: momentum of all that a dof moves at unit velocity."""
    for j in range(dofs.size):
        x = dof_work[j]
        put_twist(x.U, inertia.momentum(inertia.load_rigid(work[dofs[j].link].J), twist(x.S)))
