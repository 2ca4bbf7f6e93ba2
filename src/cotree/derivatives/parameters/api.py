"""Exact derivatives by parameters: what a user calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.derivatives.constrained import constrained_derivatives, solve_constrained
from cotree.derivatives.parameters.changes import parameter_changes
from cotree.derivatives.parameters.opening import warn_of_opening
from cotree.derivatives.parameters.seeds import directions_of
from cotree.dynamics.api import mass_matrix, tree_forces
from cotree.formulations.forward import forward_dynamics
from cotree.model.checks import names as checked_names
from cotree.system.arguments import coordinates, of_system, require_finite, velocities
from cotree.system.system import System

Array = NDArray[np.float64]


class ParameterDerivatives(NamedTuple):
    """Derivatives by the parameters `names`, one column each. force (nv, P): of `inverse_dynamics` at the acceleration of
    this state; v_dot (nv, P) and multipliers (n_constraints, P): of `forward_dynamics`, q and v held; residual, velocity
    (n_constraints, P): of the constraint residual g and of J v."""

    names: tuple[str, ...]
    force: Array
    v_dot: Array
    multipliers: Array
    residual: Array
    velocity: Array


@of_system
def parameter_derivatives(
    system: System,
    q: ArrayLike,
    v: ArrayLike | None = None,
    parameters: Sequence[str] = (),
    tau: ArrayLike | None = None,
    t: float = 0.0,
) -> ParameterDerivatives:
    """Compute exact derivatives of the dynamics by numbers of the mechanism.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.
    parameters : sequence of str
        Names as `ct.parameters` lists them.
    tau : array_like of shape (nv,), optional
        Forces along the coordinates.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    ParameterDerivatives
        `.v_dot` and others, one column per parameter.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.parameter_derivatives(system, system.q0, parameters=["crank.mass", "B.point.x"]).v_dot.shape
    (3, 2)
    """
    x, u, f = coordinates(system, q), velocities(system, v), velocities(system, tau, "tau")
    require_finite(system, q=x, v=u, tau=f)
    names = checked_names(parameters, "parameters")
    d, m = directions_of(system, names), system.n_constraints
    if not m:
        v_dot = forward_dynamics(system, x, u, f, t=t).v_dot
        found = parameter_changes(system, x, u, v_dot, np.zeros(0), t, d)
        by_p = np.asarray(-np.linalg.solve(mass_matrix(system, x), found.force), dtype=np.float64)
        none = np.zeros((0, len(names)))
        return ParameterDerivatives(names, found.force, by_p, none, none, none)
    c = constrained_derivatives(system, x, u, f, t)
    warn_of_opening(system, x, names, t, stacklevel=3)
    lam = multipliers_of(system, c, x, u, f, t)
    found = parameter_changes(system, x, u, c.v_dot, lam, t, d)
    still = parameter_changes(system, x, u, c.v_dot, np.zeros(m), t, d)
    L = np.asarray(np.linalg.cholesky(mass_matrix(system, x)), dtype=np.float64)
    dv_dot, dlam = solve_constrained(L, c.J[c.rows], -found.force, -found.acceleration[c.rows])
    everywhere = np.zeros((m, len(names)))
    everywhere[c.rows] = dlam
    return ParameterDerivatives(names, still.force, dv_dot, everywhere, found.gap, found.velocity)


def multipliers_of(system: System, c: Any, q: Array, v: Array, tau: Array, t: float) -> Array:
    """Those of the independent rows that derivatives are taken of, zeros for the others."""
    lam = np.zeros(system.n_constraints)
    force = tau - tree_forces(system, q, v, c.v_dot, t)
    lam[c.rows] = np.linalg.lstsq(c.J[c.rows].T, force, rcond=None)[0]
    return lam
