"""Outputs of a run by name or function, and their rows of derivatives by displacements and velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.finite_differences import derivative
from cotree.errors import StudyError, UnknownNameError
from cotree.kinematics.coordinates import displace
from cotree.model.checks import several, shown
from cotree.model.mechanism import nearest
from cotree.system.system import System

Array = NDArray[np.float64]
RATE = ".rate"


def rows_of_outputs(
    system: System, outputs: Sequence[Any] | None, states: list[tuple[Array, Array]]
) -> tuple[tuple[str, ...], Array]:
    """Names, and rows (states, outputs, 2 nv)."""
    n = system.nv
    given = _given(system, outputs)
    names = tuple(y if isinstance(y, str) else getattr(y, "__name__", "function") for y in given)
    rows = np.zeros((len(states), len(given), 2 * n))
    for k, y in enumerate(given):
        if not isinstance(y, str):
            rows[:, k] = [_slopes(system, y, q, v) for q, v in states]
        elif y in system.v_names:
            rows[:, k, system.v_index(y)] = 1.0
        else:
            rows[:, k, n + system.v_index(y[: -len(RATE)])] = 1.0
    return names, rows


def values_of_outputs(system: System, outputs: Sequence[Any] | None, states: list[tuple[Array, Array]]) -> Array:
    """(states, outputs); positions that are not plain coordinates have none, but NaN."""
    given = _given(system, outputs)
    return np.array([[_value(system, y, q, v) for y in given] for q, v in states]).reshape(len(states), len(given))


def _given(system: System, outputs: Sequence[Any] | None) -> list[Any]:
    if outputs is None:
        return [*system.v_names, *(name + RATE for name in system.v_names)]
    given = list(several(outputs, "outputs"))
    known = [*system.v_names, *(name + RATE for name in system.v_names)]
    for y in given:
        if not callable(y) and y not in known:
            raise UnknownNameError(f"outputs: no coordinate or rate {shown(y)}{nearest(y, known)}")
    return given


def _value(system: System, y: Any, q: Array, v: Array) -> float:
    if not isinstance(y, str):
        return _called(y, q, v)
    if y in system.v_names:
        place = int(system.dofs[system.v_index(y)]["iq"])
        return float(q[place]) if place >= 0 else float("nan")
    return float(v[system.v_index(y[: -len(RATE)])])


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
