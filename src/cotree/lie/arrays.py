"""Array faces of the tuple kernels: any leading shape, last axes as the object's own.

Twists are (..., 6), angular part first; poses (..., 4, 4); rotations (..., 3, 3); quaternions (..., 4), scalar first.
Differentials come as matrices that act on columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._kernel import kernel
from cotree.errors import ShapeError
from cotree.lie import cayley, direct, quaternion, se3, so3
from cotree.lie.storage import (
    pose_of,
    put_column,
    put_pose_of,
    put_rotation_of,
    put_twist,
    put_vec,
    rotation_of,
    twist,
    vec,
)

Array = NDArray[np.float64]


def _map(loop: Callable[..., None], x: ArrayLike, inner: tuple[int, ...], result: tuple[int, ...]) -> Array:
    """Run a row loop over the leading axes of x."""
    a = np.ascontiguousarray(x, dtype=float)
    if a.shape[a.ndim - len(inner) :] != inner:
        raise ShapeError(f"expected an array whose last axes are {inner}, got shape {a.shape}")
    lead = a.shape[: a.ndim - len(inner)]
    out = np.empty((int(np.prod(lead)), *result))
    loop(a.reshape(-1, *inner), out)
    return out.reshape(*lead, *result)


def hat(w: ArrayLike) -> Array:
    """Matrix of x -> w x x for (..., 3), or the 4x4 matrix of a twist for (..., 6)."""
    a = np.asarray(w, dtype=float)
    if a.shape[-1:] not in ((3,), (6,)):
        raise ShapeError(f"hat takes vectors (..., 3) or twists (..., 6), got shape {a.shape}")
    n = 3 if a.shape[-1] == 3 else 4
    out = np.zeros((*a.shape[:-1], n, n))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = a[..., 0], a[..., 1], a[..., 2]
    out[..., 1, 2], out[..., 2, 0], out[..., 0, 1] = -a[..., 0], -a[..., 1], -a[..., 2]
    if n == 4:
        out[..., :3, 3] = a[..., 3:]
    return out


def vee(A: ArrayLike) -> Array:
    """Inverse of hat."""
    a = np.asarray(A, dtype=float)
    if a.shape[-2:] not in ((3, 3), (4, 4)):
        raise ShapeError(f"vee takes matrices (..., 3, 3) or (..., 4, 4), got shape {a.shape}")
    w = np.stack([a[..., 2, 1], a[..., 0, 2], a[..., 1, 0]], axis=-1)
    return w if a.shape[-1] == 3 else np.concatenate([w, a[..., :3, 3]], axis=-1)


def ad(X: ArrayLike) -> Array:
    """6x6 matrix of the bracket, Geo (29): [[w^, 0], [v^, w^]]."""
    x = np.asarray(X, dtype=float)
    out = np.zeros((*x.shape[:-1], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = hat(x[..., :3])
    out[..., 3:, :3] = hat(x[..., 3:])
    return out


def Ad(C: ArrayLike) -> Array:
    """6x6 matrix [[R, 0], [p^ R, R]] of a pose."""
    c = np.asarray(C, dtype=float)
    out = np.zeros((*c.shape[:-2], 6, 6))
    R = c[..., :3, :3]
    out[..., :3, :3] = out[..., 3:, 3:] = R
    out[..., 3:, :3] = hat(c[..., :3, 3]) @ R
    return out


def bracket(X: ArrayLike, Y: ArrayLike) -> Array:
    """Lie bracket [X, Y] = (wx x wy, wx x vy + vx x wy)."""
    x, y = np.asarray(X, dtype=float), np.asarray(Y, dtype=float)
    wx, vx, wy, vy = x[..., :3], x[..., 3:], y[..., :3], y[..., 3:]
    return np.concatenate([np.cross(wx, wy), np.cross(wx, vy) + np.cross(vx, wy)], axis=-1)


def pose(R: ArrayLike | None = None, p: ArrayLike = (0, 0, 0)) -> Array:
    """4x4 pose of a rotation (identity by default) and a position."""
    C = np.eye(4)
    if R is not None:
        C[:3, :3] = R
    C[:3, 3] = p
    return C


def inverse(C: ArrayLike) -> Array:
    """Inverse pose."""
    c = np.asarray(C, dtype=float)
    out = np.zeros_like(c)
    Rt = np.swapaxes(c[..., :3, :3], -1, -2)
    out[..., :3, :3] = Rt
    out[..., :3, 3] = -(Rt @ c[..., :3, 3:])[..., 0]
    out[..., 3, 3] = 1.0
    return out


# -- exponential maps ---------------------------------------------------------------------------------------


@kernel
def _exp_so3(x, out):
    for i in range(x.shape[0]):
        put_rotation_of(out[i], so3.exp(vec(x[i])))


@kernel
def _log_so3(R, out):
    for i in range(R.shape[0]):
        put_vec(out[i], so3.log(rotation_of(R[i])))


@kernel
def _exp_se3(x, out):
    for i in range(x.shape[0]):
        put_pose_of(out[i], se3.exp(twist(x[i])))


@kernel
def _log_se3(C, out):
    for i in range(C.shape[0]):
        put_twist(out[i], se3.log(pose_of(C[i])))


@kernel
def _cay(x, out):
    for i in range(x.shape[0]):
        put_pose_of(out[i], cayley.cay(twist(x[i])))


@kernel
def _quaternion_of(R, out):
    for i in range(R.shape[0]):
        e = quaternion.from_rotation(rotation_of(R[i]))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = e


@kernel
def _rotation_of_quaternion(e, out):
    for i in range(e.shape[0]):
        put_rotation_of(out[i], quaternion.to_rotation((e[i, 0], e[i, 1], e[i, 2], e[i, 3])))


def exp_so3(w: ArrayLike) -> Array:
    """Rotation of a rotation vector."""
    return _map(_exp_so3, w, (3,), (3, 3))


def log_so3(R: ArrayLike) -> Array:
    """Rotation vector, of length at most pi, of a rotation."""
    return _map(_log_so3, R, (3, 3), (3,))


def exp_se3(X: ArrayLike) -> Array:
    """Pose exp(X) of a twist."""
    return _map(_exp_se3, X, (6,), (4, 4))


def log_se3(C: ArrayLike) -> Array:
    """Twist X with exp(X) = C and rotation angle at most pi."""
    return _map(_log_se3, C, (4, 4), (6,))


def cay(X: ArrayLike) -> Array:
    """Cayley map of SE(3)."""
    return _map(_cay, X, (6,), (4, 4))


def quaternion_of(R: ArrayLike) -> Array:
    """Unit quaternion (scalar first, not negative) of a rotation."""
    return _map(_quaternion_of, R, (3, 3), (4,))


def rotation_of_quaternion(e: ArrayLike) -> Array:
    """Rotation of a quaternion of any nonzero length, scalar first."""
    return _map(_rotation_of_quaternion, e, (4,), (3, 3))


# -- differentials ------------------------------------------------------------------------------------------


def _matrices(differential: Any) -> Any:
    """Row loop that fills 6x6 matrices column by column."""

    @kernel
    def loop(x, out):
        for i in range(x.shape[0]):
            for j in range(6):
                e = (
                    (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2)),
                    (1.0 * (j == 3), 1.0 * (j == 4), 1.0 * (j == 5)),
                )
                put_column(out[i], j, differential(twist(x[i]), e))

    return loop


_dexp_spatial = _matrices(se3.dexp_spatial)
_dexp_spatial_inv = _matrices(se3.dexp_spatial_inv)
_dcay_spatial = _matrices(cayley.dcay_spatial)
_dcay_spatial_inv = _matrices(cayley.dcay_spatial_inv)
_direct_dexp_spatial = _matrices(direct.dexp_spatial)
_direct_dexp_spatial_inv = _matrices(direct.dexp_spatial_inv)


def dexp_spatial(X: ArrayLike) -> Array:
    """6x6 matrix of (d exp) exp^-1 on SE(3)."""
    return _map(_dexp_spatial, X, (6,), (6, 6))


def dexp_spatial_inv(X: ArrayLike) -> Array:
    """Its inverse, Lie (9)."""
    return _map(_dexp_spatial_inv, X, (6,), (6, 6))


def dexp_body(X: ArrayLike) -> Array:
    """6x6 matrix of exp^-1 (d exp) = dexp_spatial(-X)."""
    return dexp_spatial(-np.asarray(X, dtype=float))


def dexp_body_inv(X: ArrayLike) -> Array:
    """Its inverse: the map in the Munthe-Kaas line."""
    return dexp_spatial_inv(-np.asarray(X, dtype=float))


def dcay_spatial(X: ArrayLike) -> Array:
    """6x6 matrix of (d cay) cay^-1."""
    return _map(_dcay_spatial, X, (6,), (6, 6))


def dcay_spatial_inv(X: ArrayLike) -> Array:
    """Its inverse."""
    return _map(_dcay_spatial_inv, X, (6,), (6, 6))


def dexp_spatial_direct(X: ArrayLike) -> Array:
    """6x6 matrix of (d exp) exp^-1 on SO(3) x R3."""
    return _map(_direct_dexp_spatial, X, (6,), (6, 6))


def dexp_spatial_inv_direct(X: ArrayLike) -> Array:
    """Its inverse."""
    return _map(_direct_dexp_spatial_inv, X, (6,), (6, 6))
