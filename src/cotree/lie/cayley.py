"""Cayley map of SE(3): cay(X) = (I - X/2)^-1 (I + X/2) of the 4x4 matrix; agrees with exp to second order.

The rotation's classical Cayley (Rodrigues) parameters, tan(angle/2) times the axis, are half of omega.
"""

from cotree.engine.kernel import kernel
from cotree.lie.mat3 import mul_vec
from cotree.lie.quaternion import to_rotation
from cotree.lie.vec3 import add, axpy, cross, dot, scale, sub


@kernel
def _resolvent(w, y):
    """(I - w^/2)^-1 y."""
    s = 1.0 / (1.0 + 0.25 * dot(w, w))
    return scale(s, axpy(0.5, cross(w, y), axpy(0.25 * dot(w, y), w, y)))


@kernel
def cay(X):
    w, v = X
    R = to_rotation((1.0 + 0.0 * w[0], 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]))
    return (R, scale(0.5, add(mul_vec(R, v), v)))


@kernel
def dcay_spatial(X, Y):
    """(d cay) cay^-1 applied to Y, that is (I - X/2)^-1 Y (I + X/2)^-1."""
    w, v = X
    s = 1.0 / (1.0 + 0.25 * dot(w, w))
    a = scale(s, axpy(0.5, cross(w, Y[0]), Y[0]))
    return (a, axpy(-0.5, cross(a, v), _resolvent(w, Y[1])))


@kernel
def dcay_spatial_inv(X, Y):
    """Inverse of dcay_spatial: (I - X/2) Y (I + X/2)."""
    w, v = X
    a = add(axpy(-0.5, cross(w, Y[0]), Y[0]), scale(0.25 * dot(w, Y[0]), w))
    b = axpy(0.5, cross(Y[0], v), Y[1])
    return (a, axpy(-0.5, cross(w, b), b))


@kernel
def ddcay_spatial(X, U, Y):
    """Derivative of X -> dcay_spatial(X, Y) in the direction U."""
    w, v = X
    u = U[0]
    s = 1.0 / (1.0 + 0.25 * dot(w, w))
    ds = -0.5 * s * s * dot(w, u)
    a = axpy(0.5, cross(w, Y[0]), Y[0])
    da = axpy(ds, a, scale(0.5 * s, cross(u, Y[0])))
    y = Y[1]
    b = axpy(0.5, cross(w, y), axpy(0.25 * dot(w, y), w, y))
    db = axpy(0.5, cross(u, y), scale(0.25, add(scale(dot(w, y), u), scale(dot(u, y), w))))
    turned = add(cross(da, v), cross(scale(s, a), U[1]))
    return (da, sub(add(scale(ds, b), scale(s, db)), scale(0.5, turned)))
