"""Whether the set of closed configurations has a dimension d about one of them: by moving along d directions at once.

Random planes that fix d coordinates next to a smooth point of a set of dimension d or more meet the set, and miss it if its
dimension is less. The search is by damped Gauss-Newton steps within the plane, so that only residuals count and no ranks:
a second route to what `tangents` tells by derivatives.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.tangents import Rows, Tangent
from cotree.judge import SETTLED

Array = NDArray[np.float64]
STEPS = (
    0.05,
    0.01,
    0.004,
)  # rad, or parts of the system's length, away from the configuration: large ones show high orders
TRIES = 3  # planes for each of these
MEETS = (
    1e-11  # and a plane meets the set if the rows close to this: an obstruction of order k leaves a step to the power k
)
ROUNDS = 80


def has_dimension(tangent: Tangent, d: int, seed: int = 0) -> bool:
    """Whether most planes that fix d coordinates next to the configuration meet the closed configurations."""
    if d == 0:
        return True
    rng, met, tried = np.random.default_rng(seed), 0, 0
    for step in STEPS:
        for _ in range(TRIES):
            met += _meets(tangent, d, step, rng)
            tried += 1
        if met == tried or not met:
            return met > 0
    return 2 * met > tried


def slice_dimension(tangent: Tangent, most: int, least: int = 0) -> int:
    """The largest d, at most `most`, for which the set has that dimension about the configuration; at least `least`."""
    return next((d for d in range(most, least, -1) if has_dimension(tangent, d)), least)


def least_gap(tangent: Tangent, step: float = 0.05) -> float:
    """What the rows leave open after a step along admissible velocities: the square of it where they obstruct the motion, and
    much less where they nearly let it pass."""
    x = tangent.N @ np.random.default_rng(0).standard_normal(tangent.dimension)
    x *= step / np.linalg.norm(x)
    q = tangent.rows.moved(tangent.q, x)
    return _closed(tangent.rows, q, np.linalg.svd(x[:, None])[0][:, 1:], 5.0 * step)[0]


def _meets(tangent: Tangent, d: int, step: float, rng: np.random.Generator) -> bool:
    """Go a step along random admissible velocities, then close the loops without moving d combinations of them."""
    N = tangent.N
    A = np.linalg.qr(N @ rng.standard_normal((N.shape[1], d)))[0]  # (nv, d)
    x = A @ rng.standard_normal(d)
    q = tangent.rows.moved(tangent.q, step * x / np.linalg.norm(x))
    gap, gone = _closed(tangent.rows, q, np.linalg.svd(A)[0][:, d:], 5.0 * step)
    return gap < MEETS and gone <= 5.0 * step


def _closed(rows: Rows, q: Array, Z: Array, farthest: float) -> tuple[float, float]:
    """(size of the rows, distance) after steps within the columns of Z that close them, about as far as told at most."""
    g, gone, damping = rows.residual(q), 0.0, 1.0
    for _ in range(ROUNDS):
        size = float(np.linalg.norm(g))
        if size < SETTLED:
            break
        U, s, Vt = np.linalg.svd(rows.jacobian(q) @ Z, full_matrices=False)
        while True:
            move = -Vt.T @ (s / (s**2 + damping * min(size, 1.0) ** 2 + 1e-30) * (U.T @ g))
            there = rows.moved(q, Z @ move)
            ahead = rows.residual(there)
            if np.linalg.norm(ahead) < size or damping > 1e12:
                break
            damping *= 10.0
        gone += float(np.linalg.norm(move))
        if gone > farthest or not np.linalg.norm(ahead) < size * (1.0 - 1e-3):
            break
        q, g, damping = there, ahead, max(0.1 * damping, 1e-4)
    return float(np.linalg.norm(g)), gone
