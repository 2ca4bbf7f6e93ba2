"""Cayley map of SE(3): cay(X) = (I - X/2)^-1 (I + X/2) of the 4x4 matrix; agrees with exp to second order.

The rotation's classical Cayley (Rodrigues) parameters, tan(angle/2) times the axis, are half of omega.
"""

from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.quaternion import to_rotation
from cotree.lie.vec3 import add, axpy, cross, dot, neg, scale, sub


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


@kernel
def _between(X, A, B):
    """A X B + B X A of 4x4 matrices, which is a twist."""
    a, b = A[0], B[0]
    w = neg(add(scale(dot(a, X[0]), b), scale(dot(b, X[0]), a)))
    return (w, add(cross(a, cross(X[0], B[1])), cross(b, cross(X[0], A[1]))))


@kernel
def d2dcay_spatial(X, U, T, Y):
    """Second derivative of X -> dcay_spatial(X, Y) in the directions U and T.

    With H_Y = dcay_spatial(X, Y) the first is dH_Y = [H_U, H_Y]/2 + (H_U X H_Y + H_Y X H_U)/4.
    """
    HU, HY = dcay_spatial(X, U), dcay_spatial(X, Y)
    dU, dY = ddcay_spatial(X, T, U), ddcay_spatial(X, T, Y)
    brackets = se3.plus(se3.bracket(dU, HY), se3.bracket(HU, dY))
    products = se3.plus(_between(X, dU, HY), se3.plus(_between(X, HU, dY), _between(T, HU, HY)))
    return se3.plus_times(0.5, brackets, se3.times(0.25, products))
