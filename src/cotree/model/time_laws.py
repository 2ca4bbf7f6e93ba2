"""Laws over time that are numbers: motions of drives, torques, forces and targets without a Python function.

Each is a description whose numbers files can hold; `parts` is what all of them come to. They can be called as functions of
time, added, and multiplied by numbers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ArgumentError
from cotree.model.checks import choice, floats, number, shown
from cotree.model.time_parts import Part, Pieces, Wave, constant

Array = NDArray[np.float64]
MOST_KNOTS = 100_000
MOST_POWERS = 30


class TimeLaw(ABC):
    """Base of the laws over time: a function of t [s] by numbers, with exact derivatives."""

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What it is the sum of."""
        return self._parts()

    @abstractmethod
    def _parts(self) -> tuple[Part, ...]:
        """The same, computed once."""

    def at(self, t: float) -> tuple[float, float, float]:
        """(value, rate, acceleration) at a time."""
        x = v = a = 0.0
        for part in self.parts:
            dx, dv, da = part.at(t)
            x, v, a = x + dx, v + dv, a + da
        return x, v, a

    def __call__(self, t: float) -> float:
        return self.at(float(t))[0]

    def derivative(self, t: float, order: int = 1) -> float:
        """Its first or second derivative; where that jumps, as it goes on."""
        return self.at(float(t))[order]

    def kinks_around(self, t: float) -> tuple[float, float]:
        """The last instant at a time or before it, and the first after it, at which a derivative jumps."""
        last = max((part.last_kink(t) for part in self.parts), default=-math.inf)
        return last, min((part.next_kink(t) for part in self.parts), default=math.inf)

    def first_jump(self, order: int) -> tuple[float, float] | None:
        """(time, height) of the first jump of the value (order 0) or of the rate (1) itself."""
        heights: dict[float, float] = {}
        for part in self.parts:
            for t, steps in part.kinks:
                heights[t] = heights.get(t, 0.0) + (steps[order] if order < len(steps) else 0.0)
        return min(((t, h) for t, h in heights.items() if h), default=None)

    @property
    def shortest_period(self) -> float:
        """Of its sine waves; infinite without."""
        waves = (part for part in self.parts if isinstance(part, Wave))
        return min((2.0 * math.pi / abs(w.omega) for w in waves if w.omega and w.amplitude), default=math.inf)

    def __add__(self, other: TimeLaw | float) -> TimeLaw:
        more = other if isinstance(other, TimeLaw) else _constant_law(other)
        return (
            NotImplemented if more is None else Sum((*_terms(self), *_terms(more)), (*_factors(self), *_factors(more)))
        )

    __radd__ = __add__

    def __mul__(self, factor: float) -> TimeLaw:
        a = floats(factor)
        if a is None or a.shape != ():
            return NotImplemented
        return Sum(_terms(self), tuple(float(a) * f for f in _factors(self)))

    __rmul__ = __mul__

    def __neg__(self) -> TimeLaw:
        return self * -1.0

    def __sub__(self, other: TimeLaw | float) -> TimeLaw:
        return self + (-1.0 * other)


@dataclass(frozen=True, eq=False)
class Polynomial(TimeLaw):
    """A polynomial in t - begin, at all times.

    Parameters
    ----------
    coefficients : array_like
        Coefficients from the constant one upwards.
    begin : float, optional
        Time at which the polynomial has its constant value [s].

    Examples
    --------
    >>> ramp = ct.Polynomial([0.0, 300.0])
    >>> ramp(0.5), ramp.derivative(0.5)
    (150.0, 300.0)
    """

    coefficients: ArrayLike
    begin: float = 0.0

    def __post_init__(self) -> None:
        c = _row(self.coefficients, "coefficients", "Polynomial")
        if len(c) > MOST_POWERS:
            raise ArgumentError(f"Polynomial: {len(c)} coefficients are too many; give at most {MOST_POWERS}")
        _put(self, coefficients=c, begin=number(self.begin, "begin", "Polynomial"))

    def _parts(self) -> tuple[Part, ...]:
        return (Pieces(np.array([self.begin]), np.array([self.coefficients], dtype=float)),)


