"""Exact derivatives by parameters: what a user calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.all_rows import put_rates, put_wrenches
from cotree.derivatives.constrained import constrained_derivatives, solve_constrained
from cotree.derivatives.constraints import jets_of
from cotree.derivatives.parameters.directions import Directions
from cotree.derivatives.parameters.fields import put_parameter_changes
from cotree.derivatives.parameters.seeds import directions_of
from cotree.derivatives.tree import accelerate_all
from cotree.dynamics.api import inverse_dynamics, mass_matrix
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.formulations.forward import forward_dynamics
from cotree.model.checks import names as checked_names
from cotree.system.arguments import coordinates, of_system, require_finite, velocities
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]
NO_OWNERS, NO_ADDRESSES = np.zeros((0, 3), np.int64), np.zeros(0, np.int64)


class ParameterChanges(NamedTuple):
    """Columns by parameter, for q, v, v_dot and lam held: force (nv, P) of ID + J^T lam; acceleration, velocity, gap
    (rows, P) of J v_dot - eta, of J v - b and of the residual g."""

    force: Array
    acceleration: Array
    velocity: Array
    gap: Array


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


@kernel
def _changes(here, values, q, v, v_dot, lam, owners, addresses, d, out):
    tables = open_tables(here)
    accelerate_all(tables, q, v, v_dot)
    put_wrenches(here)
    put_rates(here)
    put_parameter_changes(here, tables, values, q, v, v_dot, lam, owners, addresses, d, out)


def parameter_changes(
    system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float, d: Directions
) -> ParameterChanges:
    """All of them for a state, an acceleration and multipliers of all rows."""
    n, m, count = system.nv, len(lam), len(d.moves)
    owners, addresses = jets_of(system) if m else (None, None)
    if addresses is None:  # a tree, or user-defined rows, with which no link is displaced
        owners, addresses = NO_OWNERS, NO_ADDRESSES
    out = np.zeros((n + 3 * m, count))
    _changes(system.here, element_values(system, q, v, t), q, v, v_dot, lam, owners, addresses, d, out)
    return ParameterChanges(out[:n], out[n : n + m], out[n + m : n + 2 * m], out[n + 2 * m :])


@of_system
def parameter_derivatives(
    system: System,
    q: ArrayLike,
    v: ArrayLike | None = None,
    parameters: Sequence[str] = (),
    tau: ArrayLike | None = None,
    t: float = 0.0,
) -> ParameterDerivatives:
    """Exact derivatives of the dynamics by numbers of the mechanism, named as `ct.parameters` lists them.

    Masses, mass centres, inertia, points and axes of joints, springs, dampers, loads, motors and gravity, in closed form: the
    inverse dynamics is linear in masses and inertia, and a joint whose frame moves displaces what it carries as a coordinate
    would. With constraints by implicit differentiation, as `forward_dynamics_derivatives`.

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
    force = tau - inverse_dynamics(system, q, v, c.v_dot, t)
    lam[c.rows] = np.linalg.lstsq(c.J[c.rows].T, force, rcond=None)[0]
    return lam
