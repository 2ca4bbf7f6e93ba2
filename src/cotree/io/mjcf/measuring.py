"""Coordinates of a joint from where its bodies are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.joints import Free, Joint, Prismatic, Revolute, Spherical

Array = NDArray[np.float64]


def measured(joint: Joint, F: Array, N: Array) -> Array:
    """Coordinates of a hinge, slide, ball or free joint in which its frame F on the parent, as assembled, meets N F on the
    child: the angle within half a turn, the distance, the quaternion, or quaternion and position. None for a weld."""
    from cotree.lie import inverse, quaternion_of  # slow to load, and needed for keyframes only

    M: Any = inverse(F) @ N @ F
    if isinstance(joint, Revolute):
        return np.array([np.arctan2(M[1, 0] - M[0, 1], M[0, 0] + M[1, 1])])
    if isinstance(joint, Prismatic):
        return np.array([M[2, 3]])
    if isinstance(joint, Spherical):
        return np.asarray(quaternion_of(M[:3, :3]))
    if isinstance(joint, Free):
        return np.array([*quaternion_of(M[:3, :3]), *M[:3, 3]])
    return np.zeros(0)
