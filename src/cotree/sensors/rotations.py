"""Rotation vectors and quaternions of rotations, which may carry derivatives along."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.lie import cross, log_so3, quaternion_of, rotation_of_quaternion
from cotree.lie.varied import Varied, value_of

Array = NDArray[np.float64]


def rotation_vector(R: Any) -> Any:
    """(..., 3) of rotations (..., 3, 3); dR = w^ R changes it by dexp^-1 w."""
    x = log_so3(value_of(R))
    if not isinstance(R, Varied):
        return x
    from cotree.lie import dexp_spatial_inv  # not loaded by runs that need no derivatives

    inverse = dexp_spatial_inv(np.concatenate([x, np.zeros_like(x)], axis=-1))[..., :3, :3]
    return Varied(x, (inverse @ _spin(R)[..., None])[..., 0])


def quaternion(R: Any) -> Any:
    """(..., 4) of rotations; dR = w^ R changes it by half the product of w and the quaternion."""
    e = quaternion_of(value_of(R))
    if not isinstance(R, Varied):
        return e
    w = _spin(R)
    scalar = -np.sum(w * e[..., 1:], axis=-1, keepdims=True)
    return Varied(e, 0.5 * np.concatenate([scalar, w * e[..., :1] + cross(w, e[..., 1:])], axis=-1))


def vector_of_quaternion(e: Any) -> Any:
    """Rotation vector (..., 3) of quaternions (..., 4) of any length."""
    R = rotation_of_quaternion(value_of(e))
    if not isinstance(e, Varied):
        return log_so3(R)
    x, s = e.value, e.slopes
    w = s[..., 1:] * x[..., :1] - s[..., :1] * x[..., 1:] - cross(s[..., 1:], x[..., 1:])
    w *= 2.0 / np.sum(x * x, axis=-1, keepdims=True)
    return rotation_vector(Varied(R, cross(w[..., None, :], np.swapaxes(R, -1, -2)).swapaxes(-1, -2)))


def _spin(R: Varied) -> Array:
    """w (directions, ..., 3) with dR = w^ R."""
    W = R.slopes @ np.swapaxes(R.value, -1, -2)
    return 0.5 * np.stack(
        [W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]], axis=-1
    )
