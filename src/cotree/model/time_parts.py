"""What laws over time are made of: polynomials one after another, and sine waves, with exact derivatives and integrals.

Any law that is given by numbers is a sum of such parts. `formulations/over_time.py` evaluates the same numbers in compiled
code.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from cotree.judge import NEGLIGIBLE
from cotree.model.checks import fixed

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Polynomials one after another: from starts[k] to starts[k + 1] sum_i coefficients[k, i] (t - starts[k])^i, the first also
    before and the last also after these; or repeated with a period that begins at starts[0], each time higher by `rise`."""

    starts: Array
    coefficients: Array
    period: float = 0.0
    rise: float = 0.0
    _times: list[float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_times", self.starts.tolist())
        for array in (self.starts, self.coefficients):
            fixed(array)

    def at(self, t: float) -> tuple[float, float, float]:
        """(value, rate, acceleration); at the end of a piece those of the next one."""
        whole = math.floor((t - self._times[0]) / self.period) if self.period else 0.0
        u = t - whole * self.period
        k = max(bisect_right(self._times, u) - 1, 0)
        d, x, v, a = u - self._times[k], 0.0, 0.0, 0.0
        for c in self.coefficients[k].tolist()[::-1]:
            x, v, a = x * d + c, v * d + x, a * d + 2.0 * v
        return x + whole * self.rise, v, a

    def times(self, factor: float) -> Pieces:
        """The same, multiplied by a number."""
        return replace(self, coefficients=factor * self.coefficients, rise=factor * self.rise)

    def integral(self) -> Pieces:
        """Its integral, from zero at starts[0]; of what grows with each period it would have no such form."""
        assert not self.rise
        n, w = self.coefficients.shape
        c, height = np.zeros((n, w + 1)), 0.0
        c[:, 1:] = self.coefficients / np.arange(1.0, w + 1.0)
        for k in range(n):
            c[k, 0] = height
            last = k == n - 1
            if not last or self.period:
                end = self.starts[0] + self.period if last else self.starts[k + 1]
                height = float(polynomial.polyval(end - self.starts[k], c[k]))
        return Pieces(self.starts.copy(), c, self.period, height if self.period else 0.0)

    @cached_property
    def kinks(self) -> tuple[tuple[float, tuple[float, ...]], ...]:
        """(time, steps of value, rate and so on) where a piece does not go on as the next one begins; those of one period."""
        found = [(t, steps) for t, steps in self._changes() if any(steps)]
        return tuple(found)

    def _changes(self) -> Iterator[tuple[float, tuple[float, ...]]]:
        n, ends = len(self.starts), [*self._times[1:], self._times[0] + self.period]
        for k in range(n if self.period else n - 1):
            after = (k + 1) % n
            h = ends[k] - self._times[k]  # zero of what goes on before the first point
            old, new = _derivatives(self.coefficients[k], h), _derivatives(self.coefficients[after], 0.0)
            new[0] += self.rise if after <= k else 0.0
            powers = (h or ends[after] - self._times[after] or 1.0) ** np.arange(len(old))
            size = float(np.abs(self.coefficients[[k, after]] * powers).max(initial=0.0) + np.abs(new[0]))
            steps = np.where(np.abs((new - old) * powers) > NEGLIGIBLE * max(size, 1e-300), new - old, 0.0)
            yield ends[k], tuple(steps.tolist())

    def next_kink(self, t: float) -> float:
        """The first kink after a time, infinite where there is none."""
        if not self.kinks:
            return math.inf
        if not self.period:
            return next((x for x, _ in self.kinks if x > t), math.inf)
        whole = math.floor((t - self._times[0]) / self.period)
        later = (x + k * self.period for k in (whole - 1, whole, whole + 1) for x, _ in self.kinks)
        return min(x for x in later if x > t)

    def last_kink(self, t: float) -> float:
        """The last kink at a time or before it."""
        if not self.kinks:
            return -math.inf
        if not self.period:
            return max((x for x, _ in self.kinks if x <= t), default=-math.inf)
        whole = math.floor((t - self._times[0]) / self.period)
        return max(
            x + k * self.period
            for k in (whole - 2, whole - 1, whole)
            for x, _ in self.kinks
            if x + k * self.period <= t
        )


@dataclass(frozen=True)
class Wave:
    """amplitude sin(omega t + phase)."""

    amplitude: float
    omega: float
    phase: float

    kinks = ()

    def at(self, t: float) -> tuple[float, float, float]:
        """(value, rate, acceleration)."""
        s = self.omega * t + self.phase
        x = self.amplitude * math.sin(s)
        return x, self.amplitude * self.omega * math.cos(s), -(self.omega**2) * x

    def times(self, factor: float) -> Wave:
        """The same, multiplied by a number."""
        return replace(self, amplitude=factor * self.amplitude)

    def integral(self) -> Wave:
        """One of its integrals."""
        return Wave(self.amplitude / self.omega, self.omega, self.phase - 0.5 * math.pi)

    def next_kink(self, t: float) -> float:
        return math.inf

    def last_kink(self, t: float) -> float:
        return -math.inf


Part = Pieces | Wave


def constant(value: float) -> Pieces:
    """The same at all times."""
    return Pieces(np.zeros(1), np.array([[value]]))


def _derivatives(c: Array, d: float) -> Array:
    """All derivatives of a polynomial at d."""
    out = np.empty(len(c))
    for i in range(len(c)):
        out[i] = polynomial.polyval(d, polynomial.polyder(c, i))
    return out
