"""Derivatives of smooth functions of one number by central differences of eighth order, whose step finds itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Weights = tuple[float, float, float, float]

# Steps are multiples of 2^-32, so that t + k h is exact, and of an odd number, so that no usual period is a multiple
SMALLEST, GROWTH, LEVELS = 59539 * 2.0**-32, 4.0, 9
EPS = float(np.finfo(float).eps)
# for k = 1..4: coefficients of f(t + k h) -+ f(t - k h), eighth and sixth order
FIRST_8, FIRST_6 = (4 / 5, -1 / 5, 4 / 105, -1 / 280), (3 / 4, -3 / 20, 1 / 60, 0.0)
SECOND_8, SECOND_6 = (8 / 5, -1 / 5, 8 / 315, -1 / 560), (3 / 2, -3 / 20, 1 / 90, 0.0)

Number = Any  # a float, or an array: plain floats are ten times faster


def derivatives(f: Callable[[float], Number], t: float, middle: Number = None) -> tuple[Number, Number]:
    """(f', f'') at t of a function whose values are floats or arrays.

    From small steps to larger ones, until what is cut off outgrows what is lost by rounding, or the function's domain ends.
    """
    f0 = f(t) if middle is None else middle
    best_1 = best_2 = (math.inf, f0)
    h = SMALLEST
    for _ in range(LEVELS):
        try:
            right, left = [f(t + k * h) for k in (1, 2, 3, 4)], [f(t - k * h) for k in (1, 2, 3, 4)]
        except (ValueError, ArithmeticError):
            if h == SMALLEST:
                raise
            break
        rounding = EPS * max(_size(f0), _size(right[3]), _size(left[3])) / h
        first = _estimate(FIRST_8, FIRST_6, [r - l for r, l in zip(right, left, strict=True)], h, rounding)
        even = [r + l - 2.0 * f0 for r, l in zip(right, left, strict=True)]
        second = _estimate(SECOND_8, SECOND_6, even, h * h, 4.0 * rounding / h)
        best_1, best_2 = min(best_1, first, key=_error), min(best_2, second, key=_error)
        if first[0] > 10.0 * best_1[0] and second[0] > 10.0 * best_2[0]:
            break
        h *= GROWTH
    return best_1[1], best_2[1]


def _size(x: Number) -> float:
    return abs(x) if isinstance(x, float) else float(np.abs(x).max(initial=0.0))


def _estimate(high: Weights, low: Weights, sums: list[Number], scale: float, rounding: float) -> tuple[float, Number]:
    """(error, value): the difference of two orders, and rounding."""
    a, b, c, d = sums
    value = (high[0] * a + high[1] * b + high[2] * c + high[3] * d) / scale
    lower = (low[0] * a + low[1] * b + low[2] * c) / scale
    return _size(value - lower) + rounding, value


def _error(estimate: tuple[float, Number]) -> float:
    return estimate[0]
