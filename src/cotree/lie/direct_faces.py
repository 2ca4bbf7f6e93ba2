"""SO(3) x R3 on arrays, [Lie (15) to (18)]: the same 4x4 poses, composed part by part; velocities (w, r-dot), (..., 6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.lie.maps import exp_so3, log_so3
from cotree.lie.matrices import cross, pose
from cotree.lie.shapes import checked

Array = NDArray[np.float64]


def compose_direct(A: ArrayLike, B: ArrayLike) -> Array:
    """(R_a R_b, r_a + r_b) of poses (4, 4): the product of SO(3) x R3 [Lie (15)]."""
    a, b = checked(A, (4, 4)), checked(B, (4, 4))
    return pose(a[..., :3, :3] @ b[..., :3, :3], a[..., :3, 3] + b[..., :3, 3])


def inverse_direct(A: ArrayLike) -> Array:
    """(R^T, -r) of a pose (4, 4)."""
    a = checked(A, (4, 4))
    return pose(a[..., :3, :3].swapaxes(-1, -2), -a[..., :3, 3])


def bracket_direct(X: ArrayLike, Y: ArrayLike) -> Array:
    """(w_x x w_y, 0) [Lie (16)]."""
    x, y = checked(X, (6,)), checked(Y, (6,))
    turned = cross(x[..., :3], y[..., :3])
    return np.concatenate([turned, np.zeros_like(turned)], axis=-1)


def exp_direct(X: ArrayLike) -> Array:
    """Pose (exp w, u) of (w, u) [Lie (17)]."""
    x = checked(X, (6,))
    return pose(exp_so3(x[..., :3]), x[..., 3:])


def log_direct(A: ArrayLike) -> Array:
    """(log R, r) of a pose; the inverse of `exp_direct` for turns below pi."""
    a = checked(A, (4, 4))
    return np.concatenate([log_so3(a[..., :3, :3]), a[..., :3, 3]], axis=-1)
