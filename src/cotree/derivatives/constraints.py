"""How the equations of the constraints change with the state: J^T lam for fixed multipliers, and J v_dot - eta for a fixed
acceleration.

Rows of the package have closed forms (`row_changes`). A system with user-defined rows, or rows of a kind without jets, has its
equations differenced to eighth order along displacements; by velocities eta is a quadratic function, and differences are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.all_rows import put_rates, put_wrenches
from cotree.constraints.api import constraint_bias, constraint_jacobian
from cotree.constraints.jacobian_rate import constraint_jacobian_rate
from cotree.constraints.units import column_units
from cotree.derivatives.motion import RATES, put_motion_rates
from cotree.derivatives.row_changes import put_changes, room_of_rows
from cotree.derivatives.tree import accelerate_all
from cotree.engine.kernel import kernel
from cotree.kinematics.coordinates import displace
from cotree.system.rows import all_kinds
from cotree.system.system import System
from cotree.system.views import open_tables

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


@kernel
def _changes(here, q, v, v_dot, lam, owners, addresses, by_q, by_v, velocity_dq, force_dq):
    tables = open_tables(here)
    accelerate_all(tables, q, v, v_dot)
    rates = np.empty((v.size, RATES))
    put_motion_rates(tables, q, v, v_dot, rates)
    put_wrenches(here)
    put_rates(here)
    room = np.empty(room_of_rows(v.size))
    put_changes(here, tables, q, lam, owners, addresses, rates, room, by_q, by_v, velocity_dq, force_dq)


def constraint_changes(system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float) -> ConstraintChanges:
    """All derivatives of the constraint equations at a state."""
    owners, addresses = jets_of(system)
    if addresses is None:
        return by_differences(system, q, v, v_dot, lam, t)
    n, m = system.nv, len(lam)
    by_q, by_v, velocity_dq, force_dq = np.zeros((m, n)), np.zeros((m, n)), np.zeros((m, n)), np.zeros((n, n))
    _changes(system.here, q, v, v_dot, lam, owners, addresses, by_q, by_v, velocity_dq, force_dq)
    return ConstraintChanges(force_dq, by_q, by_v, velocity_dq)


def jets_of(system: System) -> tuple[Any, Any]:
    """(kind and place of the owner of each piece and which link carries it, addresses of the kinds' jets); None where some have
    none."""

    def make() -> tuple[Any, Any]:
        kinds = all_kinds(system.cuts, system.extra_rows)
        if system.extra_rows.user or any(kind.jets is None for kind, _, _ in kinds):
            return None, None
        begins = sorted(
            (base + int(x["piece"]), k, i, kind.carrier(x))
            for k, (kind, table, base) in enumerate(kinds)
            for i, x in enumerate(table)
        )
        ends = [start for start, *_ in begins[1:]] + [len(system.tables["pieces"])]
        owners = [owner for (start, *owner), end in zip(begins, ends, strict=True) for _ in range(start, end)]
        return np.array(owners, np.int64).reshape(-1, 3), np.array(
            [k.jets.address for k, _, _ in kinds if k.jets], np.int64
        )

    made: tuple[Any, Any] = system.cached("jets of rows", make)
    return made


def by_differences(system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float) -> ConstraintChanges:
    """The same from values of the equations alone."""
    n, m = system.nv, len(lam)

    def equations(x: Array) -> Array:
        J = constraint_jacobian(system, x, t)
        return np.concatenate([J.T @ lam, J @ v_dot - constraint_bias(system, x, v, t), J @ v])

    units = column_units(system)
    by_q = along_displacements(lambda s: equations(displace(system, q, s)), n, units)
    by_v = -along_displacements(
        lambda s: constraint_bias(system, q, v + s, t), n, np.maximum(np.abs(v), units) / STEP * 0.25
    )
    return ConstraintChanges(by_q[:n], by_q[n : n + m], by_v, by_q[n + m :])


def force_change(system: System, q: Array, lam: Array, t: float) -> Array:
    """(nv, nv): derivative of J^T lam along displacements for fixed multipliers, in closed form but for the user's own rows."""
    if not lam.any():
        return np.zeros((system.nv, system.nv))
    if jets_of(system)[1] is not None:
        still = np.zeros(system.nv)
        return constraint_changes(system, q, still, still, lam, t).force_dq
    return np.array([constraint_jacobian_rate(system, q, e, t).T @ lam for e in np.eye(system.nv)]).T


def along_displacements(f: Callable[[Array], Array], n: int, units: Array) -> Array:
    """(values, n): derivatives of f at zero along the unit vectors, by central differences of eighth order."""
    columns = []
    for e, unit in zip(np.eye(n), units, strict=True):
        h = STEP * unit
        columns.append(
            sum(c * (f(k * h * e) - f(-k * h * e)) for k, c in enumerate(EIGHTH, 1)) / h,
        )
    return np.array(columns).T
