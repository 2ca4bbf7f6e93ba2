"""Derivatives of functions of sensors: exact where the function does with its readings what `Varied` knows."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.derivatives.state_changes import Pushes
from cotree.errors import NotFiniteError, SingularError, StudyError
from cotree.judge import NEGLIGIBLE
from cotree.lie.varied import Varied
from cotree.model.calls import blame
from cotree.model.checks import floats, shown
from cotree.sensors.measuring import measure
from cotree.sensors.sensors import Sensors
from cotree.sensors.varied_sensors import VariedSensors
from cotree.system.system import System

Array = NDArray[np.float64]
Reading = Callable[[Sensors], Any]


def value_of_reading(reading: Reading, sensors: Sensors) -> Array:
    """(k,): what a function of sensors returns."""
    try:
        value = floats(reading(sensors))
    except Exception as error:
        blame(error, "the function that is differentiated", float(np.ravel(sensors.t)[0]))
        raise
    if value is None:
        raise StudyError(f"the reading {shown(reading)} must return numbers")
    if not np.isfinite(value).all():
        raise NotFiniteError(
            f"the reading {shown(reading)} is {shown(value)} at t = {float(np.ravel(sensors.t)[0]):g} s, at the state at which "
            "it is differentiated or next to it; give a function that returns finite numbers there"
        )
    return np.asarray(value, dtype=float).ravel()


def read_at(system: System, reading: Reading, q: Array, v: Array, t: float) -> Array:
    return value_of_reading(reading, measure(system, q, v, t))


class StateReadings:
    """Sensors of one state, without and with derivatives, for several functions; names: of parameters."""

    def __init__(
        self, system: System, q: Array, v: Array, t: float, names: Sequence[str] = (), pushes: Pushes | None = None
    ) -> None:
        self.given = system, q, v, t, names, pushes

    @cached_property
    def plain(self) -> Sensors:
        return measure(*self.given[:4])

    @cached_property
    def varied(self) -> VariedSensors:
        return VariedSensors(*self.given)

    def slopes(self, reading: Reading, value: Array) -> Array | None:
        """(k, directions) of a reading with this value, see `VariedSensors`; None where it has to be differenced: functions
        that do more with readings than NumPy's usual ones, and what is not known in closed form. Raises where constraints lose
        rank."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore", RuntimeWarning)
                found = _flat(reading(self.varied))
        except SingularError:
            raise
        except Exception:  # whatever the function cannot do with readings that carry derivatives
            return None
        if found is None or found.shape != value.shape or not np.isfinite(found.slopes).all():
            return None
        size = max(float(np.abs(x).max(initial=0.0)) for x in (value, found.slopes))
        if np.abs(found.value - value).max(initial=0.0) > NEGLIGIBLE * size:
            return None
        return found.slopes.T

    def output(self, f: Reading) -> tuple[float, Array]:
        """Value and exact derivatives (directions,) of an output that is a function of sensors."""
        value = value_of_reading(f, self.plain)
        if len(value) != 1:
            raise StudyError(f"outputs: the function {shown(f)} must return one number, got shape {value.shape}")
        found = self.slopes(f, value)
        if found is None:
            raise StudyError(
                f"outputs: the derivatives of the reading {shown(f)} cannot be followed exactly; write it with NumPy's usual "
                "functions of readings that the constraints determine, or give a function of (q, v), which is differenced"
            )
        return float(value[0]), found[0]


def _flat(x: Any) -> Varied | None:
    """What a function has returned, as one vector; None where nothing of it carries derivatives."""
    if isinstance(x, Varied):
        return x.reshape(-1)
    parts = [p if isinstance(p, Varied) else _flat(p) for p in x] if isinstance(x, (list, tuple)) else None
    if isinstance(x, np.ndarray) and x.dtype == object:
        parts = [_flat(p) for p in x.ravel()]
    if parts is None or any(p is None for p in parts):
        return None
    return np.concatenate([p.reshape(-1) for p in parts if p is not None]) if parts else None  # type: ignore[return-value]


def is_reading(f: Any) -> bool:
    """Whether a function takes one argument, the sensors, and not a state (q, v)."""
    try:
        given = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return False
    plain = [p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(plain) == 1 and not any(p.kind is p.VAR_POSITIONAL for p in given)
