"""Butcher tableaux of the explicit methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tableau:
    """Stages a (s, s), weights b, nodes c; `error` = b - b of the embedded method, empty without one."""

    a: Array
    b: Array
    c: Array
    error: Array
    order: int


def _tableau(a: list[list[float]], b: list[float], order: int, embedded: list[float] | None = None) -> Tableau:
    s = len(b)
    A = np.zeros((s, s))
    for i, row in enumerate(a):
        A[i + 1, : len(row)] = row
    error = np.zeros(0) if embedded is None else np.array(b) - np.array(embedded)
    return Tableau(A, np.array(b, dtype=float), A.sum(axis=1), error, order)


METHODS = {
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
            [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
        ],
        [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0],
        5,
        [5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40],
    ),
}
