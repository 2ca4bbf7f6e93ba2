"""How readings of sensors change with the state, with time and with numbers of the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.finite_differences import derivative
from cotree.errors import ArgumentError, StudyError
from cotree.kinematics.coordinates import displace
from cotree.model.calls import blame
from cotree.model.checks import floats, shown
from cotree.model.checks import names as checked_names
from cotree.model.numbers import parameters as all_parameters
from cotree.model.numbers import with_parameters
from cotree.sensors.measuring import measure
from cotree.sensors.sensors import Sensors
from cotree.system.arguments import coordinates, of_system, require_finite, velocities
from cotree.system.system import System

Array = NDArray[np.float64]
PLACES = ("point", "axis", "axis1", "axis2", "normal")  # numbers of joints that place them


class ReadingDerivatives(NamedTuple):
    """value (k,) of a reading, and its derivatives: dq, dv (k, nv) along the coordinates (by `displace`) and by v, dt (k,) by
    time, dparameters (k, names) by numbers of the mechanism."""

    value: Array
    dq: Array
    dv: Array
    dt: Array
    names: tuple[str, ...]
    dparameters: Array


@of_system
def reading_derivatives(
    system: System,
    q: ArrayLike,
    reading: Callable[[Sensors], Any],
    v: ArrayLike | None = None,
    t: float = 0.0,
    parameters: Sequence[str] = (),
) -> ReadingDerivatives:
    """Derivatives of what sensors read: accelerations, reactions, forces and powers of elements, anything of `ct.measure`.

    reading: a function of the sensors of a state that returns a number or an array. parameters: names as `ct.parameters` lists
    them ("coil.stiffness", "servo.torque"), with q and v held. Found by differences of eighth order whose steps find
    themselves, about 1e-10 of the reading; what has closed forms is exact in `forward_dynamics_derivatives`,
    `parameter_derivatives` and `energy_derivatives`.

    >>> mech = ct.gallery.pendulum_chain(1)
    >>> coil = mech.joint_spring("coil", "J1", stiffness=20.0)
    >>> found = ct.reading_derivatives(mech, [0.3], lambda s: s.element("coil").force, parameters=["coil.stiffness"])
    >>> found.dq.round(6), found.dparameters.round(6)
    (array([[-20.]]), array([[-0.3]]))
    """
    if not callable(reading):
        raise ArgumentError(
            f"reading is {shown(reading)}; give a function of sensors, as in lambda s: s.joint('A').rate"
        )
    x, u = coordinates(system, q), velocities(system, v)
    require_finite(system, q=x, v=u)
    names = checked_names(parameters, "parameters")
    known = all_parameters(system) if names else {}

    def read(where: System, x: Array, u: Array, t: float) -> Array:
        sensors = measure(where, x, u, t)
        try:
            value = floats(reading(sensors))
        except Exception as error:
            blame(error, "the function that is differentiated", t)
            raise
        if value is None:
            raise StudyError(f"the reading {shown(reading)} must return numbers")
        return np.asarray(value, dtype=float).ravel()

    value = read(system, x, u, t)

    def slope(f: Callable[[float], Array]) -> Array:
        return np.asarray(derivative(f, 0.0, 1), dtype=float).reshape(len(value))

    def columns(found: list[Array]) -> Array:
        return np.array(found).reshape(-1, len(value)).T

    def by_number(name: str) -> Array:
        now = float(known[name])
        unit = abs(now) or 1.0
        return slope(lambda s: read(_changed(system, name, now + unit * s), x, u, t)) / unit

    for name in names:
        _changed(system, name, float(known.get(name, 0.0)))  # complains about names that are not known
    unit_vectors = np.eye(system.nv)

    def along_q(e: Array) -> Array:
        return slope(lambda s: read(system, displace(system, x, s * e), u, t))

    def along_v(e: Array) -> Array:
        return slope(lambda s: read(system, x, u + s * e, t))

    return ReadingDerivatives(
        value,
        columns([along_q(e) for e in unit_vectors]),
        columns([along_v(e) for e in unit_vectors]),
        slope(lambda s: read(system, x, u, t + s)),
        names,
        columns([by_number(name) for name in names]),
    )


def _changed(system: System, name: str, value: float) -> System:
    """With another value of a number, and the same tree and coordinates."""
    mech = with_parameters(system, {name: value})
    if system.cut_joints and any(f".{part}." in name for part in PLACES):
        raise StudyError(
            f"reading_derivatives: {name!r} moves a joint, with which the loops of system {system.name!r} open here; "
            "use ct.parameter_derivatives, or ct.sensitivities of a run"
        )
    cut = list(system.cut_joints) if system.coordinates == "relative" else None
    return mech.compile(coordinates=system.coordinates, group=system.group, cut=cut)
