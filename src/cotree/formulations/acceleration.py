"""Acceleration of a state in one compiled call: what the time loops evaluate.

One sweep serves all: inverse dynamics for v_dot = 0 gives the forces and leaves the links' bias accelerations behind (gravity
cancels in the loops' differences), from which the constraints' right-hand side follows.
"""

import numpy as np

from cotree._kernel import kernel
from cotree.constraints import loops, other_rows
from cotree.dynamics.articulated import forward_dynamics as articulated_bodies
from cotree.dynamics.composite import fill_mass_matrix
from cotree.dynamics.inverse import inverse_dynamics
from cotree.formulations.solve import index1, projection, voronets
from cotree.system.handle import open_cuts, open_handle, open_rows

PROJECTION, INDEX1, VORONETS = range(3)
RANK = 1e-9  # rows shorter than this, relative to the longest, are dependent on the others
RANK_PER_GAP = (
    10.0  # and than this times the gap of the loops: some rows depend on each other only when they are closed
)


@kernel
def rank_tolerance(g, length):
    """Relative length below which a row counts as dependent, tied to how well the loops are closed."""
    gap = 0.0
    for k in range(g.size):
        gap = max(gap, abs(g[k]))
    return min(1e-4, max(RANK, RANK_PER_GAP * gap / length))


@kernel
def constraint_rows(handle, motions, q, g, J):
    """Residual and Jacobian at a configuration that is placed already; motions (slots, 3): values of the drivers."""
    _, links, _, _, _, work, dof_work = open_handle(handle)
    cuts, others = open_cuts(handle), open_rows(handle)
    g[:], J[:] = 0.0, 0.0
    loops.put_residual(cuts, work, g)
    loops.put_jacobian(cuts, links, work, dof_work, J)
    other_rows.put_residual(others, cuts, work, q, motions, g)
    other_rows.put_jacobian(others, cuts, links, work, dof_work, J)


@kernel
def acceleration(handle, values, motions, formulation, length, q, v, v_dot, lam):
    """v_dot and lam; returns the rank of the constraint rows, or minus (1 + the coordinate without inertia)."""
    world, links, dofs, _, elements, work, dof_work = open_handle(handle)
    n, m = v.size, lam.size
    zero = np.zeros(n)
    if m == 0:
        return -articulated_bodies(world, links, dofs, elements, work, dof_work, values, q, v, zero, v_dot)
    f, M, J, eta, g = np.empty(n), np.empty((n, n)), np.empty((m, n)), np.empty(m), np.empty(m)
    inverse_dynamics(world, links, dofs, elements, work, dof_work, values, q, v, zero, f)
    for j in range(n):
        f[j] = -f[j]
    constraint_rows(handle, motions, q, g, J)
    cuts = open_cuts(handle)
    loops.put_bias(cuts, work, eta)
    other_rows.put_bias(open_rows(handle), cuts, work, motions, eta)
    fill_mass_matrix(links, dofs, work, dof_work, M)
    tolerance = rank_tolerance(g, length)
    if formulation == INDEX1:
        return index1(M, J, f, eta, tolerance, v_dot, lam)
    if formulation == VORONETS:
        return voronets(M, J, f, eta, tolerance, v_dot, lam, np.zeros(n, dtype=np.bool_))
    return projection(M, J, f, eta, tolerance, v_dot, lam)
