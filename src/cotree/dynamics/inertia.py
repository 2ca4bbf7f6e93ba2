"""Spatial inertia as tuples, in the world frame.

Rigid: (m, h, I) with h = m c and I (six scalars) about the origin. General symmetric 6x6, for articulated bodies:
(A, B, D) with A, D symmetric (six) and B nine scalars, acting on (w, v) as (A w + B v, B^T w + D v).
"""

from cotree.engine.kernel import kernel
from cotree.lie import mat3
from cotree.lie.mat3 import congruence, mul_vec, outer, sym_mul_vec, sym_outer, sym_sub, tmul_vec
from cotree.lie.se3 import act
from cotree.lie.vec3 import add, axpy, cross, scale


@kernel
def rigid(C, m, c, I):
    """Rigid inertia about the world's origin of a body displaced by C; c, I: mass centre and tensor before."""
    x = act(C, c)
    h = scale(m, x)
    T = congruence(C[0], I)
    hx, hy, hz = h[0] * x[0], h[1] * x[1], h[2] * x[2]
    return (
        m,
        h,
        (
            T[0] + (hy + hz), T[1] - h[0] * x[1], T[2] - h[0] * x[2],
            T[3] + (hx + hz), T[4] - h[1] * x[2], T[5] + (hx + hy),
        ),
    )  # fmt: skip


@kernel
def momentum(J, V):
    """J V of a rigid inertia: (I w + h x v, m v - h x w)."""
    m, h, I = J
    return (add(sym_mul_vec(I, V[0]), cross(h, V[1])), axpy(m, V[1], cross(V[0], h)))


@kernel
def full(J):
    """General form of a rigid inertia."""
    m, h, I = J
    z = 0.0 * m
    return (I, (z, -h[2], h[1], h[2], z, -h[0], -h[1], h[0], z), (m, z, z, m, z, m))


@kernel
def apply(M, X):
    """General inertia times twist."""
    A, B, D = M
    return (add(sym_mul_vec(A, X[0]), mul_vec(B, X[1])), add(tmul_vec(B, X[0]), sym_mul_vec(D, X[1])))


@kernel
def deflate(M, U, d):
    """M - U d U^T: what is left of the inertia when one motion is free."""
    A, B, D = M
    W = (scale(d, U[0]), scale(d, U[1]))
    return (
        sym_sub(A, sym_outer(U[0], W[0])),
        mat3.sub(B, outer(U[0], W[1])),
        sym_sub(D, sym_outer(U[1], W[1])),
    )


@kernel
def load(x):
    """General inertia from a row of 21."""
    return (
        (x[0], x[1], x[2], x[3], x[4], x[5]),
        (x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14]),
        (x[15], x[16], x[17], x[18], x[19], x[20]),
    )


@kernel
def store(x, M):
    A, B, D = M
    x[0], x[1], x[2], x[3], x[4], x[5] = A
    x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14] = B
    x[15], x[16], x[17], x[18], x[19], x[20] = D


@kernel
def accumulate(x, M):
    A, B, D = M
    for k in range(6):
        x[k] += A[k]
    for k in range(9):
        x[6 + k] += B[k]
    for k in range(6):
        x[15 + k] += D[k]


@kernel
def load_rigid(x):
    """Rigid inertia from the first 10 of a row."""
    return (x[0], (x[1], x[2], x[3]), (x[4], x[5], x[6], x[7], x[8], x[9]))


@kernel
def store_rigid(x, J):
    x[0] = J[0]
    x[1], x[2], x[3] = J[1]
    x[4], x[5], x[6], x[7], x[8], x[9] = J[2]
