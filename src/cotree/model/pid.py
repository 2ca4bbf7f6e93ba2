"""`PID`: a ready-made law, continuous or sampled, with a filtered derivative, limits and anti-windup."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cotree.errors import ForceError
from cotree.model.checks import number, shown
from cotree.model.law import Law

Target = float | Callable[[float], float]


@dataclass(frozen=True, eq=False, init=False)
class PID(Law):
    """A controller of a joint's angle or displacement.

    The output is kp e + ki (integral of e) - kd (rate, filtered), with e = target - angle. The
    instants at which it reaches a limit or leaves it are located.

    Parameters
    ----------
    target : float or callable, optional
        Target, a number or a function of t.
    kp : float, optional
        Proportional gain.
    ki : float, optional
        Integral gain.
    kd : float, optional
        Gain of the measured rate, so that a target that jumps gives no impulse.
    filter : float, optional
        Time constant of the lag behind the rate [s], 0 for none.
    limits : tuple of float, optional
        Lowest and highest output.
    tracking : float, optional
        Time constant of anti-windup by back-calculation [s]; kp/ki by default.
    period : float, optional
        Period of sampling [s].
    offset : float, optional
        First instant of sampling [s].

    Examples
    --------
    >>> mech = ct.gallery.four_bar()
    >>> motor = mech.motor("servo", "A", ct.PID(0.3, kp=40.0, ki=20.0, kd=8.0, limits=(-30, 30)))
    >>> ct.simulate(mech, 0.1).status
    'done'
    """

    target: Target = 0.0
    kp: float = 0.0
    ki: float = 0.0
    kd: float = 0.0
    filter: float = 0.0
    limits: tuple[float, float] | None = None
    tracking: float | None = None

    def __init__(
        self,
        target: Target = 0.0,
        kp: float = 0.0,
        ki: float = 0.0,
        kd: float = 0.0,
        filter: float = 0.0,
        limits: tuple[float, float] | None = None,
        tracking: float | None = None,
        period: float | None = None,
        offset: float = 0.0,
    ) -> None:
        who = "PID"
        put = object.__setattr__
        for name, value in (("kp", kp), ("ki", ki), ("kd", kd), ("filter", filter)):
            put(self, name, number(value, name, who))
        put(self, "target", target if callable(target) else number(target, "target", who))
        put(self, "limits", _limits(limits))
        follows = _tracking(self.kp, self.ki) if tracking is None else number(tracking, "tracking", who)
        if self.filter < 0.0 or not follows > 0.0:
            raise ForceError(
                f"PID: filter is {self.filter:g} s and tracking {follows:g} s; the first cannot be negative, the second must "
                "be positive"
            )
        put(self, "tracking", follows)
        states = ({"integral": 0.0} if self.ki else {}) | ({"slope": 0.0} if self.kd and self.filter else {})
        bounded = self.limits is not None and period is None
        switching = {"above": _beyond(self, 1), "below": _beyond(self, 0)} if bounded else {}
        function = _sampled(self, period) if period is not None else _continuous(self)
        super().__init__(_named(function, list(states), list(switching)), states, period, offset, switching)

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.target, self.kp, self.ki, self.kd, self.filter, self.limits, self.tracking)
        return PID, (*given, self.period, self.offset)


def _limits(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        low, high = (float(x) for x in given)
    except (TypeError, ValueError):
        raise ForceError(f"PID: limits is {shown(given)}; give the lowest and the highest output") from None
    if not low < high:
        raise ForceError(f"PID: limits is {shown(given)}; the lowest output must be less than the highest")
    return low, high


def _tracking(kp: float, ki: float) -> float:
    """Time constant with which the integral follows the limits."""
    return abs(kp / ki) if kp and ki else 1.0


def _wanted(c: PID, t: float, angle: float, rate: float, states: tuple[float, ...]) -> tuple[float, float]:
    """(error, output before limits)."""
    goal = c.target(t) if callable(c.target) else c.target
    error = goal - angle
    integral = states[0] if c.ki else 0.0
    slope = states[-1] if c.kd and c.filter else rate
    return error, c.kp * error + c.ki * integral - c.kd * slope


def _continuous(c: PID) -> Callable[..., Any]:
    def function(t: float, angle: float, rate: float, states: tuple[float, ...], signs: tuple[float, ...]) -> Any:
        error, output = _wanted(c, t, angle, rate, states)
        limited = output
        if signs and c.limits is not None:
            limited = c.limits[1] if signs[0] > 0.0 else c.limits[0] if signs[1] > 0.0 else output
        if not states:
            return limited
        rates = [error + (limited - output) / (c.ki * float(c.tracking or 1.0))] if c.ki else []
        if c.kd and c.filter:
            rates.append((rate - states[-1]) / c.filter)
        return limited, rates

    return function


def _beyond(c: PID, side: int) -> Callable[..., float]:
    """How far the output goes beyond one of its limits."""

    def function(t: float, angle: float, rate: float, states: tuple[float, ...], _: tuple[float, ...]) -> float:
        assert c.limits is not None
        output = _wanted(c, t, angle, rate, states)[1]
        return output - c.limits[1] if side else c.limits[0] - output

    states = (["integral"] if c.ki else []) + (["slope"] if c.kd and c.filter else [])
    named: Callable[..., float] = _named(function, states, [])
    return named


def _sampled(c: PID, period: float) -> Callable[..., Any]:
    """Once a period: the lag exactly for a rate that is held, the integral by rectangles."""

    def function(t: float, angle: float, rate: float, states: tuple[float, ...], _: tuple[float, ...]) -> Any:
        following = list(states)
        if c.kd and c.filter:
            following[-1] = rate + (states[-1] - rate) * math.exp(-period / c.filter)
        error, output = _wanted(c, t, angle, rate, tuple(following))
        limited = output if c.limits is None else min(max(output, c.limits[0]), c.limits[1])
        if c.ki:
            led = (limited - output) / (c.ki * max(float(c.tracking or 1.0), period))
            following[0] = states[0] + period * (error + led)
        return (limited, following) if states else limited

    return function


def _named(function: Callable[..., Any], states: list[str], signs: list[str]) -> Callable[..., Any]:
    """The function with one parameter for each state and sign, by whose names a law knows what to give."""
    names, n = ["t", "position", "rate", *states, *signs], len(states)

    def called(t: float, position: float, rate: float, *kept: float) -> Any:
        return function(t, position, rate, kept[:n], kept[n:])

    called.__name__ = "pid"
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called
