"""Exact derivatives of inverse dynamics: what a user calls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.derivatives.between import PATH, make_path
from cotree.derivatives.composites import SUMS, put_sums
from cotree.derivatives.duals import by_state, short_spring
from cotree.derivatives.elements import add_elements
from cotree.derivatives.functions import add_function_derivatives, differenced
from cotree.derivatives.motion import RATES, put_motion_rates
from cotree.derivatives.results import InverseDerivatives
from cotree.derivatives.rows import block
from cotree.derivatives.tree import accelerate_all, fill_tree, room_of_tree
from cotree.dynamics.user_forces import element_values
from cotree.engine.fast_call import fast_arrays, matrix_in
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite, fill_rows
from cotree.errors import SingularError
from cotree.model.checks import choice
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import coordinates, not_finite, of_system_as, velocities
from cotree.system.fast_calls import call_bound
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]
BRACKETS, DUAL = METHODS = "brackets", "dual"


@kernel
def derivative_room(n, links):
    """Numbers that `fill_derivatives` writes on its way, for n coordinates."""
    return links * SUMS + room_of_tree(n) + n * PATH


@kernel
def fill_derivatives(tables, values, q, v, v_dot, rates, room, dq, dv, da):
    """All but user functions, into zeros; links have twists and accelerations. Status as of `add_elements`."""
    n, count = v.size, tables.links.size * SUMS
    sums, at = block(room, 0, tables.links.size, SUMS), count + room_of_tree(n)
    put_motion_rates(tables, q, v, v_dot, rates)
    put_sums(tables, values, sums)
    fill_tree(tables, q, rates, sums, room[count:at], dq, dv, da)
    for j in range(tables.dofs.size):
        da[j, j] += tables.dofs[j].inertia
    if tables.elements.springs.size + tables.elements.joint_forces.size == 0:
        return 0
    return add_elements(tables, values, q, v, rates, make_path(room, at, n), dq, dv)


@kernel
def inverse_derivatives(tables, values, q, v, v_dot, room, dq, dv, da):
    """The same from the state alone; room: RATES more numbers for each coordinate."""
    n = v.size
    fill_rows(dq, 0, n, 0.0)
    fill_rows(dv, 0, n, 0.0)
    fill_rows(da, 0, n, 0.0)
    accelerate_all(tables, q, v, v_dot)
    rates = block(room, 0, n, RATES)
    return fill_derivatives(tables, values, q, v, v_dot, rates, room[n * RATES :], dq, dv, da)


@kernel
def _inverse_derivatives(here, values, q, v, v_dot, out):
    tables = open_tables(here)
    room = np.empty(v.size * RATES + derivative_room(v.size, tables.links.size))
    status = inverse_derivatives(tables, values, q, v, v_dot, room, out[0], out[1], out[2])
    return status if status != 0 or all_finite(out.ravel()) else -1


@fast_arrays(InverseDerivatives)
def _fast_inverse_derivatives(here, values, q, v, w, places, room):
    dq, dv, da = matrix_in(places, 0), matrix_in(places, 1), matrix_in(places, 2)
    status = inverse_derivatives(open_tables(here), values, q, v, w, room, dq, dv, da)
    good = all_finite(dq.ravel()) and all_finite(dv.ravel()) and all_finite(da.ravel())
    return status if status != 0 or good else -1


_quick_inverse_derivatives = _fast_inverse_derivatives.quick


def inverse_dynamics_derivatives(
    system: Mechanism | System,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    t: float = 0.0,
    *,
    method: str = BRACKETS,
) -> InverseDerivatives:
    """Compute exact derivatives of `inverse_dynamics`.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.
    a : array_like of shape (nv,), optional
        Accelerations; zero by default.
    t : float, optional
        Time [s], for drives and functions of time.
    method : str, optional
        "brackets", or "dual" for the same by dual numbers, a slower second route.

    Returns
    -------
    InverseDerivatives
        `.dq` (along `displace`), `.dv`, `.da`, each (nv, nv).

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(3).compile()
    >>> by_acceleration = ct.inverse_dynamics_derivatives(system, system.q0).da
    >>> float(abs(by_acceleration - ct.mass_matrix(system, system.q0)).max()) < 1e-12
    True
    """
    found = _quick_inverse_derivatives(system, q, v, a) if type(t) is float and t == 0.0 else None
    if type(found) is InverseDerivatives and method == BRACKETS:
        return found
    return _inverse_derivatives_of(system, q, v, a, t, method=method)


@of_system_as(inverse_dynamics_derivatives)
def _inverse_derivatives_of(
    system: System, q: Any, v: Any = None, a: Any = None, t: float = 0.0, *, method: Any = BRACKETS
) -> InverseDerivatives:
    """The same for arguments that must be converted or refused, for forces that are functions, and by duals."""
    x, u, w = coordinates(system, q), velocities(system, v), velocities(system, a, "a")
    if choice(method, METHODS, "method") == DUAL:
        return by_duals(system, x, u, w, t)
    if not differenced(system):
        n, links = system.nv, len(system.links)
        room = n * RATES + derivative_room.py_func(n, links)
        found = call_bound(_fast_inverse_derivatives, system, x, u, w, quick=True, shapes=((n, n),) * 3, room=room)
        if type(found) is InverseDerivatives:
            return found
        complain(system, found, q=x, v=u, a=w)
    elements, out = system.elements, np.zeros((3, system.nv, system.nv))
    values = element_values(system, x, u, t) if elements.functions else elements.constants
    status = _inverse_derivatives(system.here, values, x, u, w, out)
    if status:
        complain(system, status, q=x, v=u, a=w)
    add_function_derivatives(system, x, u, t, out[0], out[1])
    return InverseDerivatives(out[0], out[1], out[2])


def by_duals(system: System, q: Array, v: Array, a: Array, t: float) -> InverseDerivatives:
    """The same by dual numbers; user functions and elements of registered kinds are differenced, as by brackets."""
    status = short_spring(system.here, q)
    if status:
        complain(system, status, q=q, v=v, a=a)
    dq, dv, da = (x.force.copy() for x in by_state(system, q, v, a, np.zeros(system.n_constraints), t))
    if not all(np.isfinite(x).all() for x in (dq, dv, da)):
        complain(system, -1, q=q, v=v, a=a)
    add_function_derivatives(system, q, v, t, dq, dv)
    return InverseDerivatives(dq, dv, da)


def complain(system: System, status: int, **arrays: Array) -> None:
    """Raise for a status of the kernels."""
    if status < 0:
        not_finite(system, "derivatives of the dynamics", **arrays)
    name = list(system.mechanism.springs)[status - 1]
    raise SingularError(
        f"spring {name!r} has no length here, so that the direction of its force, and with it the derivative, is not defined; "
        "look at a state next to this one"
    )
