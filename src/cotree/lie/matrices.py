"""Twists and poses as matrices: array faces of the algebra and of the group operations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cotree.lie.shapes import Array, checked

_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def hat(w: ArrayLike) -> Array:
    """Matrix of x -> w x x for (..., 3), or the 4x4 matrix of a twist for (..., 6)."""
    a = checked(w, (3,), (6,))
    n = 3 if a.shape[-1] == 3 else 4
    out = np.zeros((*a.shape[:-1], n, n))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = a[..., 0], a[..., 1], a[..., 2]
    out[..., 1, 2], out[..., 2, 0], out[..., 0, 1] = -a[..., 0], -a[..., 1], -a[..., 2]
    if n == 4:
        out[..., :3, 3] = a[..., 3:]
    return out


def vee(A: ArrayLike) -> Array:
    """Inverse of hat."""
    a = checked(A, (3, 3), (4, 4))
    w = np.stack([a[..., 2, 1], a[..., 0, 2], a[..., 1, 0]], axis=-1)
    return w if a.shape[-1] == 3 else np.concatenate([w, a[..., :3, 3]], axis=-1)


def ad(X: ArrayLike) -> Array:
    """6x6 matrix of the bracket, Geo (29): [[w^, 0], [v^, w^]]."""
    x = checked(X, (6,))
    out = np.zeros((*x.shape[:-1], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = hat(x[..., :3])
    out[..., 3:, :3] = hat(x[..., 3:])
    return out


def Ad(C: ArrayLike) -> Array:
    """6x6 matrix [[R, 0], [p^ R, R]] of a pose."""
    c = checked(C, (4, 4))
    out = np.zeros((*c.shape[:-2], 6, 6))
    R = c[..., :3, :3]
    out[..., :3, :3] = out[..., 3:, 3:] = R
    out[..., 3:, :3] = hat(c[..., :3, 3]) @ R
    return out


def cross(a: ArrayLike, b: ArrayLike) -> Array:
    """a x b for (..., 3): what np.cross gives, at a fifth of the time for small arrays."""
    x, y = checked(a, (3,)), checked(b, (3,))
    return x[..., _NEXT] * y[..., _LAST] - x[..., _LAST] * y[..., _NEXT]


def bracket(X: ArrayLike, Y: ArrayLike) -> Array:
    """Lie bracket [X, Y] = (wx x wy, wx x vy + vx x wy)."""
    x, y = checked(X, (6,)), checked(Y, (6,))
    wx, vx, wy, vy = x[..., :3], x[..., 3:], y[..., :3], y[..., 3:]
    return np.concatenate([cross(wx, wy), cross(wx, vy) + cross(vx, wy)], axis=-1)


def pose(R: ArrayLike | None = None, p: ArrayLike = (0, 0, 0)) -> Array:
    """4x4 pose of a rotation (identity by default) and a position."""
    rotation, position = checked(np.eye(3) if R is None else R, (3, 3)), checked(p, (3,))
    C = np.zeros((*np.broadcast_shapes(rotation.shape[:-2], position.shape[:-1]), 4, 4))
    C[..., :3, :3], C[..., :3, 3], C[..., 3, 3] = rotation, position, 1.0
    return C


def inverse(C: ArrayLike) -> Array:
    """Inverse pose."""
    c = checked(C, (4, 4))
    out = np.zeros_like(c)
    Rt = np.swapaxes(c[..., :3, :3], -1, -2)
    out[..., :3, :3] = Rt
    out[..., :3, 3] = -(Rt @ c[..., :3, 3:])[..., 0]
    out[..., 3, 3] = 1.0
    return out
