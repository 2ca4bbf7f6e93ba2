"""Between tuples and rows of arrays: a vector is 3 numbers, a twist 6, a pose 12 (rotation by rows, position)."""

from cotree.engine.kernel import kernel


@kernel
def vec(x):
    return (x[0], x[1], x[2])


@kernel
def put_vec(x, a):
    x[0], x[1], x[2] = a


@kernel
def twist(x):
    return ((x[0], x[1], x[2]), (x[3], x[4], x[5]))


@kernel
def put_twist(x, X):
    x[0], x[1], x[2] = X[0]
    x[3], x[4], x[5] = X[1]


@kernel
def pose(x):
    return ((x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]), (x[9], x[10], x[11]))


@kernel
def put_pose(x, C):
    R = C[0]
    x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8] = R
    x[9], x[10], x[11] = C[1]


@kernel
def rotation_of(A):
    """Upper left 3x3 block of an array."""
    return (A[0, 0], A[0, 1], A[0, 2], A[1, 0], A[1, 1], A[1, 2], A[2, 0], A[2, 1], A[2, 2])


@kernel
def pose_of(A):
    """Pose of a 4x4 array."""
    return (rotation_of(A), (A[0, 3], A[1, 3], A[2, 3]))


@kernel
def put_rotation_of(A, R):
    A[0, 0], A[0, 1], A[0, 2] = R[0], R[1], R[2]
    A[1, 0], A[1, 1], A[1, 2] = R[3], R[4], R[5]
    A[2, 0], A[2, 1], A[2, 2] = R[6], R[7], R[8]


@kernel
def put_pose_of(A, C):
    """Write a pose into a 4x4 array."""
    put_rotation_of(A, C[0])
    A[0, 3], A[1, 3], A[2, 3] = C[1]
    A[3, 0], A[3, 1], A[3, 2], A[3, 3] = 0.0, 0.0, 0.0, 1.0


@kernel
def put_column(A, j, X):
    """Write a twist into column j of a (6, n) array."""
    A[0, j], A[1, j], A[2, j] = X[0]
    A[3, j], A[4, j], A[5, j] = X[1]
