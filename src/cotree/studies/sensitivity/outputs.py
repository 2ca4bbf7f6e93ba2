"""Outputs of a run by name or function, and their rows of derivatives by displacements, velocities and parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.finite_differences import derivative
from cotree.derivatives.state_changes import Pushes
from cotree.errors import StudyError, UnknownNameError
from cotree.kinematics.coordinates import displace
from cotree.model.checks import several, shown
from cotree.model.mechanism import nearest
from cotree.studies.exact_readings import StateReadings, is_reading
from cotree.system.system import System

Array = NDArray[np.float64]
RATE = ".rate"


class State(NamedTuple):
    """A state of a run, of the system that was in force then."""

    system: System
    t: float
    q: Array
    v: Array


class Outputs(NamedTuple):
    """Names; y (states, outputs), NaN for positions that are not plain coordinates; rows (states, outputs, 2 nv): derivatives
    along displacements and velocities; direct (states, outputs, parameters): those by parameters with the state held."""

    names: tuple[str, ...]
    y: Array
    rows: Array
    direct: Array


def outputs_at(
    system: System, outputs: Sequence[Any] | None, states: list[State], parameters: tuple[str, ...]
) -> Outputs:
    """Values and derivatives of outputs at the states of a run of a system."""
    given, n = _given(system, outputs), system.nv
    shape = len(states), len(given)
    out = Outputs(
        tuple(y if isinstance(y, str) else getattr(y, "__name__", "function") for y in given),
        np.zeros(shape), np.zeros((*shape, 2 * n)), np.zeros((*shape, len(parameters))),
    )  # fmt: skip
    for i, s in enumerate(states):
        sensors = StateReadings(
            s.system, s.q, s.v, s.t, parameters, Pushes.along(np.zeros((0, n)), s.system, timeless=True)
        )
        for k, y in enumerate(given):
            if not isinstance(y, str) and is_reading(y):
                out.y[i, k], slopes = sensors.output(y)
                out.rows[i, k], out.direct[i, k] = slopes[: 2 * n], slopes[2 * n + 1 :]
            elif not isinstance(y, str):
                out.y[i, k], out.rows[i, k] = _called(y, s.q, s.v), _slopes(system, y, s.q, s.v)
            elif y in system.v_names:
                place = int(system.dofs[system.v_index(y)]["iq"])
                out.y[i, k] = s.q[place] if place >= 0 else np.nan
                out.rows[i, k, system.v_index(y)] = 1.0
            else:
                place = system.v_index(y[: -len(RATE)])
                out.y[i, k], out.rows[i, k, n + place] = s.v[place], 1.0
    return out


def _given(system: System, outputs: Sequence[Any] | None) -> list[Any]:
    known = [*system.v_names, *(name + RATE for name in system.v_names)]
    given = known if outputs is None else list(several(outputs, "outputs"))
    for y in given:
        if not callable(y) and y not in known:
            raise UnknownNameError(f"outputs: no coordinate or rate {shown(y)}{nearest(y, known)}")
    return given


def _called(f: Callable[..., Any], q: Array, v: Array) -> float:
    value = np.asarray(f(q, v), dtype=float)
    if value.size != 1:
        raise StudyError(f"outputs: the function {shown(f)} must return one number, got shape {value.shape}")
    return float(value.ravel()[0])


def _slopes(system: System, f: Callable[..., Any], q: Array, v: Array) -> Array:
    def along(x: Array, u: Array) -> float:
        return float(derivative(lambda s: _called(f, displace(system, q, s * x), v + s * u), 0.0, 1))

    n = system.nv
    still = np.zeros(n)
    return np.array([*(along(e, still) for e in np.eye(n)), *(along(still, e) for e in np.eye(n))])
