"""Back to the constraints after a step: the shortest corrections in the metric of the mass matrix [Geo 5.3]."""

import numpy as np

from cotree._kernel import kernel
from cotree.dynamics.composite import fill_mass_matrix
from cotree.formulations.acceleration import constraint_rows, rank_tolerance
from cotree.formulations.solve import projection
from cotree.kinematics.coordinates import move
from cotree.kinematics.sweep import place_all
from cotree.system.handle import open_handle

CLOSED = 1e-14  # relative to the system's length: below this a residual is rounding
ITERATIONS = 6


@kernel
def largest(x):
    s = 0.0
    for k in range(x.size):
        s = max(s, abs(x[k]))
    return s


@kernel
def project(handle, motions, holonomic, length, q, v):
    """Newton steps on q, then one linear correction of v, in place; returns the rank of the rows."""
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    n, m = v.size, holonomic.size
    M, J, g = np.empty((n, n)), np.empty((m, n)), np.empty(m)
    step, lam, zero, moved = np.empty(n), np.empty(m), np.zeros(n), np.empty(q.size)
    before = np.inf
    for _ in range(ITERATIONS):
        place_all(world, links, dofs, work, dof_work, q)
        constraint_rows(handle, motions, q, g, J)
        size = largest(g)
        if size <= CLOSED * length or size > 0.5 * before:
            break
        before = size
        for r in range(m):
            if not holonomic[r]:
                J[r] = 0.0
        fill_mass_matrix(links, dofs, work, dof_work, M)
        # near a singular configuration the shortest correction explodes along vanishing directions: leave those out
        projection(M, J, zero, g, max(1e-7, rank_tolerance(g, length)), step, lam)
        for j in range(n):
            step[j] = -step[j]
        move(links, dofs, q, step, moved)
        q[:] = moved
    place_all(world, links, dofs, work, dof_work, q)
    constraint_rows(handle, motions, q, g, J)
    fill_mass_matrix(links, dofs, work, dof_work, M)
    wrong = np.empty(m)
    for r in range(m):
        wrong[r] = np.dot(J[r], v)
    rank = projection(M, J, zero, wrong, rank_tolerance(g, length), step, lam)
    for j in range(n):
        v[j] -= step[j]
    return rank


@kernel
def violations(handle, motions, q, v, out):
    """out = largest entries of g and of J v."""
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    m = out.size - 2
    g, J = np.empty(m), np.empty((m, v.size))
    place_all(world, links, dofs, work, dof_work, q)
    constraint_rows(handle, motions, q, g, J)
    out[0] = largest(g)
    out[1] = 0.0
    for r in range(m):
        out[1] = max(out[1], abs(np.dot(J[r], v)))
