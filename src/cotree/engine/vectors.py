"""Copying and filling inside kernels: plain loops, which compile in a fraction of the time of slice assignments (those carry
checks of shapes, and the making of their messages)."""

import numpy as np

from cotree.engine.kernel import dense, kernel


@kernel
def copy(source, target):
    """target := source, two vectors of one length."""
    for i in range(target.size):
        target[i] = source[i]


@kernel
def copy_into(source, target):
    """The first entries of target := source."""
    for i in range(source.size):
        target[i] = source[i]


@kernel
def copy_rows(source, target):
    """target := source, two matrices of one shape."""
    for i in range(target.shape[0]):
        for k in range(target.shape[1]):
            target[i, k] = source[i, k]


@kernel
def fill(x, value):
    """All entries of a vector."""
    for i in range(x.size):
        x[i] = value


@kernel
def fill_rows(A, first, last, value):
    """Entries of the rows first to last - 1."""
    for i in range(first, last):
        for k in range(A.shape[1]):
            A[i, k] = value


@dense
def inner(x, y):
    """Scalar product of two vectors. NumPy's would be SciPy's, which takes longer to load than everything else."""
    s = 0.0
    for i in range(x.size):
        s += x[i] * y[i]
    return s


@dense
def product(A, B):
    """A B of two matrices."""
    out = np.zeros((A.shape[0], B.shape[1]))
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            a = A[i, k]
            for j in range(B.shape[1]):
                out[i, j] += a * B[k, j]
    return out


@kernel
def times(A, x):
    """A x."""
    out = np.empty(A.shape[0])
    for i in range(A.shape[0]):
        out[i] = inner(A[i], x)
    return out


@kernel
def transposed_times(A, x):
    """A^T x."""
    out = np.zeros(A.shape[1])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[j] += A[i, j] * x[i]
    return out


@kernel
def largest(x):
    """Largest absolute value, 0 for none."""
    s = 0.0
    for k in range(x.size):
        s = max(s, abs(x[k]))
    return s


@dense
def all_finite(x):
    """Whether every entry is a finite number; 0 x is NaN for the others, in whatever order they are added."""
    s = 0.0
    for i in range(x.size):
        s += 0.0 * x[i]
    return s == 0.0


@kernel
def both_finite(x, y):
    """Whether every entry of two vectors is a finite number."""
    return all_finite(x) and all_finite(y)


@kernel
def stable_order(keys):
    """Places of small whole numbers from 0 on in ascending order, equal ones as they come; linear in their count and size."""
    most = 0
    for key in keys:
        most = max(most, key)
    starts, order = np.zeros(most + 2, np.int64), np.empty(keys.size, np.int64)
    for key in keys:
        starts[key + 1] += 1
    for k in range(most):
        starts[k + 1] += starts[k]
    for i in range(keys.size):
        order[starts[keys[i]]] = i
        starts[keys[i]] += 1
    return order
