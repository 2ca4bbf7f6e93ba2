"""Constraints of a system: residual g(q, t), Jacobian J_c and right-hand side eta with J_c v_dot = eta."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree._kernel import kernel
from cotree.constraints import loops
from cotree.kinematics.sweep import move_all, place_all
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist
from cotree.system.arguments import coordinates, require_finite, velocities
from cotree.system.finite import all_finite
from cotree.system.handle import open_cuts, open_handle
from cotree.system.system import System

Array = NDArray[np.float64]


@kernel
def _residual(handle, q, g):
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    place_all(world, links, dofs, work, dof_work, q)
    loops.put_residual(open_cuts(handle), work, g)
    return all_finite(q)


@kernel
def _jacobian(handle, q, J):
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    place_all(world, links, dofs, work, dof_work, q)
    loops.put_jacobian(open_cuts(handle), links, work, dof_work, J)
    return all_finite(q)


@kernel
def put_bias_accelerations(links, work):
    """Accelerations of the links for v_dot = 0, from their own biases."""
    put_twist(work[0].a, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, links.size):
        put_twist(work[i].a, se3.plus(twist(work[links[i].parent].a), twist(work[i].a)))


@kernel
def _bias(handle, q, v, eta):
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    move_all(world, links, dofs, work, dof_work, q, v)
    put_bias_accelerations(links, work)
    loops.put_bias(open_cuts(handle), work, eta)
    return all_finite(q) and all_finite(v)


def constraint_residual(system: System, q: Any, t: float = 0.0) -> Array:
    """(n_constraints,): g, zero when every loop is closed; metres and radians [Geo (13)]."""
    q = coordinates(system, q)
    g = np.zeros(system.n_constraints)
    if not _residual(system.handle, q, g):
        require_finite(system, q=q)
    return g


def constraint_jacobian(system: System, q: Any, t: float = 0.0) -> Array:
    """(n_constraints, nv): J_c with J_c v = 0 for admissible velocities [Geo (37), Reg (22)]."""
    q = coordinates(system, q)
    J = np.zeros((system.n_constraints, system.nv))
    if not _jacobian(system.handle, q, J):
        require_finite(system, q=q)
    return J


def constraint_bias(system: System, q: Any, v: Any, t: float = 0.0) -> Array:
    """(n_constraints,): eta with J_c v_dot = eta for admissible accelerations [Geo (38)]."""
    q, v = coordinates(system, q), velocities(system, v)
    eta = np.zeros(system.n_constraints)
    if not _bias(system.handle, q, v, eta):
        require_finite(system, q=q, v=v)
    return eta
