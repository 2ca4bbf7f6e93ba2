"""3x3 matrices as tuples: nine scalars by rows, or six for a symmetric one (xx, xy, xz, yy, yz, zz)."""

from cotree.engine.kernel import kernel


@kernel
def mul_vec(A, x):
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@kernel
def tmul_vec(A, x):
    """A^T x."""
    return (
        A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
        A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
        A[2] * x[0] + A[5] * x[1] + A[8] * x[2],
    )


@kernel
def mul(A, B):
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel
def transpose(A):
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@kernel
def sub(A, B):
    return (
        A[0] - B[0], A[1] - B[1], A[2] - B[2],
        A[3] - B[3], A[4] - B[4], A[5] - B[5],
        A[6] - B[6], A[7] - B[7], A[8] - B[8],
    )  # fmt: skip


@kernel
def outer(a, b):
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2],
        a[1] * b[0], a[1] * b[1], a[1] * b[2],
        a[2] * b[0], a[2] * b[1], a[2] * b[2],
    )  # fmt: skip


@kernel
def sym_mul_vec(S, x):
    return (
        S[0] * x[0] + S[1] * x[1] + S[2] * x[2],
        S[1] * x[0] + S[3] * x[1] + S[4] * x[2],
        S[2] * x[0] + S[4] * x[1] + S[5] * x[2],
    )


@kernel
def sym_sub(S, T):
    return (S[0] - T[0], S[1] - T[1], S[2] - T[2], S[3] - T[3], S[4] - T[4], S[5] - T[5])


@kernel
def sym_outer(a, b):
    """The six entries of a b^T for vectors whose outer product is symmetric (b a multiple of a)."""
    return (a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[1], a[1] * b[2], a[2] * b[2])


@kernel
def congruence(R, S):
    """R S R^T of a symmetric S."""
    r0, r1, r2 = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    t0, t1, t2 = sym_mul_vec(S, r0), sym_mul_vec(S, r1), sym_mul_vec(S, r2)
    return (
        r0[0] * t0[0] + r0[1] * t0[1] + r0[2] * t0[2],
        r0[0] * t1[0] + r0[1] * t1[1] + r0[2] * t1[2],
        r0[0] * t2[0] + r0[1] * t2[1] + r0[2] * t2[2],
        r1[0] * t1[0] + r1[1] * t1[1] + r1[2] * t1[2],
        r1[0] * t2[0] + r1[1] * t2[1] + r1[2] * t2[2],
        r2[0] * t2[0] + r2[1] * t2[1] + r2[2] * t2[2],
    )
