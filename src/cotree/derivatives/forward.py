"""Exact derivatives of forward dynamics: what a user calls."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.derivatives.constrained import carefully, constrained_derivatives
from cotree.derivatives.constrained_call import KEPT, call_constrained, quick_constrained
from cotree.derivatives.functions import add_function_derivatives, differenced
from cotree.derivatives.inverse import (
    BRACKETS,
    DUAL,
    METHODS,
    by_duals,
    complain,
    derivative_room,
    fill_derivatives,
)
from cotree.derivatives.motion import RATES
from cotree.derivatives.results import ForwardDerivatives, Multipliers
from cotree.derivatives.rows import block, fours
from cotree.derivatives.solving import SCREWS, put_screws, solve_tree
from cotree.dynamics import articulated
from cotree.dynamics.forward import forward_dynamics, no_inertia
from cotree.dynamics.rounding import lost_in_rounding
from cotree.dynamics.user_forces import element_values
from cotree.engine.fast_call import fast_arrays, matrix_in, vector_in
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite, fill, fill_rows
from cotree.model.checks import choice
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import coordinates, of_system_as, require_finite, velocities
from cotree.system.fast_calls import call_bound
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@kernel
def _accelerate(here, values, q, v, tau, room, v_dot, dq, dv, da):
    """v_dot; in zeros the derivatives of inverse dynamics there, with which `_solve` goes on; screws at the head of `room`."""
    tables, n = open_tables(here), v.size
    articulated.forward_dynamics(tables, values, q, v, tau, v_dot)
    status = lost_in_rounding(tables.links, tables.work, tables.dof_work)
    if status != 0:
        return -2 - status
    put_screws(tables, block(room, 0, n, SCREWS))
    rates, rest = block(room, n * SCREWS, n, RATES), room[n * (SCREWS + RATES) :]
    return fill_derivatives(tables, values, q, v, v_dot, rates, rest, dq, dv, da)


@kernel
def _solve(here, room, dq, dv, dtau):
    """dq := -M^-1 dq, dv := -M^-1 dv, dtau := M^-1; links and screws are as `_accelerate` leaves them."""
    n = dq.shape[0]
    X = block(room, n * SCREWS, n, fours(3 * n))
    for i in range(n):
        fill(X[i], 0.0)
        for k in range(n):
            X[i, k], X[i, n + k] = -dq[i, k], -dv[i, k]
        X[i, 2 * n + i] = 1.0
    solve_tree(open_tables(here), block(room, 0, n, SCREWS), X)
    for i in range(n):
        for k in range(n):
            dq[i, k], dv[i, k], dtau[i, k] = X[i, k], X[i, n + k], X[i, 2 * n + k]
    return 0 if all_finite(X.ravel()) else -1


@kernel
def _tree_derivatives(here, values, q, v, tau, room, v_dot, dq, dv, dtau):
    """Both, where no user functions stand between them."""
    n = v.size
    for A in (dq, dv, dtau):
        fill_rows(A, 0, n, 0.0)
    status = _accelerate(here, values, q, v, tau, room, v_dot, dq, dv, dtau)
    return status if status != 0 else _solve(here, room, dq, dv, dtau)


@kernel
def _room(n, links):
    """Numbers that the kernels of this file write on their way."""
    return n * SCREWS + max(n * RATES + derivative_room(n, links), n * fours(3 * n))


@fast_arrays(ForwardDerivatives)
def _fast_tree_derivatives(here, values, q, v, w, places, room):
    dq, dv, dtau, v_dot = matrix_in(places, 0), matrix_in(places, 1), matrix_in(places, 2), vector_in(places, 3)
    if room.size > 0:
        return _tree_derivatives(here, values, q, v, w, room, v_dot, dq, dv, dtau)
    own = np.empty(_room(v.size, open_tables(here).links.size))
    return _tree_derivatives(here, values, q, v, w, own, v_dot, dq, dv, dtau)


_quick_tree_derivatives = _fast_tree_derivatives.quick


def forward_dynamics_derivatives(
    system: Mechanism | System,
    q: ArrayLike,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    t: float = 0.0,
    *,
    method: str = BRACKETS,
) -> ForwardDerivatives:
    """Compute exact derivatives of `forward_dynamics`.

    User functions of the state are differenced to eighth order, everything else is in closed
    form by Lie brackets. Redundant constraints do no harm.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.
    tau : array_like of shape (nv,), optional
        Forces along the coordinates.
    t : float, optional
        Time [s], for drives and functions of time.
    method : str, optional
        "brackets", or "dual" for the same by dual numbers, a slower second route.

    Returns
    -------
    ForwardDerivatives
        `.dq` (along `displace`), `.dv`, `.dtau`, each (nv, nv).

    Raises
    ------
    SingularError
        Where constraints lose rank.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.forward_dynamics_derivatives(system, system.q0).dq.shape
    (3, 3)
    """
    if type(t) is float and t == 0.0 and method == BRACKETS:
        found = _quick_tree_derivatives(system, q, v, tau)
        if type(found) is ForwardDerivatives:
            return found
        found = quick_constrained(system, q, v, tau)
        if type(found) is ForwardDerivatives:
            return found
    return _forward_derivatives_of(system, q, v, tau, t, method=method)


@cache
def _no_rows(n: int) -> Multipliers:
    none = np.zeros((0, n))
    return Multipliers(none, none, none)


@of_system_as(forward_dynamics_derivatives)
def _forward_derivatives_of(
    system: System, q: Any, v: Any = None, tau: Any = None, t: float = 0.0, *, method: Any = BRACKETS
) -> ForwardDerivatives:
    """The same for arguments that must be converted or refused, for forces that are functions, with constraints, by duals."""
    x, u, f = coordinates(system, q), velocities(system, v), velocities(system, tau, "tau")
    if choice(method, METHODS, "method") == DUAL:
        return _by_duals(system, x, u, f, t)
    if system.n_constraints:
        found = call_constrained(system, x, u, f)
        if found is not None:
            return found
        c = constrained_derivatives(system, x, u, f, t)
        return ForwardDerivatives(c.dq, c.dv, c.dtau, c.v_dot, Multipliers(c.lam_dq, c.lam_dv, c.lam_dtau))
    n = system.nv
    needed = _room.py_func(n, len(system.links))
    if not differenced(system):
        shapes, room = ((n, n), (n, n), (n, n), (n,)), needed if needed < KEPT else 0
        call, last = _fast_tree_derivatives, _no_rows(n)
        made = call_bound(call, system, x, u, f, quick=True, shapes=shapes, room=room, last=last)
        if type(made) is ForwardDerivatives:
            return made
        _complain(system, made, q=x, v=u, tau=f)
    (dq, dv, dtau), v_dot, room = np.zeros((3, n, n)), np.empty(n), np.empty(needed)
    status = _accelerate(system.here, element_values(system, x, u, t), x, u, f, room, v_dot, dq, dv, dtau)
    if not status:
        add_function_derivatives(system, x, u, t, dq, dv)
        status = _solve(system.here, room, dq, dv, dtau)
    if status:
        _complain(system, status, q=x, v=u, tau=f)
    return ForwardDerivatives(dq, dv, dtau, v_dot, _no_rows(n))


def _by_duals(system: System, q: Array, v: Array, tau: Array, t: float) -> ForwardDerivatives:
    """The same by dual numbers."""
    if system.n_constraints:
        c = carefully(system, q, v, tau, t, method=DUAL)
        return ForwardDerivatives(c.dq, c.dv, c.dtau, c.v_dot, Multipliers(c.lam_dq, c.lam_dv, c.lam_dtau))
    v_dot = forward_dynamics(system, q, v, tau, t).v_dot
    by = by_duals(system, q, v, v_dot, t)
    dq, dv, dtau = np.hsplit(np.linalg.solve(by.da, np.hstack([-by.dq, -by.dv, np.eye(system.nv)])), 3)
    return ForwardDerivatives(dq, dv, dtau, v_dot, _no_rows(system.nv))


def _complain(system: System, status: int, **arrays: Array) -> None:
    require_finite(system, **arrays)
    if status < -1:
        no_inertia(system, -status - 3, arrays["q"])
    complain(system, status, **arrays)
