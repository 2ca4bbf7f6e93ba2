"""Forces whose derivatives have no closed form here, by differences of eighth order: user functions, and force elements of
registered kinds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.finite_differences import derivative
from cotree.derivatives.kind_changes import subtract_changes, told_pieces
from cotree.derivatives.kind_slopes import add_path, put_kind_forces, subtract_kind_slopes
from cotree.dynamics.elements import load_wrench
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.kinematics.coordinates import displace
from cotree.kinematics.cut_joint import cut_wrench
from cotree.kinematics.sweep import place_all
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@kernel
def _directions(here, q, B):
    """B[3 k + n]: generalized forces of a unit of number n of load or motor k."""
    tables = open_tables(here)
    place_all(tables, q)
    _, loads, joint_forces, cuts, _ = tables.elements
    for k in range(loads.size):
        for n in range(3):
            e = (1.0 * (n == 0), 1.0 * (n == 1), 1.0 * (n == 2))
            W = load_wrench(loads[k], tables.work, e)
            add_path(tables.links, tables.dof_work, loads[k].link, 1.0, W, B[3 * k + n])
    for k in range(joint_forces.size):
        f = joint_forces[k]
        if f.slot < 0:
            continue
        if f.cut < 0:
            B[3 * f.slot, f.iv] += 1.0
        else:
            W = cut_wrench(cuts[f.cut], f.component, tables.work)
            add_path(tables.links, tables.dof_work, cuts[f.cut].link_b, 1.0, W, B[3 * f.slot])
            add_path(tables.links, tables.dof_work, cuts[f.cut].link_a, -1.0, W, B[3 * f.slot])


def force_directions(system: System, q: Array) -> Array:
    """(nv, slots, 3): generalized forces of a unit of each number of the loads and motors."""
    B = np.zeros((3 * len(system.elements.constants), system.nv))
    _directions(system.here, q, B)
    return np.ascontiguousarray(B.T).reshape(system.nv, -1, 3)


def differenced(system: System) -> bool:
    """Whether a system has forces that `add_function_derivatives` is needed for."""
    return bool(system.elements.functions or system.elements.kinds)


def _of_kinds(system: System, rows: list[int]) -> bool:
    """Whether one of these rows of numbers is read by an element of a registered kind: neither by a load nor by a motor."""
    motors = set(system.elements.joint_forces["slot"].tolist())
    return any(row >= len(system.elements.loads) and row not in motors for row in rows)


def add_function_derivatives(system: System, q: Array, v: Array, t: float, dq: Array, dv: Array) -> None:
    """Subtract what changes with user functions and with elements of registered kinds, in place."""
    of_state = [row for row, user in system.elements.functions if set(user.arguments) - {"t"}]
    if system.elements.kinds:
        _subtract_kinds(system, q, v, t, _of_kinds(system, of_state), dq, dv)
    if not of_state:
        return
    B = force_directions(system, q)[:, of_state].reshape(system.nv, -1)
    dq -= B @ _slopes(lambda x: element_values(system, displace(system, q, x), v, t)[of_state], system.nv)
    dv -= B @ _slopes(lambda x: element_values(system, q, v + x, t)[of_state], system.nv)


def _subtract_kinds(system: System, q: Array, v: Array, t: float, of_state: bool, dq: Array, dv: Array) -> None:
    """Elements that say how they change, exactly; the others by differences. of_state: some of them are user functions."""
    values, rest = element_values(system, q, v, t), told_pieces(system)[2]
    subtract_changes(system, values, q, v, dq, dv)
    if of_state:
        dq -= _slopes(lambda x: kind_forces(system, displace(system, q, x), v, t, rest), system.nv)
        dv -= _slopes(lambda x: kind_forces(system, q, v + x, t, rest), system.nv)
    elif len(rest):
        subtract_kind_slopes(system.here, values, q, v, rest, dq, dv)


@kernel
def _kind_forces(here, values, q, v, pieces, out):
    put_kind_forces(open_tables(here), values, q, v, pieces, out)


def kind_forces(system: System, q: Array, v: Array, t: float, pieces: NDArray[np.int64] | None = None) -> Array:
    """(nv,): generalized forces of these pieces of elements of registered kinds, by default of all."""
    out, some = np.empty(system.nv), np.arange(len(system.elements.pieces)) if pieces is None else pieces
    _kind_forces(system.here, element_values(system, q, v, t), q, v, some, out)
    return out


def _slopes(f: Callable[[Array], Array], n: int) -> Array:
    """(values, n): derivatives along the unit vectors; numbers that no function gives count as constants."""

    def along(e: Array) -> Array:
        return np.asarray(derivative(lambda s: np.nan_to_num(f(s * e).ravel()), 0.0, 1))

    return np.array([along(e) for e in np.eye(n)]).T