@dataclass(frozen=True, eq=False)
class Harmonic(TimeLaw):
    """A sine over time: offset + amplitude sin(2 pi frequency t + phase).

    Parameters
    ----------
    amplitude : float
        Amplitude.
    frequency : float
        Frequency [Hz].
    phase : float, optional
        Phase [rad].
    offset : float, optional
        Mean value.

    Examples
    --------
    >>> ct.Harmonic(amplitude=2.0, frequency=5.0)(0.05)
    2.0
    """

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        given = {name: number(getattr(self, name), name, "Harmonic") for name in self.__dataclass_fields__}
        if given["frequency"] == 0.0:
            raise ArgumentError("Harmonic: frequency is 0; give it in Hz, or a constant in place of the law")
        _put(self, **given)

    def _parts(self) -> tuple[Part, ...]:
        wave = Wave(self.amplitude, 2.0 * math.pi * self.frequency, self.phase)
        return (wave, constant(self.offset)) if self.offset else (wave,)


@dataclass(frozen=True, eq=False)
class Table(TimeLaw):
    """A smooth curve over time through points.

    Parameters
    ----------
    t : array_like
        Times [s].
    x : array_like
        Values.
    periodic : bool, optional
        Repeat it, each time higher by the difference between the last value and the first,
        as for the angle of a crank.
    degree : int, optional
        3 for a cubic spline, 1 for straight lines.
    ends : str, optional
        Beyond the first and last point: "straight", with the slope there; "rest", with no
        slope; "hold", the last value, after any slope.

    Examples
    --------
    >>> table = ct.Table([0.0, 1.0, 2.0], [0.0, 0.5, 2.0])
    >>> round(table(1.5), 6)
    1.125
    """

    t: ArrayLike
    x: ArrayLike
    periodic: bool = False
    degree: int = 3
    ends: str = "straight"

    def __post_init__(self) -> None:
        t, x = _row(self.t, "t", "Table"), _row(self.x, "x", "Table")
        if len(t) != len(x) or not 2 <= len(t) <= MOST_KNOTS:
            raise ArgumentError(
                f"Table: {len(t)} times and {len(x)} values; give one value for each time, from 2 to {MOST_KNOTS} of them"
            )
        _increasing(t, "Table: t")
        if self.degree not in (1, 3):
            raise ArgumentError(f"Table: degree is {shown(self.degree)}; choose 1, straight lines, or 3, a spline")
        choice(self.ends, ("straight", "rest", "hold"), "Table: ends", ArgumentError)
        _put(self, t=t, x=x, periodic=bool(self.periodic), degree=int(self.degree))

    def _parts(self) -> tuple[Part, ...]:
        t, x = np.array(self.t), np.array(self.x)
        rise = float(x[-1] - x[0]) if self.periodic else 0.0
        c = _lines(t, x) if self.degree == 1 else _spline(t, x, self.periodic, self.ends)
        if self.periodic:
            return (Pieces(t[:-1].copy(), c, float(t[-1] - t[0]), rise),)
        first, last = _slopes_at_ends(t, c) if self.ends == "straight" else (0.0, 0.0)
        beyond = np.zeros((2, c.shape[1]))
        beyond[:, 0], beyond[:, 1] = (x[0], x[-1]), (first, last)
        return (Pieces(np.concatenate([t[:1], t]), np.vstack([beyond[:1], c, beyond[1:]])),)


