"""SE(3): poses (R, p), twists (omega, v), wrenches (moment, force); angular part first."""

from cotree.engine.kernel import kernel
from cotree.lie import so3
from cotree.lie.mat3 import mul, mul_vec, tmul_vec, transpose
from cotree.lie.vec3 import add, axpy, cross, dot, neg, scale, sub

# -- linear algebra of twists and wrenches ---------------------------------------------------------------


@kernel
def plus(X, Y):
    return (add(X[0], Y[0]), add(X[1], Y[1]))


@kernel
def minus(X, Y):
    return (sub(X[0], Y[0]), sub(X[1], Y[1]))


@kernel
def times(s, X):
    return (scale(s, X[0]), scale(s, X[1]))


@kernel
def plus_times(s, X, Y):
    """s X + Y."""
    return (axpy(s, X[0], Y[0]), axpy(s, X[1], Y[1]))


@kernel
def pair(X, W):
    """Power of the wrench W on the twist X."""
    return dot(X[0], W[0]) + dot(X[1], W[1])


@kernel
def bracket(X, Y):
    """Lie bracket, the screw product ad_X Y."""
    return (cross(X[0], Y[0]), add(cross(X[0], Y[1]), cross(X[1], Y[0])))


@kernel
def cobracket(X, W):
    """-ad_X^T W: rate of a wrench carried along by the twist X."""
    return (add(cross(X[0], W[0]), cross(X[1], W[1])), cross(X[0], W[1]))


# -- the group ----------------------------------------------------------------------------------------------


@kernel
def compose(A, B):
    return (mul(A[0], B[0]), add(mul_vec(A[0], B[1]), A[1]))


@kernel
def inverse(A):
    return (transpose(A[0]), neg(tmul_vec(A[0], A[1])))


@kernel
def act(A, x):
    """Image of the point x."""
    return add(mul_vec(A[0], x), A[1])


@kernel
def Ad(A, X):
    """(R w, R v + p x R w)."""
    w = mul_vec(A[0], X[0])
    return (w, add(mul_vec(A[0], X[1]), cross(A[1], w)))


@kernel
def Ad_inv(A, X):
    """Ad of the inverse pose."""
    return (tmul_vec(A[0], X[0]), tmul_vec(A[0], sub(X[1], cross(A[1], X[0]))))


@kernel
def coAd(A, W):
    """Ad_A^-T: wrench of the moved body."""
    f = mul_vec(A[0], W[1])
    return (add(mul_vec(A[0], W[0]), cross(A[1], f)), f)


# -- exponential map and its differential ------------------------------------------------------------------


@kernel
def exp(X):
    """(exp w, dexp(w) v); Lie (7) with the division by theta^2 that it lacks."""
    return (so3.exp(X[0]), so3.dexp_spatial(X[0], X[1]))


@kernel
def log(C):
    w = so3.log(C[0])
    return (w, so3.dexp_spatial_inv(w, C[1]))


@kernel
def dexp_spatial(X, Y):
    """(d exp) exp^-1 applied to Y: SO(3)'s formula over dual numbers."""
    w, v = X
    return (so3.dexp_spatial(w, Y[0]), add(so3.dexp_spatial(w, Y[1]), so3.ddexp_spatial(w, v, Y[0])))


@kernel
def dexp_spatial_inv(X, Y):
    """Inverse of dexp_spatial, Lie (9); regular for |w| < 2 pi."""
    w, v = X
    a = so3.dexp_spatial_inv(w, Y[0])
    return (a, so3.dexp_spatial_inv(w, sub(Y[1], so3.ddexp_spatial(w, v, a))))


@kernel
def dexp_body(X, Y):
    """exp^-1 (d exp) applied to Y."""
    return dexp_spatial(times(-1.0, X), Y)


@kernel
def dexp_body_inv(X, Y):
    """Inverse of dexp_body: the Munthe-Kaas map."""
    return dexp_spatial_inv(times(-1.0, X), Y)


@kernel
def ddexp_spatial(X, U, Y):
    """Derivative of X -> dexp_spatial(X, Y) in the direction U."""
    w, v = X
    linear = add(so3.ddexp_spatial(w, U[0], Y[1]), so3.ddexp_spatial(w, U[1], Y[0]))
    return (so3.ddexp_spatial(w, U[0], Y[0]), add(linear, so3.d2dexp_spatial(w, v, U[0], Y[0])))


@kernel
def d2dexp_spatial(X, U, T, Y):
    """Second derivative of X -> dexp_spatial(X, Y) in the directions U and T."""
    w, v = X
    a = add(so3.d2dexp_spatial(w, U[0], T[0], Y[1]), so3.d2dexp_spatial(w, U[1], T[0], Y[0]))
    b = add(so3.d2dexp_spatial(w, U[0], T[1], Y[0]), so3.d3dexp_spatial(w, v, U[0], T[0], Y[0]))
    return (so3.d2dexp_spatial(w, U[0], T[0], Y[0]), add(a, b))
