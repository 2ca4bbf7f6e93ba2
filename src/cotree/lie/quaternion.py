"""Unit quaternions (Euler parameters), scalar first: (e0, e1, e2, e3)."""

import numpy as np

from cotree.engine.choosing import select
from cotree.engine.kernel import kernel
from cotree.lie.stumpff import stumpff_5
from cotree.lie.vec3 import dot, scale


@kernel
def mul(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def normalized(e):
    s = 1.0 / np.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    return (s * e[0], s * e[1], s * e[2], s * e[3])


@kernel
def rates(e, w):
    """de/dt = e (0, w) / 2 for the body-fixed angular velocity w."""
    return mul(e, (0.0 * w[0], 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))


@kernel
def exp(w):
    """Quaternion of the rotation vector w."""
    x = 0.25 * dot(w, w)
    half = np.sqrt(x)
    s = 0.5 * stumpff_5(half, x)[0]
    return (np.cos(half), s * w[0], s * w[1], s * w[2])


@kernel
def log(e):
    """Rotation vector of length at most pi; e and -e give the same."""
    v = (e[1], e[2], e[3])
    n = np.sqrt(dot(v, v))
    sign = select(e[0] >= 0.0, 1.0, -1.0)
    tiny = n < 1e-150  # n^2 underflows: the rotation is 2 v to all digits
    length = select(tiny, 1.0, n)
    return scale(select(tiny, 2.0 * sign, 2.0 * sign * np.arctan2(n, sign * e[0]) / length), v)


@kernel
def to_rotation(e):
    """Rotation matrix of a quaternion of any length whose square is a normal number (1e-150 to 1e150)."""
    w, x, y, z = e
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y),
    )  # fmt: skip


@kernel
def from_rotation(R):
    """Unit quaternion with e0 >= 0, by the largest of the four squares, so that nothing cancels."""
    t = R[0] + R[4] + R[8]
    x = (R[7] - R[5], 1.0 + 2.0 * R[0] - t, R[1] + R[3], R[2] + R[6])
    y = (R[2] - R[6], R[1] + R[3], 1.0 + 2.0 * R[4] - t, R[5] + R[7])
    z = (R[3] - R[1], R[2] + R[6], R[5] + R[7], 1.0 + 2.0 * R[8] - t)
    e = _either(R[4] >= R[8], y, z)
    e = _either(R[0] >= max(R[4], R[8]), x, e)
    e = _either(t >= max(R[0], max(R[4], R[8])), (1.0 + t, R[7] - R[5], R[2] - R[6], R[3] - R[1]), e)
    s = select(e[0] >= 0.0, 1.0, -1.0)
    n = normalized(e)
    return (s * n[0], s * n[1], s * n[2], s * n[3])


@kernel
def _either(condition, a, b):
    """One of two quaternions, both of which were computed."""
    return (
        select(condition, a[0], b[0]),
        select(condition, a[1], b[1]),
        select(condition, a[2], b[2]),
        select(condition, a[3], b[3]),
    )