@dataclass(frozen=True, eq=False)
class Trapezoid(TimeLaw):
    """A motion from one value to another with a trapezoidal profile of the speed.

    Where the distance is too short for the speed, the profile is a triangle.

    Parameters
    ----------
    start : float
        First value.
    end : float
        Last value.
    speed : float
        Largest speed.
    acceleration : float
        Acceleration.
    begin : float, optional
        Time at which it begins [s].
    deceleration : float, optional
        Deceleration; `acceleration` by default.

    Examples
    --------
    >>> move = ct.Trapezoid(start=0.0, end=1.0, speed=0.5, acceleration=1.0)
    >>> move.duration, move(1.25), move.derivative(1.25)
    (2.5, 0.5, 0.5)
    """

    start: float
    end: float
    speed: float
    acceleration: float
    begin: float = 0.0
    deceleration: float | None = None

    def __post_init__(self) -> None:
        names = ("start", "end", "speed", "acceleration", "begin")
        given = {name: number(self.__dict__[name], name, "Trapezoid") for name in names}
        down = (
            given["acceleration"]
            if self.deceleration is None
            else number(self.deceleration, "deceleration", "Trapezoid")
        )
        for name, value in (("speed", given["speed"]), ("acceleration", given["acceleration"]), ("deceleration", down)):
            if not value > 0.0:
                raise ArgumentError(
                    f"Trapezoid: {name} is {value:g}; it must be positive, the sign follows from start and end"
                )
        _put(self, **given, deceleration=None if self.deceleration is None else down)

    @property
    def duration(self) -> float:
        """Time [s] that it takes."""
        return float(sum(self._times()[0]))

    def _times(self) -> tuple[tuple[float, float, float], float]:
        """Times of the three phases, and the speed that is reached."""
        up = self.acceleration
        down, way = up if self.deceleration is None else self.deceleration, abs(self.end - self.start)
        top = min(self.speed, math.sqrt(2.0 * way * up * down / (up + down)))
        even = (way - 0.5 * top * top * (1.0 / up + 1.0 / down)) / top if top else 0.0
        return (top / up, even if even > 1e-12 * top / up else 0.0, top / down), top

    def _parts(self) -> tuple[Part, ...]:
        (up, even, down), top = self._times()
        if not top:
            return (constant(self.start),)
        sign, t = math.copysign(1.0, self.end - self.start), self.begin
        rows = [(t, 0.0, 0.0, 0.0), (t, 0.0, 0.0, 0.5 * top / up), (t + up, 0.5 * top * up, top, 0.0)]
        way = abs(self.end - self.start)
        rows += [(t + up + even, way - 0.5 * top * down, top, -0.5 * top / down), (t + up + even + down, way, 0.0, 0.0)]
        a = np.array([row for k, row in enumerate(rows) if k != 2 or even])
        c = sign * a[:, 1:]
        c[:, 0] += self.start
        return (Pieces(a[:, 0].copy(), c),)


@dataclass(frozen=True, eq=False)
class Steps(TimeLaw):
    """Values that are constant in between: values[k] from times[k] on, the first one also before.

    Parameters
    ----------
    times : array_like
        Times [s].
    values : array_like
        Values.
    rise : float, optional
        Time that each change takes [s], by a polynomial of fifth degree that begins and
        ends without speed and acceleration. Without it the law jumps.

    Examples
    --------
    >>> force = ct.Steps([0.0, 1.0], [5.0, -5.0])
    >>> force(0.9), force(1.0)
    (5.0, -5.0)
    """

    times: ArrayLike
    values: ArrayLike
    rise: float = 0.0

    def __post_init__(self) -> None:
        t, x = _row(self.times, "times", "Steps"), _row(self.values, "values", "Steps")
        if len(t) != len(x) or not 1 <= len(t) <= MOST_KNOTS:
            raise ArgumentError(f"Steps: {len(t)} times and {len(x)} values; give one value for each time")
        _increasing(t, "Steps: times")
        rise = number(self.rise, "rise", "Steps")
        if rise < 0.0 or (len(t) > 2 and rise > np.diff(t[1:]).min()):
            raise ArgumentError(
                f"Steps: rise is {rise:g} s; it must not be negative nor longer than what a value is held"
            )
        _put(self, times=t, values=x, rise=rise)

    def _parts(self) -> tuple[Part, ...]:
        t, x, rise = np.array(self.times), np.array(self.values), self.rise
        if not rise:
            return (Pieces(t, x[:, None].copy()),)
        starts, rows = [float(t[0])], [[x[0], 0.0, 0.0, 0.0, 0.0, 0.0]]
        for k in range(1, len(t)):
            d = x[k] - x[k - 1]
            starts += [float(t[k]), float(t[k]) + rise]
            rows += [[x[k - 1], 0.0, 0.0, 10.0 * d / rise**3, -15.0 * d / rise**4, 6.0 * d / rise**5]]
            rows += [[x[k], 0.0, 0.0, 0.0, 0.0, 0.0]]
        return (Pieces(np.array(starts), np.array(rows)),)


@dataclass(frozen=True, eq=False)
class Sum(TimeLaw):
    """factors[0] terms[0] + factors[1] terms[1] and so on."""

    terms: tuple[TimeLaw, ...]
    factors: tuple[float, ...] = field(default=())

    def _parts(self) -> tuple[Part, ...]:
        return tuple(part.times(f) for law, f in zip(self.terms, self.factors, strict=True) for part in law.parts)


