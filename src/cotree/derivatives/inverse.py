"""Exact derivatives of inverse dynamics: what a user calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike, NDArray

from cotree.derivatives.between import make_path
from cotree.derivatives.composites import SUMS, put_sums
from cotree.derivatives.elements import add_elements
from cotree.derivatives.functions import add_function_derivatives, differenced
from cotree.derivatives.motion import RATES, put_motion_rates
from cotree.derivatives.tree import accelerate_all, fill_tree
from cotree.dynamics.user_forces import element_values
from cotree.engine.fast_call import fast_blocks
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite, fill_rows
from cotree.errors import SingularError
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import coordinates, not_finite, of_system_as, velocities
from cotree.system.fast_calls import call_bound
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


class InverseDerivatives(NamedTuple):
    """Derivatives (nv, nv) of the forces of `inverse_dynamics`: column c along coordinate c of q (by `displace`), of v, of the
    acceleration; the last is the mass matrix."""

    dq: Array
    dv: Array
    da: Array


@kernel
def fill_derivatives(tables, values, q, v, v_dot, rates, dq, dv, da):
    """All but user functions, into zeros; links have twists and accelerations. Status as of `add_elements`."""
    sums = np.empty((tables.links.size, SUMS))
    put_motion_rates(tables, q, v, v_dot, rates)
    put_sums(tables, values, sums)
    fill_tree(tables, q, rates, sums, dq, dv, da)
    for j in range(tables.dofs.size):
        da[j, j] += tables.dofs[j].inertia
    if tables.elements.springs.size + tables.elements.joint_forces.size == 0:
        return 0
    return add_elements(tables, values, q, v, rates, make_path(v.size), dq, dv)


@kernel
def _inverse_derivatives(here, values, q, v, v_dot, out):
    tables = open_tables(here)
    accelerate_all(tables, q, v, v_dot)
    rates = np.empty((v.size, RATES))
    status = fill_derivatives(tables, values, q, v, v_dot, rates, out[0], out[1], out[2])
    return status if status != 0 or all_finite(out.ravel()) else -1


@fast_blocks(3, 0, 1)
def _fast_inverse_derivatives(here, values, q, v, w, out):
    """The three matrices below each other."""
    n = v.size
    fill_rows(out, 0, 3 * n, 0.0)
    tables, rates = open_tables(here), np.empty((n, RATES))
    accelerate_all(tables, q, v, w)
    status = fill_derivatives(tables, values, q, v, w, rates, out[:n], out[n : 2 * n], out[2 * n :])
    return status if status != 0 or all_finite(out.ravel()) else -1


_quick_inverse_derivatives = _fast_inverse_derivatives.quick


def inverse_dynamics_derivatives(
    system: Mechanism | System, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None, t: float = 0.0
) -> InverseDerivatives:
    """Exact derivatives of `inverse_dynamics(system, q, v, a, t)`, O(nv depth), in closed form by Lie brackets.

    Springs, dampers, motors and loads count. Where their forces are functions of the state, written by the user, the
    derivatives of these functions are found by differences of eighth order.

    >>> system = ct.gallery.pendulum_chain(3).compile()
    >>> by_acceleration = ct.inverse_dynamics_derivatives(system, system.q0).da
    >>> float(abs(by_acceleration - ct.mass_matrix(system, system.q0)).max()) < 1e-12
    True
    """
    found = _quick_inverse_derivatives(system, q, v, a) if type(t) is float and t == 0.0 else None
    if type(found) is not ndarray:
        return _inverse_derivatives_of(system, q, v, a, t)
    n = found.shape[1]
    return InverseDerivatives(found[:n], found[n : 2 * n], found[2 * n :])


@of_system_as(inverse_dynamics_derivatives)
def _inverse_derivatives_of(system: System, q: Any, v: Any = None, a: Any = None, t: float = 0.0) -> InverseDerivatives:
    """The same for arguments that must be converted or refused, and for forces that are functions."""
    x, u, w = coordinates(system, q), velocities(system, v), velocities(system, a, "a")
    if not differenced(system):
        found = call_bound(_fast_inverse_derivatives, system, x, u, w, quick=True)
        if type(found) is not ndarray:
            complain(system, found, q=x, v=u, a=w)
        return InverseDerivatives(*found.reshape(3, system.nv, system.nv))
    elements, out = system.elements, np.zeros((3, system.nv, system.nv))
    values = element_values(system, x, u, t) if elements.functions else elements.constants
    status = _inverse_derivatives(system.here, values, x, u, w, out)
    if status:
        complain(system, status, q=x, v=u, a=w)
    add_function_derivatives(system, x, u, t, out[0], out[1])
    return InverseDerivatives(out[0], out[1], out[2])


def complain(system: System, status: int, **arrays: Array) -> None:
    """Raise for a status of the kernels."""
    if status < 0:
        not_finite(system, "derivatives of the dynamics", **arrays)
    name = list(system.mechanism.springs)[status - 1]
    raise SingularError(
        f"spring {name!r} has no length here, so that the direction of its force, and with it the derivative, is not defined; "
        "look at a state next to this one"
    )
