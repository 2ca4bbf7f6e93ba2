"""Butcher tableaux of the explicit methods."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cotree.integrate.methods import dop853
from cotree.integrate.methods.contract import METHODS, NO_ERROR, Method

Array = NDArray[np.float64]
Tableau = Method  # with the step of Munthe-Kaas, as it is by default


def _tableau(a: list[list[float]], b: list[float], order: int, error: Array = NO_ERROR) -> Tableau:
    s = len(b)
    A = np.zeros((s, s))
    for i, row in enumerate(a):
        A[i + 1, : len(row)] = row
    return Tableau(A, np.array(b, dtype=float), A.sum(axis=1), order, error)


def _eighth_order() -> Tableau:
    """Dormand and Prince of order 8, with errors of orders 5 and 3."""
    s = dop853.STAGES
    A = np.zeros((s, s))
    for i, j, x in dop853.A:
        A[i, j] = x
    error = np.array([_filled(dop853.ERROR_5, s + 1), _filled(dop853.ERROR_3, s + 1)])
    return Tableau(A, _filled(dop853.B, s), A.sum(axis=1), 8, error)


def _filled(entries: Iterable[tuple[int, float]], n: int) -> Array:
    x = np.zeros(n)
    for i, value in entries:
        x[i] = value
    return x


# Dormand and Prince (1980)
_B = [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
_EMBEDDED = [5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40]

METHODS |= {
    "euler": _tableau([], [1.0], 1),
    "midpoint": _tableau([[0.5]], [0.0, 1.0], 2),
    "rk4": _tableau([[0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6], 4),
    "dopri5": _tableau(
        [
            [1 / 5],
            [3 / 40, 9 / 40],
            [44 / 45, -56 / 15, 32 / 9],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        ],
        _B,
        5,
        np.array([np.array([*_B, 0.0]) - np.array(_EMBEDDED), np.zeros(7)]),
    ),
    "dop853": _eighth_order(),
}
