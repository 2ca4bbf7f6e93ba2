"""SO(3): rotations as nine scalars by rows, the algebra as vectors (omega hat is implied)."""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.lie.quaternion import from_rotation
from cotree.lie.quaternion import log as quaternion_log
from cotree.lie.stumpff import curvatures, slopes, stumpff_5, stumpff_7, third_slopes
from cotree.lie.vec3 import add, axpy, cross, dot, scale


@kernel
def exp(w):
    """I + c_1 w^ + c_2 w^^2."""
    x = dot(w, w)
    c = stumpff_5(np.sqrt(x), x)
    return _rodrigues(w, c[0], c[1])


@kernel
def _rodrigues(w, s, c):
    """I + s w^ + c w^^2."""
    xy, xz, yz = c * w[0] * w[1], c * w[0] * w[2], c * w[1] * w[2]
    xx, yy, zz = c * w[0] * w[0], c * w[1] * w[1], c * w[2] * w[2]
    return (
        1.0 - (yy + zz), xy - s * w[2], xz + s * w[1],
        xy + s * w[2], 1.0 - (xx + zz), yz - s * w[0],
        xz - s * w[1], yz + s * w[0], 1.0 - (xx + yy),
    )  # fmt: skip


@kernel
def exp_unit(e, angle):
    """Rotation about the unit vector e (or the identity for e = 0)."""
    return _rodrigues(e, np.sin(angle), 1.0 - np.cos(angle))


@kernel
def log(R):
    """Rotation vector of length at most pi, accurate at every angle: by way of the quaternion."""
    return quaternion_log(from_rotation(R))


@kernel
def dexp_spatial(w, y):
    """(d exp) exp^-1 applied to y: y + c_2 w x y + c_3 w x (w x y)."""
    x = dot(w, w)
    c = stumpff_5(np.sqrt(x), x)
    return _quadratic(w, c[1], c[2], y)


@kernel
def _quadratic(w, a, b, y):
    """y + a w x y + b w x (w x y)."""
    wy = cross(w, y)
    return axpy(b, cross(w, wy), axpy(a, wy, y))


@kernel
def dexp_spatial_inv(w, y):
    """Inverse of dexp_spatial, Lie (10); y - w x y / 2 + d w x (w x y), regular for |w| < 2 pi."""
    x = dot(w, w)
    c = stumpff_5(np.sqrt(x), x)
    return _quadratic(w, -0.5, -0.5 * slopes(x, c)[0] / c[1], y)


@kernel
def ddexp_spatial(w, u, y):
    """Derivative of w -> dexp_spatial(w, y) in the direction u."""
    x = dot(w, w)
    c = stumpff_5(np.sqrt(x), x)
    d2, d3 = slopes(x, c)
    wy, uy = cross(w, y), cross(u, y)
    wu = dot(w, u)
    mixed = add(cross(u, wy), cross(w, uy))
    first = axpy(c[1], uy, scale(c[2], mixed))
    return axpy(wu * d3, cross(w, wy), axpy(wu * d2, wy, first))


@kernel
def d2dexp_spatial(w, u, v, y):
    """Second derivative of w -> dexp_spatial(w, y) in the directions u and v."""
    x = dot(w, w)
    theta = np.sqrt(x)
    c = stumpff_7(theta, x)
    a, b = slopes(x, c)
    da, db = curvatures(theta, x, c)
    wy, uy, vy = cross(w, y), cross(u, y), cross(v, y)
    wu, wv, uv = dot(w, u), dot(w, v), dot(u, v)
    wwy = cross(w, wy)
    uwy, vwy = add(cross(u, wy), cross(w, uy)), add(cross(v, wy), cross(w, vy))
    out = scale(c[2], add(cross(v, uy), cross(u, vy)))
    out = add(out, axpy(wu * a, vy, scale(wu * b, vwy)))
    out = add(out, axpy(wv * a, uy, scale(wv * b, uwy)))
    return add(out, axpy(uv * a + wu * wv * da, wy, scale(uv * b + wu * wv * db, wwy)))


@kernel
def d3dexp_spatial(w, u, v, z, y):
    """Third derivative of w -> dexp_spatial(w, y) in the directions u, v and z."""
    x = dot(w, w)
    theta = np.sqrt(x)
    c = stumpff_7(theta, x)
    first, second, third = slopes(x, c), curvatures(theta, x, c), third_slopes(theta, x, c)
    wu, wv, wz, uv, uz, vz = dot(w, u), dot(w, v), dot(w, z), dot(u, v), dot(u, z), dot(v, z)
    wy, uy, vy, zy = cross(w, y), cross(u, y), cross(v, y), cross(z, y)
    a_uv, a_uz = _second(first[0], second[0], uv, wu, wv), _second(first[0], second[0], uz, wu, wz)
    a_vz = _second(first[0], second[0], vz, wv, wz)
    b_uv, b_uz = _second(first[1], second[1], uv, wu, wv), _second(first[1], second[1], uz, wu, wz)
    b_vz = _second(first[1], second[1], vz, wv, wz)
    mixed, all_three = uv * wz + uz * wv + vz * wu, wu * wv * wz
    out = axpy(a_uv, zy, axpy(a_uz, vy, axpy(a_vz, uy, scale(mixed * second[0] + all_three * third[0], wy))))
    out = axpy(mixed * second[1] + all_three * third[1], cross(w, wy), out)
    out = axpy(b_vz, _twice(w, wy, u, uy), axpy(b_uz, _twice(w, wy, v, vy), axpy(b_uv, _twice(w, wy, z, zy), out)))
    out = axpy(wz * first[1], _twice(u, uy, v, vy), axpy(wv * first[1], _twice(u, uy, z, zy), out))
    return axpy(wu * first[1], _twice(v, vy, z, zy), out)


@kernel
def _second(first, second, uv, wu, wv):
    """Second derivative along u and v of a function of w . w whose derivatives by half of that are given."""
    return uv * first + wu * wv * second


@kernel
def _twice(u, uy, v, vy):
    """u x (v x y) + v x (u x y)."""
    return add(cross(u, vy), cross(v, uy))
