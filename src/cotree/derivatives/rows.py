"""Twists in rows of plain arrays, several to a row, for the workspaces of this folder."""

from cotree.engine.kernel import kernel


@kernel
def block(W, at, rows, columns):
    """A matrix in a vector, from entry `at` on."""
    return W[at : at + rows * columns].reshape((rows, columns))


@kernel
def six(A, i, k):
    """Twist at columns k to k + 5 of row i."""
    return ((A[i, k], A[i, k + 1], A[i, k + 2]), (A[i, k + 3], A[i, k + 4], A[i, k + 5]))


@kernel
def put_six(A, i, k, X):
    A[i, k], A[i, k + 1], A[i, k + 2] = X[0]
    A[i, k + 3], A[i, k + 4], A[i, k + 5] = X[1]


@kernel
def three(A, i, k):
    """Vector at columns k to k + 2 of row i."""
    return (A[i, k], A[i, k + 1], A[i, k + 2])


@kernel
def put_three(A, i, k, x):
    A[i, k], A[i, k + 1], A[i, k + 2] = x


@kernel
def nine(A, i, k):
    """3x3 matrix at columns k to k + 8 of row i."""
    return (
        A[i, k], A[i, k + 1], A[i, k + 2],
        A[i, k + 3], A[i, k + 4], A[i, k + 5],
        A[i, k + 6], A[i, k + 7], A[i, k + 8],
    )  # fmt: skip


@kernel
def put_nine(A, i, k, M):
    for n in range(9):
        A[i, k + n] = M[n]


@kernel
def fours(n):
    """n, or the next multiple of four: loops over so many entries of a row are vector instructions without a rest."""
    return (n + 3) // 4 * 4
