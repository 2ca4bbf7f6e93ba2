"""Butcher tableaux of the explicit methods; for generalized-alpha the weights that book work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tableau:
    """Stages a (s, s), weights b, nodes c. With an embedded method: `error` (s + 1), weights of the stages and of the slope at
    the end of the step, and `dense` (s + 1, 4), those of the continuous extension as polynomials without constant term.
    `order` is that of the local error in adaptive methods."""

    a: Array
    b: Array
    c: Array
    error: Array
    dense: Array
    order: int
    implicit: bool = False

    @property
    def adaptive(self) -> bool:
        return self.error.size > 0


_NONE = np.zeros((0, 4))


def _tableau(
    a: list[list[float]], b: list[float], order: int, error: Array = _NONE[:, 0], dense: Array = _NONE
) -> Tableau:
    s = len(b)
    A = np.zeros((s, s))
    for i, row in enumerate(a):
        A[i + 1, : len(row)] = row
    return Tableau(A, np.array(b, dtype=float), A.sum(axis=1), error, dense, order)


# Dormand and Prince (1980); continuous extension of Shampine (1986)
_B = [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
_EMBEDDED = [5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40]
_DENSE = [
    [1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
    [0.0, 0.0, 0.0, 0.0],
    [0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
    [0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
    [0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
    [0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
    [0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
]

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
        ],
        _B,
        5,
        np.array([*_B, 0.0]) - np.array(_EMBEDDED),
        np.array(_DENSE),
    ),
    # of second order, local errors of third; estimates its errors itself
    "generalized-alpha": Tableau(
        np.zeros((2, 2)),
        np.array([0.5, 0.5]),
        np.array([0.0, 1.0]),
        np.zeros(3),
        np.array([[1.0, -0.5, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]),
        3,
        implicit=True,
    ),
}
