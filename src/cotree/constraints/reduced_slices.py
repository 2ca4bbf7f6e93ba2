"""The least that the reduced rows reach on a plane next to a singular configuration, by damped Gauss-Newton steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.reduced_rows import ReducedRows

Array = NDArray[np.float64]
ROUNDS = 60
FARTHEST = 5.0  # radii
TELLING = 1e3  # times rounding: functions that are smaller at the start tell nothing
LEAST, GREATEST = 1e-6, 1e6  # damping, in parts of the squared slope


@dataclass(frozen=True)
class Meeting:
    """gap: the least size found, in parts of that at the start, 0 for rounding, infinite where the search went far; rank: of
    the slopes there."""

    gap: float
    rank: int


@dataclass(frozen=True)
class Limits:
    """rounding: of the functions; small: part of their size that is next to nothing; flat: slopes that are."""

    rounding: float
    small: float
    flat: float


def meeting(f: ReducedRows, d: int, radius: float, rng: np.random.Generator, limits: Limits) -> Meeting | None:
    """On a plane at random that fixes d combinations of the variables; None where it tells nothing."""
    n = f.variables
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    x = Q[:, :d] @ rng.standard_normal(d)
    q = f.moved(f.q, radius * x / np.linalg.norm(x))
    if q is None:
        return None
    first = float(np.linalg.norm(f.value(q)))
    if first < TELLING * limits.rounding:
        return None
    q, gone = _lowest(f, q, Q[:, d:], radius, max(limits.rounding, 0.1 * limits.small * first))
    size = float(np.linalg.norm(f.value(q)))
    if gone > FARTHEST * radius:
        return Meeting(np.inf, 0)
    rank = int(np.count_nonzero(np.linalg.svd(f.slope(q), compute_uv=False) > limits.flat))
    return Meeting(0.0 if size < 10.0 * limits.rounding else size / first, rank)


def _lowest(f: ReducedRows, q: Array, Z: Array, radius: float, enough: float) -> tuple[Array, float]:
    """(configuration, length of the way there) after steps within the columns of Z."""
    g, gone, damping = f.value(q), 0.0, 1.0
    for _ in range(ROUNDS):
        size = float(np.linalg.norm(g))
        if size < enough or gone > FARTHEST * radius:
            break
        U, s, Vt = np.linalg.svd(f.slope(q) @ Z, full_matrices=False)
        there, ahead = None, g
        while damping <= GREATEST:
            step = -Vt.T @ (s / (s**2 + damping * s[0] ** 2 + 1e-300) * (U.T @ g))
            length = float(np.linalg.norm(step))
            step *= min(1.0, radius / max(length, 1e-300))
            there = f.moved(q, Z @ step)
            if there is not None:
                ahead = f.value(there)
                if np.linalg.norm(ahead) < size:
                    break
            damping = max(10.0 * damping, LEAST)
        if there is None or not np.linalg.norm(ahead) < size * (1.0 - 1e-3):
            break
        gone += min(length, radius)
        q, g, damping = there, ahead, 0.1 * damping if damping > LEAST else 0.0
    return q, gone
