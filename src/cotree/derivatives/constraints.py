"""How the equations of the constraints change with the state: J^T lam for fixed multipliers, and J v_dot - eta for a fixed
acceleration.

By velocities eta is a quadratic function for all rows of the package, and differences of second order are exact. Along
displacements J and eta are differenced to eighth order, with errors of about 1e-12 of their size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian
from cotree.constraints.jacobian_rate import constraint_jacobian_rate
from cotree.constraints.units import column_units
from cotree.kinematics.coordinates import displace
from cotree.system.system import System

Array = NDArray[np.float64]
STEP = 2.0**-6  # radians, or parts of the system's length
EIGHTH = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)


class ConstraintChanges(NamedTuple):
    """force_dq (nv, nv): derivative of J^T lam; by_q, by_v (rows, nv): those of J v_dot - eta; velocity_dq (rows, nv): that of
    J v; along displacements and by velocities."""

    force_dq: Array
    by_q: Array
    by_v: Array
    velocity_dq: Array


def constraint_changes(system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float) -> ConstraintChanges:
    """All derivatives of the constraint equations at a state."""
    n, m = system.nv, len(lam)

    def equations(x: Array) -> Array:
        J = constraint_jacobian(system, x, t)
        return np.concatenate([J.T @ lam, J @ v_dot - constraint_bias(system, x, v, t), J @ v])

    units = column_units(system)
    by_q = _along(lambda s: equations(displace(system, q, s)), n, units)
    by_v = -_along(lambda s: constraint_bias(system, q, v + s, t), n, np.maximum(np.abs(v), units) / STEP * 0.25)
    return ConstraintChanges(by_q[:n], by_q[n : n + m], by_v, by_q[n + m :])


def force_change(system: System, q: Array, lam: Array, t: float) -> Array:
    """(nv, nv): derivative of J^T lam along displacements for fixed multipliers, in closed form but for the user's own rows."""
    if not lam.any():
        return np.zeros((system.nv, system.nv))
    return np.array([constraint_jacobian_rate(system, q, e, t).T @ lam for e in np.eye(system.nv)]).T


def _along(f: Callable[[Array], Array], n: int, units: Array) -> Array:
    """(values, n): derivatives of f at zero along the unit vectors, by central differences of eighth order."""
    columns = []
    for e, unit in zip(np.eye(n), units, strict=True):
        h = STEP * unit
        columns.append(
            sum(c * (f(k * h * e) - f(-k * h * e)) for k, c in enumerate(EIGHTH, 1)) / h,
        )
    return np.array(columns).T
