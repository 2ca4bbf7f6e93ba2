"""Array faces of the exponential and Cayley maps, of their logarithm and of the quaternions."""

from __future__ import annotations

from numpy.typing import ArrayLike

from cotree.engine.kernel import kernel
from cotree.lie import cayley, quaternion, se3, so3
from cotree.lie.shapes import Array, map_rows
from cotree.lie.storage import pose_of, put_pose_of, put_rotation_of, put_twist, put_vec, rotation_of, twist, vec


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
    return map_rows(_exp_so3, w, (3,), (3, 3))


def log_so3(R: ArrayLike) -> Array:
    """Rotation vector, of length at most pi, of a rotation."""
    return map_rows(_log_so3, R, (3, 3), (3,))


def exp_se3(X: ArrayLike) -> Array:
    """Pose exp(X) of a twist."""
    return map_rows(_exp_se3, X, (6,), (4, 4))


def log_se3(C: ArrayLike) -> Array:
    """Twist X with exp(X) = C and rotation angle at most pi."""
    return map_rows(_log_se3, C, (4, 4), (6,))


def cay(X: ArrayLike) -> Array:
    """Cayley map of SE(3)."""
    return map_rows(_cay, X, (6,), (4, 4))


def quaternion_of(R: ArrayLike) -> Array:
    """Unit quaternion (scalar first, not negative) of a rotation."""
    return map_rows(_quaternion_of, R, (3, 3), (4,))


def rotation_of_quaternion(e: ArrayLike) -> Array:
    """Rotation of a quaternion of any nonzero length, scalar first."""
    return map_rows(_rotation_of_quaternion, e, (4,), (3, 3))
