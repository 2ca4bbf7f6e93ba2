"""Derivatives of smooth functions of one number by central differences of eighth order, whose step finds itself.

Steps about the usual one are tried first, and taken if the smallest ones agree with them: to steps that are longer than its
period a fast oscillation may look like a slow one. Otherwise all steps are tried, from small ones to large ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Weights = tuple[float, ...]

# Steps are multiples of 2^-32, so that t + k h is exact, and of an odd number, so that no usual period is a multiple
SMALLEST, GROWTH, LEVELS = 59539 * 2.0**-32, 4, 9
USUAL = 4  # level tried first, 3.5 ms: for functions that change within seconds the best one, or next to it
SURE = 1e3  # times the rounding of a difference over the smallest steps: so far may larger ones be from it
WORSE = 10.0  # times the best error: larger steps do not help any more; times an error: too much for it
FEW = 3.0  # times the rounding, or times the best error: no smaller step is better
EPS = float(np.finfo(float).eps)
# for k = 1..4: coefficients of f(t + k h) -+ f(t - k h), of eighth order and of lower ones; by order of the derivative
EIGHTH = {1: (4 / 5, -1 / 5, 4 / 105, -1 / 280), 2: (8 / 5, -1 / 5, 8 / 315, -1 / 560)}
SIXTH = {1: (3 / 4, -3 / 20, 1 / 60), 2: (3 / 2, -3 / 20, 1 / 90)}
FOURTH = {1: (2 / 3, -1 / 12), 2: (4 / 3, -1 / 12)}
SECOND = {1: (1 / 2,), 2: (1.0,)}
LOST = {1: 1.0, 2: 4.0}  # rounding in parts of that of f / h^order

Number = Any  # a float, or an array: plain floats are ten times faster


class Estimate(NamedTuple):
    """A derivative: its error, what is cut off and what is lost by rounding; and its value."""

    error: float
    value: Number
    rounding: float


class Samples:
    """Values of a function around t, at multiples of the smallest step, each found once."""

    def __init__(self, f: Callable[[float], Number], t: float, middle: Number = None) -> None:
        self.f, self.t = f, t
        self.middle = f(t) if middle is None else middle
        self.known: dict[int, Number] = {}

    def at(self, n: int) -> Number:
        if n not in self.known:
            self.known[n] = self.f(self.t + n * SMALLEST)
        return self.known[n]

    def sums(self, order: int, n: int, count: int) -> list[Number]:
        """f(t + k h) -+ f(t - k h) for k = 1..count, without the middle."""
        if order == 1:
            return [self.at(k * n) - self.at(-k * n) for k in range(1, count + 1)]
        return [self.at(k * n) + self.at(-k * n) - 2.0 * self.middle for k in range(1, count + 1)]

    def rounding(self, order: int, n: int, far: int) -> float:
        size = max(_size(self.middle), _size(self.at(far * n)), _size(self.at(-far * n)))
        return LOST[order] * EPS * size / (n * SMALLEST) ** order


def derivatives(f: Callable[[float], Number], t: float, middle: Number = None) -> tuple[Number, Number]:
    """(f', f'') at t of a function whose values are floats or arrays."""
    samples = Samples(f, t, middle)
    return _derivative(samples, 1), _derivative(samples, 2)


def derivative(f: Callable[[float], Number], t: float, order: int) -> Number:
    """The first or the second derivative at t alone, from fewer values."""
    return _derivative(Samples(f, t), order)


def _derivative(f: Samples, order: int) -> Number:
    try:
        found = _about_the_usual(f, order)
        if _agrees(f, order, found):
            return found.value
    except (ValueError, ArithmeticError):  # the function's domain ends nearby
        pass
    return _climb(f, order, 0).value


def _about_the_usual(f: Samples, order: int) -> Estimate:
    """Larger steps while they help; smaller ones while they help where more than rounding is lost by the usual one."""
    best, last = _climb(f, order, USUAL), _estimate(f, order, USUAL)
    for level in reversed(range(USUAL)):
        if last.error < FEW * last.rounding or last.error > FEW * best.error:
            break
        last = _estimate(f, order, level)
        best = min(best, last, key=_error)
    return best


def _climb(f: Samples, order: int, first: int) -> Estimate:
    """The best of larger and larger steps, until what is cut off outgrows rounding, or the function's domain ends."""
    best = _estimate(f, order, first)
    for level in range(first + 1, LEVELS):
        try:
            found = _estimate(f, order, level)
        except (ValueError, ArithmeticError):
            break
        best = min(best, found, key=_error)
        if found.error > WORSE * best.error:
            break
    return best


def _estimate(f: Samples, order: int, level: int) -> Estimate:
    n = GROWTH**level
    sums, scale, rounding = f.sums(order, n, 4), (n * SMALLEST) ** order, f.rounding(order, n, 4)
    value, lower = _weighted(EIGHTH[order], sums) / scale, _weighted(SIXTH[order], sums) / scale
    return Estimate(_size(value - lower) + rounding, value, rounding)


def _error(found: Estimate) -> float:
    return found.error


def _agrees(f: Samples, order: int, found: Estimate) -> bool:
    """Whether the smallest steps give the same, as far as their rounding, or the difference of two orders, lets one see."""
    sums, scale = f.sums(order, 1, 2), SMALLEST**order
    value, lower = _weighted(FOURTH[order], sums) / scale, _weighted(SECOND[order], sums) / scale
    blurred = max(SURE * f.rounding(order, 1, 2), WORSE * _size(value - lower))
    return _size(value - found.value) <= blurred + found.error


def _weighted(weights: Weights, sums: list[Number]) -> Number:
    total = weights[0] * sums[0]
    for w, x in zip(weights[1:], sums[1:], strict=False):
        total = total + w * x
    return total


def _size(x: Number) -> float:
    return abs(x) if isinstance(x, float) else float(np.abs(x).max(initial=0.0))
