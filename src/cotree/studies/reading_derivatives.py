"""How readings of sensors change with the state, with forces, with time and with numbers of the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.finite_differences import derivative
from cotree.derivatives.parameters.opening import warn_of_opening
from cotree.errors import ArgumentError, StudyError
from cotree.formulations.forward import forward_dynamics
from cotree.kinematics.coordinates import displace
from cotree.model.checks import names as checked_names
from cotree.model.checks import shown
from cotree.model.numbers import number_named, numbers_of, with_parameters
from cotree.sensors.sensors import Sensors
from cotree.sensors.states import Block
from cotree.studies.exact_readings import Reading, StateReadings, read_at, value_of_reading
from cotree.system.arguments import coordinates, of_system, require_finite, velocities
from cotree.system.system import System

Array = NDArray[np.float64]
PLACES = ("point", "axis", "axis1", "axis2", "normal")  # numbers of joints that place them


class ReadingDerivatives(NamedTuple):
    """value (k,) of a reading, and its derivatives: dq, dv, dtau (k, nv) along the coordinates (by `displace`), by v and by
    forces along the coordinates, dt (k,) by time, dparameters (k, names) by numbers of the mechanism; exact: whether they are,
    or differences."""

    value: Array
    dq: Array
    dv: Array
    dt: Array
    names: tuple[str, ...]
    dparameters: Array
    dtau: Array
    exact: bool


@of_system
def reading_derivatives(
    system: System,
    q: ArrayLike,
    reading: Callable[[Sensors], Any],
    v: ArrayLike | None = None,
    t: float = 0.0,
    parameters: Sequence[str] = (),
) -> ReadingDerivatives:
    """Compute exact derivatives of what sensors read.

    Laws that are user functions and force elements of registered kinds are differenced to
    eighth order.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    reading : callable
        Function of the sensors of a state that returns a number or an array.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.
    t : float, optional
        Time [s], for drives and functions of time.
    parameters : sequence of str, optional
        Names as `ct.parameters` lists them, with q and v held.

    Returns
    -------
    ReadingDerivatives
        `.dq`, `.dv`, `.dparameters`; `.exact` is False where the whole function had to be
        differenced.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(1)
    >>> coil = mech.joint_spring("coil", "J1", stiffness=20.0)
    >>> slopes = ct.reading_derivatives(mech, [0.3], lambda s: s.element("coil").force, parameters=["coil.stiffness"])
    >>> slopes.dq, slopes.dparameters, slopes.exact
    (array([[-20.]]), array([[-0.3]]), True)
    """
    if not callable(reading):
        raise ArgumentError(
            f"reading is {shown(reading)}; give a function of sensors, as in lambda s: s.joint('A').rate"
        )
    x, u = coordinates(system, q), velocities(system, v)
    require_finite(system, q=x, v=u)
    names, n = checked_names(parameters, "parameters"), system.nv
    known = numbers_of(system.mechanism) if names else {}
    for name in names:
        number_named(known, name, system.mechanism)
    warn_of_opening(system, x, names, t, stacklevel=3)
    sensors = StateReadings(system, x, u, t, names)
    value = value_of_reading(reading, sensors.plain)
    found = sensors.slopes(reading, value)
    exact = found is not None
    if found is None:
        values = {name: known[name][1] for name in names}
        found = _differenced(system, reading, x, u, t, values, value)
    dq, dv, dtau, dt, dp = np.split(found, [n, 2 * n, 3 * n, 3 * n + 1], axis=1)
    return ReadingDerivatives(value, dq, dv, dt[:, 0], names, dp, dtau, exact)


def _differenced(
    system: System, reading: Reading, q: Array, v: Array, t: float, numbers: dict[str, float], value: Array
) -> Array:
    """(k, directions): along coordinates, velocities, forces, time and numbers, by differences of eighth order whose steps find
    themselves."""

    def slope(f: Callable[[float], Array]) -> Array:
        return np.asarray(derivative(f, 0.0, 1), dtype=float).reshape(len(value))

    def by_number(name: str, now: float) -> Array:
        unit = abs(now) or 1.0
        return slope(lambda s: read_at(_changed(system, name, now + unit * s), reading, q, v, t)) / unit

    for name, now in numbers.items():
        _changed(system, name, now)  # complains about those that cannot be changed
    one = np.eye(system.nv)
    columns = [slope(lambda s, e=e: read_at(system, reading, displace(system, q, s * e), v, t)) for e in one]  # type: ignore[misc]
    columns += [slope(lambda s, e=e: read_at(system, reading, q, v + s * e, t)) for e in one]  # type: ignore[misc]
    columns += [slope(lambda s, e=e: _read_pushed(system, reading, q, v, t, s * e)) for e in one]  # type: ignore[misc]
    columns.append(slope(lambda s: read_at(system, reading, q, v, t + s)))
    columns += [by_number(name, now) for name, now in numbers.items()]
    return np.array(columns).reshape(-1, len(value)).T


def _read_pushed(system: System, reading: Reading, q: Array, v: Array, t: float, tau: Array) -> Array:
    """The reading with forces along the coordinates."""
    block = Block(system, np.array([t]), q[None], v[None])
    plain, found = block.accelerated, forward_dynamics(system, q, v, tau, t=t)
    block.__dict__["accelerated"] = replace(plain, v_dot=found.v_dot[None], multipliers=found.multipliers[None])
    return value_of_reading(reading, Sensors(system, [block], single=True))


def _changed(system: System, name: str, value: float) -> System:
    """With another value of a number, and the same tree and coordinates."""
    mech = with_parameters(system, {name: value})
    if system.cut_joints and any(f".{part}." in name for part in PLACES):
        raise StudyError(
            f"reading_derivatives: {name!r} moves a joint, with which the loops of system {system.name!r} open here, and the "
            "reading has to be differenced; read what has closed forms, or use ct.sensitivities of a run"
        )
    cut = list(system.cut_joints) if system.coordinates == "relative" else None
    return mech.compile(coordinates=system.coordinates, group=system.group, cut=cut)
