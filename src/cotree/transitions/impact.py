"""Impacts: velocities after constraints have closed and stops were hit at once, with restitution.

Rows J v = b hold after the impact whatever it takes. A stop can only push: its rate u = R v (positive when it opens) obeys
Newton's law u+ >= -e u-, with an impulse p >= 0 that is zero where u+ is greater. With x = L^T v, M = L L^T, this is a problem
of least squares with p >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.judge import DEPENDENT
from cotree.transitions.forms import back, least, projector, root, rows_in, sizes, taken

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Impact:
    """v after it; impulses Lam of the rows and p of the stops, M dv + J^T Lam = R^T p."""

    v: Array
    Lam: Array
    p: Array


def impact(M: Array, J: Array, b: Array, v: Array, R: Array, e: Array) -> Impact:
    """J (m, n), b (m,) the rows that hold afterwards; R (k, n) the rates of the stops, e (k,) their coefficients."""
    L = root(M)
    A, G, x = rows_in(L, J), rows_in(L, R), L.T @ v
    x0 = x + least(A, b - J @ v)[0]
    p = np.zeros(len(R))
    if len(R):
        free = G @ projector(A)
        before = R @ v
        free[sizes(free) <= DEPENDENT * sizes(G)] = 0.0  # the rows determine it: what is left is rounding
        p = pushes(free, G @ x0 + e * np.minimum(before, 0.0))
        x0 = x0 + free.T @ p
    Lam = taken(A, x - x0 + G.T @ p)
    return Impact(back(L, x0), Lam, p)


def pushes(G: Array, c: Array) -> Array:
    """p >= 0 with u = G G^T p + c >= 0 and p u = 0: the least |G^T p + d|^2 with G d = c."""
    from scipy.optimize import nnls

    if not G.size or np.abs(G).max() < 1e-300:
        return np.zeros(len(c))
    d = np.linalg.lstsq(G, c, rcond=DEPENDENT)[0]
    return np.asarray(nnls(G.T, -d)[0])
