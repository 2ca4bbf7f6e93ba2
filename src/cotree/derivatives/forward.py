"""Exact derivatives of forward dynamics: what a user calls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.derivatives.constrained import constrained_derivatives
from cotree.derivatives.functions import add_function_derivatives, differenced
from cotree.derivatives.inverse import complain, fill_derivatives
from cotree.derivatives.motion import RATES
from cotree.derivatives.solving import put_screws, solve_tree
from cotree.dynamics import articulated
from cotree.dynamics.forward import no_inertia
from cotree.dynamics.rounding import lost_in_rounding
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite
from cotree.system.arguments import coordinates, of_system, require_finite, velocities
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


class Multipliers(NamedTuple):
    """Derivatives (n_constraints, nv) of the multipliers; rows that depend on others have zeros."""

    dq: Array
    dv: Array
    dtau: Array


class ForwardDerivatives(NamedTuple):
    """Derivatives of the acceleration v_dot of `forward_dynamics`, column c along coordinate c of q (by `displace`), of v, of
    the forces tau: (nv, nv). dmultipliers: those of the multipliers, (n_constraints, nv) each, by the same names."""

    dq: Array
    dv: Array
    dtau: Array
    v_dot: Array
    dmultipliers: Multipliers


@kernel
def _accelerate(here, values, q, v, tau, v_dot, D, screws):
    """v_dot; in D (3, nv, nv) the derivatives of inverse dynamics there, with which `_solve` goes on."""
    tables = open_tables(here)
    articulated.forward_dynamics(tables, values, q, v, tau, v_dot)
    status = lost_in_rounding(tables.links, tables.work, tables.dof_work)
    if status != 0:
        return -2 - status
    put_screws(tables, screws)
    return fill_derivatives(tables, values, q, v, v_dot, np.empty((v.size, RATES)), D[0], D[1], D[2])


@kernel
def _solve(here, screws, D, out):
    """out = (-M^-1 dq, -M^-1 dv, M^-1), side by side (nv, 3 nv); the links are as `_accelerate` leaves them."""
    n = screws.shape[0]
    for i in range(n):
        for k in range(n):
            out[i, k] = -D[0, i, k]
            out[i, n + k] = -D[1, i, k]
            out[i, 2 * n + k] = 1.0 if i == k else 0.0
    solve_tree(open_tables(here), screws, out)
    return 0 if all_finite(out.ravel()) else -1


@kernel
def _tree_derivatives(here, values, q, v, tau, v_dot, out):
    """Both, where no user functions stand between them."""
    n = v.size
    D, screws = np.zeros((3, n, n)), np.empty((n, 13))
    status = _accelerate(here, values, q, v, tau, v_dot, D, screws)
    return status if status != 0 else _solve(here, screws, D, out)


@of_system
def forward_dynamics_derivatives(
    system: System, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None, t: float = 0.0
) -> ForwardDerivatives:
    """Exact derivatives of `forward_dynamics(system, q, v, tau, t=t)`: O(nv^2) for trees, in closed form by Lie brackets.

    Springs, dampers, motors and loads count; functions of the state, written by the user, by differences of eighth order. With
    constraints by implicit differentiation; their equations change by closed forms too, but for user-defined rows, which are
    differenced. Redundant rows do no harm. Raises `SingularError` where constraints lose rank.

    >>> system = ct.gallery.four_bar().compile()
    >>> ct.forward_dynamics_derivatives(system, system.q0).dq.shape
    (3, 3)
    """
    x, u, f = coordinates(system, q), velocities(system, v), velocities(system, tau, "tau")
    if system.n_constraints:
        c = constrained_derivatives(system, x, u, f, t)
        return ForwardDerivatives(c.dq, c.dv, c.dtau, c.v_dot, Multipliers(c.lam_dq, c.lam_dv, c.lam_dtau))
    n, elements = system.nv, system.elements
    v_dot, out = np.empty(n), np.empty((n, 3 * n))
    if differenced(system):
        values = element_values(system, x, u, t)
        D, screws = np.zeros((3, n, n)), np.empty((n, 13))
        status = _accelerate(system.here, values, x, u, f, v_dot, D, screws)
        if not status:
            add_function_derivatives(system, x, u, t, D[0], D[1])
            status = _solve(system.here, screws, D, out)
    else:
        status = _tree_derivatives(system.here, elements.constants, x, u, f, v_dot, out)
    if status:
        _complain(system, status, q=x, v=u, tau=f)
    none = np.zeros((0, n))
    return ForwardDerivatives(out[:, :n], out[:, n : 2 * n], out[:, 2 * n :], v_dot, Multipliers(none, none, none))


def _complain(system: System, status: int, **arrays: Array) -> None:
    require_finite(system, **arrays)
    if status < -1:
        no_inertia(system, -status - 3, arrays["q"])
    complain(system, status, **arrays)
