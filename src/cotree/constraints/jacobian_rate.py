"""The rate of the constraint Jacobian along a motion, and with unit velocities its partial derivatives [Geo (38)].

A row is a wrench W: J_j = W . S_j along the two paths to ground, so that dJ_j/dt = dW/dt . S_j + W . dS_j/dt, where the
screws S_j change by Lie brackets [Geo (27)]. User rows are differentiated numerically.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints import user_rows
from cotree.constraints.all_rows import put_rates as put_wrench_rates
from cotree.constraints.all_rows import put_wrenches
from cotree.constraints.finite_differences import derivative
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite
from cotree.kinematics.coordinates import displace
from cotree.kinematics.derivatives import put_rates
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.system.arguments import coordinates, not_finite, of_systems, velocities
from cotree.system.families import Doors
from cotree.system.members import over_members
from cotree.system.system import System
from cotree.system.views import open_rows, open_tables

Array = NDArray[np.float64]


@kernel
def _add_path(J_dot, row, factor, W, W_dot, link, links, dof_work, rates):
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            J_dot[row, j] += factor * (se3.pair(twist(rates[j]), W) + se3.pair(twist(dof_work[j].S), W_dot))
        link = links[link].parent


@kernel
def _jacobian_rate(here, q, v, J_dot):
    tables = open_tables(here)
    move_all(tables, q, v)
    rates = np.empty((tables.dofs.size, 6))
    put_rates(tables.links, tables.dofs, tables.work, tables.dof_work, q, v, rates)
    put_wrenches(here)
    put_wrench_rates(here)
    _, _, pieces, wrenches = open_rows(here)
    for i in range(pieces.size):
        p, w = pieces[i], wrenches[i]
        if p.iv < 0:
            b, b_dot, a, a_dot = twist(w.Wb), twist(w.Wb_dot), twist(w.Wa), twist(w.Wa_dot)
            _add_path(J_dot, p.row, 1.0, b, b_dot, p.link_b, tables.links, tables.dof_work, rates)
            _add_path(J_dot, p.row, -1.0, a, a_dot, p.link_a, tables.links, tables.dof_work, rates)
    return all_finite(q) and all_finite(v) and all_finite(J_dot.ravel())


@of_systems(Doors("q", "v"))
@over_members("q", "v")
def constraint_jacobian_rate(system: System, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> Array:
    """Compute the time derivative of the constraint Jacobian.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,)
        Velocities.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    ndarray of shape (n_constraints, nv)
        The derivative dJ_c/dt along v, in closed form but for user functions. [Geo (38)]

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> v = ct.consistent_velocity(system, system.q0, {"A": 1.0})
    >>> ct.theory.constraint_jacobian_rate(system, system.q0, v).shape
    (2, 3)
    """
    q, v = coordinates(system, q), velocities(system, v)
    J_dot = np.zeros((system.n_constraints, system.nv))
    if not _jacobian_rate(system.here, q, v, J_dot):
        not_finite(system, "constraint_jacobian_rate", q=q, v=v)
    own = sum(c.rows for c in system.extra_rows.user)
    if own:
        J_dot[-own:] = derivative(lambda s: _user_jacobian(system, displace(system, q, s * v), t, own), 0.0, 1)
    return J_dot


def _user_jacobian(system: System, q: Array, t: float, own: int) -> Array:
    J = np.zeros((own, system.nv))
    user_rows.put_jacobian(system, q, t, J)
    return J
