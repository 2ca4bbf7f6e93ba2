"""Exact derivatives of forward dynamics: what a user calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray
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
from cotree.engine.fast_call import fast_blocks
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import coordinates, of_system_as, require_finite, velocities
from cotree.system.fast_calls import call_bound
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


@fast_blocks(1, 1, 3)
def _fast_tree_derivatives(here, values, q, v, w, out):
    """v_dot in the first row, below it the three matrices side by side."""
    return _tree_derivatives(here, values, q, v, w, out[0, : v.size], out[1:])


_quick_tree_derivatives = _fast_tree_derivatives.quick


def forward_dynamics_derivatives(
    system: Mechanism | System, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None, t: float = 0.0
) -> ForwardDerivatives:
    """Exact derivatives of `forward_dynamics(system, q, v, tau, t=t)`: O(nv^2) for trees, in closed form by Lie brackets.

    Springs, dampers, motors and loads count; functions of the state, written by the user, by differences of eighth order. With
    constraints by implicit differentiation; their equations change by closed forms too, but for user-defined rows, which are
    differenced. Redundant rows do no harm. Raises `SingularError` where constraints lose rank.

    >>> system = ct.gallery.four_bar().compile()
    >>> ct.forward_dynamics_derivatives(system, system.q0).dq.shape
    (3, 3)
    """
    found = _quick_tree_derivatives(system, q, v, tau) if type(t) is float and t == 0.0 else None
    return _of_tree(found) if type(found) is ndarray else _forward_derivatives_of(system, q, v, tau, t)


def _of_tree(found: Array) -> ForwardDerivatives:
    n = len(found) - 1
    none = found[:0, :n]
    below = found[1:]
    parts = below[:, :n], below[:, n : 2 * n], below[:, 2 * n :]
    return ForwardDerivatives(*parts, found[0, :n], Multipliers(none, none, none))


@of_system_as(forward_dynamics_derivatives)
def _forward_derivatives_of(
    system: System, q: Any, v: Any = None, tau: Any = None, t: float = 0.0
) -> ForwardDerivatives:
    """The same for arguments that must be converted or refused, for forces that are functions, and with constraints."""
    x, u, f = coordinates(system, q), velocities(system, v), velocities(system, tau, "tau")
    if system.n_constraints:
        c = constrained_derivatives(system, x, u, f, t)
        return ForwardDerivatives(c.dq, c.dv, c.dtau, c.v_dot, Multipliers(c.lam_dq, c.lam_dv, c.lam_dtau))
    if not differenced(system):
        found = call_bound(_fast_tree_derivatives, system, x, u, f, quick=True)
        if type(found) is not ndarray:
            _complain(system, found, q=x, v=u, tau=f)
        return _of_tree(found)
    n = system.nv
    out, values = np.empty((n + 1, 3 * n)), element_values(system, x, u, t)
    D, screws = np.zeros((3, n, n)), np.empty((n, 13))
    status = _accelerate(system.here, values, x, u, f, out[0, :n], D, screws)
    if not status:
        add_function_derivatives(system, x, u, t, D[0], D[1])
        status = _solve(system.here, screws, D, out[1:])
    if status:
        _complain(system, status, q=x, v=u, tau=f)
    return _of_tree(out)


def _complain(system: System, status: int, **arrays: Array) -> None:
    require_finite(system, **arrays)
    if status < -1:
        no_inertia(system, -status - 3, arrays["q"])
    complain(system, status, **arrays)
