"""Bodies of one loop whose masses are so far apart that rounding of the heavy one hides what the light one does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cotree.system.system import System

# Ratios up to which runs with loops are right to about 1e-8. Divide and conquer adds up inertias of neighbours and divides by
# them: in a four-bar it is off by 2e-7 at 1e10, and fails or leaves the branch from 1e12 on; the others lose as much at 1e16.
FAR_DIVIDED, FAR = 1e10, 1e13


def far_apart(system: System, formulation: str) -> Iterator[str]:
    """Words about the loop with the largest ratio of masses, where that is too large for the formulation."""
    if not system.loops:
        return
    limit = FAR_DIVIDED if formulation == "odca" else FAR
    with np.errstate(divide="ignore"):
        logs = np.log([0.0, *(body.properties.mass for body in system.mechanism.bodies.values())])  # ground first
    if _ratio(logs) <= np.log(limit):
        return
    loop = max((logs[list(loop.vertices)] for loop in system.loops), key=_ratio)
    if _ratio(loop) > np.log(limit):
        names = ("ground", *system.mechanism.bodies)
        light, heavy = (names[int(np.flatnonzero(logs == x)[0])] for x in (loop[np.isfinite(loop)].min(), loop.max()))
        yield (
            f"the masses of {light!r} and {heavy!r} in one loop differ by a factor of 1e{_ratio(loop) / np.log(10):.0f}, which "
            f"{'this formulation' if formulation == 'odca' else 'rounding'} may not resolve: check their units, or give "
            f"{light!r} more mass{', or use another formulation' if formulation == 'odca' else ''}"
        )


def _ratio(logs: NDArray[np.float64]) -> float:
    """Logarithm of the ratio of the largest to the smallest mass, from their logarithms; bodies without mass do not count."""
    positive = logs[np.isfinite(logs)]
    return float(np.ptp(positive)) if positive.size else 0.0
