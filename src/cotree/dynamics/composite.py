"""Mass matrix by composite rigid bodies; in the world frame a column climbs to the root without being moved.

M_ij = S_i . (Jc_j S_j) for i at or above j, Jc_j the inertia of all that j carries [Geo (43), (51)].
"""

from cotree.dynamics import inertia
from cotree.engine.kernel import inlined, kernel
from cotree.engine.vectors import fill_rows
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
    """The same for links that are placed already; from the leaves to the root, so that each row is filled as soon as all that
    its link carries is known."""
    put_rigid(links, work)
    fill_rows(M, 0, M.shape[0], 0.0)
    for i in range(links.size - 1, 0, -1):
        link, J = links[i], work[i].J
        for j in range(link.iv, link.iv + link.nv):
            x = dof_work[j]
            F = inertia.momentum(inertia.load_rigid(J), twist(x.S))
            put_twist(x.U, F)
            _fill_row(i, j, F, links, dof_work, M)
            M[j, j] += dofs[j].inertia
        add_rigid(work[link.parent].J, J)


@inlined
def _fill_row(i, j, F, links, dof_work, M):
    """Row and column j, of link i, which has the momentum F at unit velocity."""
    above, row = i, M[j]
    while above > 0:
        link = links[above]
        for k in range(link.iv, link.iv + link.nv):
            m = se3.pair(twist(dof_work[k].S), F)
            row[k] = m
            M[k, j] = m
        above = link.parent


@kernel
def put_rigid(links, work):
    """Rigid inertia of each link alone."""
    for i in range(links.size):
        link, w = links[i], work[i]
        I = link.inertia
        J = inertia.rigid(pose(w.C), link.mass, vec(link.com), (I[0], I[1], I[2], I[3], I[4], I[5]))
        inertia.store_rigid(w.J, J)


@inlined
def add_rigid(a, b):
    """a := a + b, of two rows."""
    for k in range(10):
        a[k] += b[k]
