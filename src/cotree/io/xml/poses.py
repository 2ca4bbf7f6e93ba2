"""Poses as these files write them: a position, and roll, pitch and yaw about fixed axes, R = Rz(yaw) Ry(pitch) Rx(roll)."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, sin

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def rotation(rpy: Sequence[float]) -> Array:
    """R of roll, pitch, yaw."""
    (a, b, c), (x, y, z) = map(cos, rpy), map(sin, rpy)
    return np.array(
        [
            [c * b, c * y * x - z * a, c * y * a + z * x],
            [z * b, z * y * x + c * a, z * y * a - c * x],
            [-y, b * x, b * a],
        ]
    )


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """The angles of R, to all digits at every pitch: after the yaw is taken off nothing is divided by its cosine."""
    yaw = atan2(R[1, 0], R[0, 0])
    c, s = cos(yaw), sin(yaw)
    x, y = c * R[0] + s * R[1], c * R[1] - s * R[0]  # first two rows of Rz(-yaw) R
    return atan2(-y[2], y[1]), atan2(-R[2, 0], x[0]), yaw


def pose(xyz: Sequence[float], rpy: Sequence[float] = (0.0, 0.0, 0.0)) -> Array:
    """4x4 of position and angles."""
    C = np.eye(4)
    C[:3, :3], C[:3, 3] = rotation(rpy), xyz
    return C
