"""SO(3) x R3: the same pairs (R, r), composed part by part; velocity (omega body-fixed, r-dot world-fixed)."""

from cotree.engine.kernel import kernel
from cotree.lie import so3
from cotree.lie.mat3 import mul, tmul_vec, transpose
from cotree.lie.vec3 import add, cross, neg, sub


@kernel
def compose(A, B):
    return (mul(A[0], B[0]), add(A[1], B[1]))


@kernel
def inverse(A):
    return (transpose(A[0]), neg(A[1]))


@kernel
def bracket(X, Y):
    return (cross(X[0], Y[0]), sub(X[1], X[1]))


@kernel
def exp(X):
    return (so3.exp(X[0]), X[1])


@kernel
def log(A):
    return (so3.log(A[0]), A[1])


@kernel
def dexp_spatial(X, Y):
    return (so3.dexp_spatial(X[0], Y[0]), Y[1])


@kernel
def dexp_spatial_inv(X, Y):
    return (so3.dexp_spatial_inv(X[0], Y[0]), Y[1])


@kernel
def dexp_body(X, Y):
    return dexp_spatial((neg(X[0]), X[1]), Y)


@kernel
def dexp_body_inv(X, Y):
    return dexp_spatial_inv((neg(X[0]), X[1]), Y)


@kernel
def to_body(A, X):
    """Body twist of SE(3) from the pair (omega body, r-dot world)."""
    return (X[0], tmul_vec(A[0], X[1]))
