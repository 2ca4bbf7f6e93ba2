"""Functions of time, evaluated before a sweep into the numbers that the rows read: value, rate, acceleration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.finite_differences import derivatives
from cotree.errors import ConstraintError
from cotree.model.calls import blame
from cotree.model.checks import floats, shown
from cotree.model.constraints import Motion
from cotree.model.time_laws import TimeLaw
from cotree.system.system import System

Array = NDArray[np.float64]
VALUE, RATE, ACCELERATION = range(3)


def motion_values(system: System, t: float, order: int) -> Array:
    """(slots, 3) at time t, derivatives up to `order`."""
    others = system.extra_rows
    if all(motion.constant for _, motion in others.motions):
        return others.constants
    values = others.constants.copy()
    put_motions(system, t, order, values)
    return values


def put_motions(system: System, t: float, order: int, values: Array, only_in_python: bool = False) -> None:
    """Write what is not constant; only_in_python: and no law over time."""
    for row, (who, motion) in zip(values, system.extra_rows.motions, strict=True):
        if not motion.constant and (motion.in_python or not only_in_python):
            row[:] = _at(motion, t, order, who)
            if who.startswith("distance") and not row[VALUE] > 0.0:
                raise ConstraintError(f"{who}: its length is {row[VALUE]} at t = {t:g}; it must stay positive")


def _at(motion: Motion, t: float, order: int, who: str) -> tuple[float, float, float]:
    """(value, rate, acceleration); what is above `order` is left zero, or known anyway."""
    if isinstance(motion.value, TimeLaw):
        return motion.value.at(t)
    f = _checked(motion.value, f"{who}: its motion", t)
    x, v, a = f(t), 0.0, 0.0
    by_differences = order >= RATE and motion.rate is None
    if by_differences or (order >= ACCELERATION and motion.rate is None and motion.acceleration is None):
        v, a = map(float, derivatives(f, t, x))
    if motion.rate is not None and order >= RATE:
        rate = _checked(motion.rate, f"{who}: its rate", t)
        v = rate(t)
        if motion.acceleration is None and order >= ACCELERATION:
            a = float(derivatives(rate, t, v)[0])
    if motion.acceleration is not None and order >= ACCELERATION:
        a = _checked(motion.acceleration, f"{who}: its acceleration", t)(t)
    return x, v, a


def _checked(function: Any, what: str, now: float) -> Callable[[float], float]:
    """The function, with an error where it does not return a finite number."""

    def value(t: float) -> float:
        try:
            returned = function(t)
            x = float(returned) if isinstance(returned, float) else _number(returned)
        except Exception as error:
            blame(error, what.replace(": its ", ", its ", 1), t)
            raise
        if not math.isfinite(x):
            hint = (
                ""
                if t == now
                else f"; it is evaluated near {now:g} to compute derivatives, which can be given as rate= and "
                f"acceleration="
            )
            raise ConstraintError(f"{what} is {shown(returned)} at t = {t:.9g}; it must be one finite number{hint}")
        return x

    return value


def _number(returned: Any) -> float:
    a = floats(returned, flags=True)
    return float(a.ravel()[0]) if a is not None and a.size == 1 else math.nan
