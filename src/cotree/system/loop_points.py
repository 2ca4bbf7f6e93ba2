"""Points by which closed loops are measured: those of their joints, and the mass centres of the bodies between them.

Mass centres count since all joints of a spherical linkage may have one point, which numbers with a few decimals spread by next
to nothing. One that is very far away, such as that of the Earth as a body, says nothing about the size of a loop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FAR = 1e3  # times the spread of all points that are nearer: a mass centre beyond is left out
WRITTEN = 1e-4  # m: points that are spread by less may be one point, written with a few decimals


def loop_points(joints: Array, mass_centres: Array) -> Array:
    """(n, 3): the points of the joints and the mass centres that are not far away from all others."""
    middle = joints.mean(axis=0)
    spread = max(float(np.linalg.norm(joints - middle, axis=1).max()), WRITTEN)
    distances = np.linalg.norm(mass_centres - middle, axis=1)
    if distances.max(initial=0.0) <= FAR * spread:
        return np.concatenate([joints, mass_centres])
    order = np.argsort(distances)
    nearer = np.maximum.accumulate([spread, *distances[order]])[:-1]
    far = np.flatnonzero((distances[order] > FAR * nearer) & (nearer > WRITTEN))
    return np.concatenate([joints, mass_centres[order[: far[0]] if far.size else order]])
