"""Body poses at any time: cubic interpolation between frames with the velocities at both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.lie import exp_so3, log_so3, quaternion_of, rotation_of_quaternion
from cotree.view.scene.frames import Frames

Array = NDArray[np.float64]
MOST_TURN = 4.0  # radians between frames above which the angular rate is taken as constant


def poses_at(found: Frames, t: float) -> tuple[Array, Array]:
    """Quaternions (n, 4) and mass centres (n, 3) about the frames' origin, at a time; constant beyond the ends."""
    i = int(np.clip(np.searchsorted(found.t, t, "right") - 1, 0, max(0, len(found.t) - 2)))
    j = min(i + 1, len(found.t) - 1)
    h = found.t[j] - found.t[i]
    s = float(np.clip((t - found.t[i]) / h, 0.0, 1.0)) if h > 0.0 else 1.0
    if s in (0.0, 1.0):
        k = j if s == 1.0 else i
        return found.quaternions[k], found.centres[k]
    p = cubic(found.centres[i], h * found.speeds[i], found.centres[j], h * found.speeds[j], s)
    R, R_next = (rotation_of_quaternion(found.quaternions[k]) for k in (i, j))
    x = turned(R, R_next, h * found.spins[i], h * found.spins[j])
    rate = rotation_rate(x, h * found.spins[j])
    steady = np.linalg.norm(x, axis=1, keepdims=True) > MOST_TURN
    x = np.where(steady, s * x, cubic(np.zeros_like(x), h * found.spins[i], x, rate, s))
    return quaternion_of(R @ exp_so3(x)), p


def path_of_point(found: Frames, row: int, point: Array, most: int = 2000) -> Array:
    """Places (k, 3) that a point of a body (row 0: ground), given about its mass centre, passes: cubics through the frames with
    its velocities there."""
    if row == 0:
        return np.array([point, point])
    R = rotation_of_quaternion(found.quaternions[:, row - 1])
    places = R @ point + found.centres[:, row - 1]
    rates = np.einsum("kij,kj->ki", R, np.cross(found.spins[:, row - 1], point)) + found.speeds[:, row - 1]
    h = np.diff(found.t)[:, None]
    shares = np.arange(max(1, min(8, most // len(found.t)))) / max(1, min(8, most // len(found.t)))
    between = [cubic(places[:-1], h * rates[:-1], places[1:], h * rates[1:], float(s)) for s in shares]
    return np.concatenate([np.stack(between, axis=1).reshape(-1, 3), places[-1:]])


def cubic(a: Array, da: Array, b: Array, db: Array, s: float) -> Array:
    """Hermite's cubic: values and slopes at s = 0 and 1."""
    d = b - a
    return a + s * (da + s * (3.0 * d - 2.0 * da - db + s * (da + db - 2.0 * d)))


def turned(R: Array, R_next: Array, first: Array, last: Array) -> Array:
    """Rotation vectors (n, 3) from one frame to the next, with the full turns implied by the angular velocities (times the
    interval, at both frames)."""
    shortest, mean = log_so3(np.swapaxes(R, -1, -2) @ R_next), 0.5 * (first + last)
    long = np.linalg.norm(shortest, axis=1, keepdims=True) > 1e-6
    axis = np.where(long, shortest, mean)
    axis = axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-100)  # squares of less are zero
    turns = np.round(np.sum((mean - shortest) * axis, axis=1, keepdims=True) / (2 * np.pi))
    return shortest + 2 * np.pi * turns * axis


def rotation_rate(x: Array, w: Array) -> Array:
    """dexp_body_inv on SO(3): rate of the rotation vector x for the angular velocity w in the axes that x leads to."""
    angle = np.linalg.norm(x, axis=1, keepdims=True)
    big = np.maximum(angle, 1e-3)
    c = np.where(angle > 1e-3, (1.0 - 0.5 * big / np.tan(0.5 * big)) / big**2, 1.0 / 12.0)
    return w + 0.5 * np.cross(x, w) + c * np.cross(x, np.cross(x, w))
