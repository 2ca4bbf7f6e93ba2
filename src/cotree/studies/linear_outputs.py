"""Inputs and outputs of linear equations: forces from outside by name, and rows of what is read of small motions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.finite_differences import derivative
from cotree.derivatives.functions import force_directions
from cotree.derivatives.state_changes import Pushes
from cotree.errors import StudyError, UnknownNameError
from cotree.kinematics.coordinates import displace
from cotree.model.checks import several, shown
from cotree.model.mechanism import nearest
from cotree.studies.exact_readings import StateReadings, is_reading
from cotree.studies.law_states import LawStates
from cotree.system.system import System

Array = NDArray[np.float64]
RATE = ".rate"


def input_pushes(system: System, given: Sequence[str] | None) -> tuple[tuple[str, ...], Pushes]:
    """Names of the inputs, and a unit of each."""
    mech, n, shape = system.mechanism, system.nv, system.elements.constants.shape
    motors = [f.name for f in mech.joint_forces.values() if f.torque is not None]
    rows = {name: k for k, name in enumerate([*mech.loads, *motors])}
    names, tau, slots = list[str](), list[Array](), list[Array]()
    for name in motors if given is None else several(given, "inputs"):
        if isinstance(name, str) and name in rows:
            for place, part in enumerate([""] if name in motors else [".x", ".y", ".z"]):
                unit = np.zeros(shape)
                unit[rows[name], place] = 1.0
                names.append(name + part)
                tau.append(np.zeros(n))
                slots.append(unit)
        elif isinstance(name, str) and name in system.v_names:
            names.append(name)
            tau.append(np.eye(n)[system.v_index(name)])
            slots.append(np.zeros(shape))
        else:
            known = [*rows, *system.v_names]
            raise UnknownNameError(f"inputs: no motor, load or coordinate {shown(name)}{nearest(name, known)}")
    return tuple(names), Pushes(np.array(tau).reshape(len(names), n), np.array(slots).reshape(len(names), *shape))


def generalized(system: System, q: Array, pushes: Pushes) -> Array:
    """(nv, K): generalized forces of pushes."""
    directions = force_directions(system, q).reshape(system.nv, -1)
    return np.asarray(pushes.tau.T + directions @ pushes.flat.T)


def input_forces(system: System, q: Array, given: Sequence[str] | None) -> tuple[tuple[str, ...], Array]:
    """Names of the inputs and the generalized forces of their units (nv, inputs)."""
    names, pushes = input_pushes(system, given)
    return names, generalized(system, q, pushes)


class About(NamedTuple):
    """What linear equations are about: a state, names of the linear states, their displacements and velocities (nv, states),
    the states of laws among them, and whether laws are sampled."""

    system: System
    q: Array
    v: Array
    t: float
    states: tuple[str, ...]
    of_q: Array
    of_v: Array
    laws: LawStates
    sampled: bool


def output_rows(x: About, given: Sequence[Any], pushes: Pushes) -> tuple[tuple[str, ...], Array, Array]:
    """Names of the outputs, and their rows by states and by inputs."""
    system, names, rows, wanted = x.system, list[str](), list[Array](), several(given, "outputs")
    D = np.zeros((len(wanted), len(pushes.tau)))
    for k, y in enumerate(wanted):
        if callable(y):
            names.append(getattr(y, "__name__", "function"))
            if is_reading(y):
                row, D[k] = _row_of_reading(x, y, pushes)
                rows.append(row)
            else:
                rows.append(_row_of(y, x))
        elif isinstance(y, str) and y in system.v_names:
            names.append(y)
            rows.append(x.of_q[system.v_index(y)])
        elif isinstance(y, str) and y in x.states:  # of a law
            names.append(y)
            rows.append(np.eye(len(x.states))[x.states.index(y)])
        elif isinstance(y, str) and y.endswith(RATE) and y[: -len(RATE)] in system.v_names:
            names.append(y)
            rows.append(x.of_v[system.v_index(y[: -len(RATE)])])
        else:
            known = [*system.v_names, *(name + RATE for name in system.v_names)]
            raise UnknownNameError(f"outputs: no coordinate or rate {shown(y)}{nearest(y, known)}")
    return tuple(names), np.array(rows).reshape(-1, len(x.states)), D


def _row_of_reading(x: About, f: Callable[..., Any], pushes: Pushes) -> tuple[Array, Array]:
    """Derivatives of a function of sensors by the states, and by the inputs."""
    kept = len(x.laws.places)
    if x.sampled or (kept and x.system.elements.kinds):
        raise StudyError(
            f"outputs: the function {shown(f)} of sensors cannot be an output with laws that are sampled, or that have states "
            "beside force elements of registered kinds; give coordinates, rates or a function of (q, v)"
        )
    n, count = x.system.nv, len(pushes.tau)
    slots = x.laws.numbers(x.q, x.v, x.t) if kept else np.zeros((0, *pushes.slots.shape[1:]))
    both = Pushes(np.vstack([pushes.tau, np.zeros((kept, n))]), np.concatenate([pushes.slots, slots]), timeless=True)
    _, found = StateReadings(x.system, x.q, x.v, x.t, (), both).output(f)
    by_q, by_v, by_input, by_laws = np.split(found[:-1], [n, 2 * n, 2 * n + count])
    row = by_q @ x.of_q + by_v @ x.of_v
    row[len(row) - kept :] += by_laws
    return np.asarray(row), by_input


def _row_of(f: Callable[..., Any], x: About) -> Array:
    """Derivatives of f(q, v) along the states, by differences."""

    def at(s: float, along: Array, faster: Array) -> float:
        value = np.asarray(f(displace(x.system, x.q, s * along), x.v + s * faster), dtype=float)
        if value.size != 1:
            raise StudyError(f"outputs: the function {shown(f)} must return one number, got shape {value.shape}")
        return float(value.ravel()[0])

    def slope(along: Array, faster: Array) -> float:
        return float(derivative(lambda s: at(s, along, faster), 0.0, 1))

    return np.array([slope(along, faster) for along, faster in zip(x.of_q.T, x.of_v.T, strict=True)])
