"""What is evaluated for many states of a tree in one call: kernels of one state, which run on numbers and on lanes."""

from cotree.dynamics import articulated, composite, energy_momentum, inverse
from cotree.dynamics.rounding import lost_in_rounding
from cotree.system.batches import Batch


@Batch
def many_forward_dynamics(tables, values, q, v, tau, out):
    """Accelerations; the status is 1 + the dof that has no inertia, of one of the states."""
    articulated.forward_dynamics(tables, values, q, v, tau, out)
    return lost_in_rounding(tables.links, tables.work, tables.dof_work)


@Batch
def many_mass_matrices(tables, values, q, v, w, out):
    """By rows of nv * nv."""
    composite.mass_matrix(tables, q, out.reshape((tables.dofs.size, tables.dofs.size)))
    return 0


@Batch
def many_inverse_dynamics(tables, values, q, v, v_dot, out):
    """Forces along the coordinates."""
    inverse.inverse_dynamics(tables, values, q, v, v_dot, out)
    return 0


@Batch
def many_energies(tables, values, q, v, w, out):
    """(kinetic, potential)."""
    energy_momentum.energy(tables, q, v, out)
    return 0


@Batch
def many_momenta(tables, values, q, v, w, out):
    """(angular, linear); values: the point."""
    energy_momentum.momentum(tables, q, v, values[0], out)
    return 0


@Batch
def many_mass_centres(tables, values, q, v, w, out):
    """(mass, position, velocity)."""
    energy_momentum.mass_centre(tables, q, v, out)
    return 0