@dataclass(frozen=True, eq=False)
class Integral(TimeLaw):
    """start + integral of a law from t = 0 on."""

    law: TimeLaw
    start: float = 0.0

    def __post_init__(self) -> None:
        if any(isinstance(part, Pieces) and part.rise for part in self.law.parts):
            raise ArgumentError("a rate that is a periodic table must return to its first value")

    def _parts(self) -> tuple[Part, ...]:
        parts = tuple(part.integral() for part in self.law.parts)
        return (*parts, constant(self.start - sum(part.at(0.0)[0] for part in parts)))


@dataclass(frozen=True, eq=False)
class Components:
    """Three laws or numbers: a vector over time."""

    components: tuple[TimeLaw | float, ...]

    @cached_property
    def laws(self) -> tuple[TimeLaw, ...]:
        """All of them as laws."""
        return tuple(c if isinstance(c, TimeLaw) else Polynomial((c,)) for c in self.components)

    def __call__(self, t: float) -> Array:
        return np.array([law(t) for law in self.laws])


def laws_in(value: Any) -> tuple[TimeLaw, ...]:
    """The laws over time that a value consists of, one for each of its numbers; none where it is something else."""
    if isinstance(value, TimeLaw):
        return (value,)
    return value.laws if isinstance(value, Components) else ()


def as_components(value: Any, what: str, who: str) -> Components | None:
    """A sequence of numbers and laws as a vector over time; None where it has no law in it."""
    if not isinstance(value, (list, tuple)) or not any(isinstance(x, TimeLaw) for x in value):
        return None
    return Components(tuple(x if isinstance(x, TimeLaw) else number(x, what, who) for x in value))


def _terms(law: TimeLaw) -> tuple[TimeLaw, ...]:
    return law.terms if isinstance(law, Sum) else (law,)


def _factors(law: TimeLaw) -> tuple[float, ...]:
    return law.factors if isinstance(law, Sum) else (1.0,)


def _constant_law(value: Any) -> TimeLaw | None:
    a = floats(value)
    return Polynomial((float(a),)) if a is not None and a.shape == () else None


def _put(law: Any, **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(law, name, value)


def _row(values: Any, what: str, who: str) -> tuple[float, ...]:
    a = floats(values)
    if a is None or a.ndim != 1 or not a.size or not np.isfinite(a).all():
        raise ArgumentError(f"{who}: {what} is {shown(values)}; give a list of finite numbers")
    return tuple(a.tolist())


def _increasing(t: tuple[float, ...], who: str) -> None:
    k = int(np.argmin(np.diff(t))) if len(t) > 1 else 0
    if len(t) > 1 and not t[k + 1] > t[k]:
        raise ArgumentError(f"{who} must increase; {t[k + 1]:g} s comes after {t[k]:g} s")


def _lines(t: Array, x: Array) -> Array:
    return np.column_stack([x[:-1], np.diff(x) / np.diff(t)])


def _spline(t: Array, x: Array, periodic: bool, ends: str) -> Array:
    """(n - 1, 4): coefficients of the cubic spline, which with few points is a polynomial of lower degree."""
    from scipy.interpolate import CubicSpline

    if periodic:
        line = np.polynomial.Polynomial([0.0, (x[-1] - x[0]) / (t[-1] - t[0])])  # what remains returns
        y = x - line(t - t[0])
        y[-1] = y[0]
        c = CubicSpline(t, y, bc_type="periodic").c[::-1].T.copy()
        c[:, 0], c[:, 1] = x[:-1], c[:, 1] + line.coef[1]
        return c
    kind = "clamped" if ends == "rest" else "not-a-knot"
    return np.ascontiguousarray(CubicSpline(t, x, bc_type=kind).c[::-1].T)


def _slopes_at_ends(t: Array, c: Array) -> tuple[float, float]:
    h = float(t[-1] - t[-2])
    return float(c[0, 1]), float(np.polynomial.polynomial.polyval(h, np.polynomial.polynomial.polyder(c[-1])))


__all__ = ["Components", "Harmonic", "Integral", "Polynomial", "Steps", "Sum", "Table", "TimeLaw", "Trapezoid"]
