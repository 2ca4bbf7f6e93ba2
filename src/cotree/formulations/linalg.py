"""Small dense linear algebra for kernels: Cholesky, triangular solves, QR with column pivoting.

Matrices here have a few dozen rows; plain loops beat calls to a library, allocate nothing and compile once.
"""

import numpy as np

from cotree.engine.kernel import dense


@dense
def cholesky(A):
    """A = L L^T in place (lower triangle); returns 0, or 1 + the row where A is not positive."""
    n = A.shape[0]
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= A[j, k] * A[j, k]
        if not s > 0.0:
            return j + 1
        d = np.sqrt(s)
        A[j, j] = d
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s / d
    return 0


@dense
def solve_lower(L, x):
    """x := L^-1 x."""
    for i in range(x.size):
        s = x[i]
        for k in range(i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]


@dense
def solve_lower_transposed(L, x):
    """x := L^-T x."""
    for i in range(x.size - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, x.size):
            s -= L[k, i] * x[k]
        x[i] = s / L[i, i]


@dense
def pivoted_qr(A, beta, pivot, tolerance, certified=-1):
    """Householder QR with column pivoting of the rows of A: A^T P = Q R, in place; returns the rank.

    A (m, n) holds m vectors of n entries. After the call row i holds, from entry i + 1 on, the i-th reflector
    (first entry 1 implied) with factor beta[i], and before it column i of R; pivot[i] is the original number of row i.
    The rank is the number of diagonal entries of R above `tolerance` times the first one. A rank that is `certified`, known
    from a state nearby, is only left when it is off by a factor of ten.
    """
    m, n = A.shape
    for i in range(m):
        pivot[i] = i
    rank, largest = 0, 0.0
    for i in range(min(m, n)):
        best, size = i, -1.0
        for r in range(i, m):
            s = 0.0
            for k in range(i, n):
                s += A[r, k] * A[r, k]
            if s > size:
                best, size = r, s
        if best != i:
            for k in range(n):
                A[i, k], A[best, k] = A[best, k], A[i, k]
            pivot[i], pivot[best] = pivot[best], pivot[i]
        norm = np.sqrt(size)
        if i == 0:
            largest = norm
        doubt = 1.0 if certified < 0 else (0.1 if i < certified else 10.0)
        if not norm > doubt * tolerance * largest:
            break
        rank += 1
        x = A[i, i]
        alpha = -norm if x >= 0.0 else norm
        head = x - alpha
        beta[i] = -head / alpha
        for k in range(i + 1, n):
            A[i, k] /= head
        A[i, i] = alpha
        for r in range(i + 1, m):
            s = A[r, i]
            for k in range(i + 1, n):
                s += A[i, k] * A[r, k]
            s *= beta[i]
            A[r, i] -= s
            for k in range(i + 1, n):
                A[r, k] -= s * A[i, k]
    return rank


@dense
def least_direction(A, rank):
    """Estimate of the least singular value of the rows that `pivoted_qr` has kept, relative to the longest one.

    Three steps of inverse iteration with R^T R; near a singular configuration the least value stands apart.
    """
    x, size = np.empty(rank), 0.0
    put_trial_vector(x)
    for _ in range(3):
        for i in range(rank):  # R^T z = x
            for k in range(i):
                x[i] -= A[i, k] * x[k]
            x[i] /= A[i, i]
        for i in range(rank - 1, -1, -1):  # R x = z
            for k in range(i + 1, rank):
                x[i] -= A[k, i] * x[k]
            x[i] /= A[i, i]
        size = normalize(x)
    return np.sqrt(1.0 / size) / abs(A[0, 0])


@dense
def put_trial_vector(x):
    """Unit vector that is orthogonal to nothing in particular."""
    for i in range(x.size):
        x[i] = 1.0 + 0.3 * ((i * 7) % 5) - 0.5 * (i % 2)
    normalize(x)


@dense
def normalize(x):
    """x scaled to unit length; returns the length it had."""
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i]
    s = np.sqrt(s)
    for i in range(x.size):
        x[i] /= s
    return s


@dense
def apply_q(A, beta, rank, x):
    """x := Q x for the reflectors of `pivoted_qr`."""
    for i in range(rank - 1, -1, -1):
        _reflect(A, beta, i, x)


@dense
def apply_q_transposed(A, beta, rank, x):
    """x := Q^T x."""
    for i in range(rank):
        _reflect(A, beta, i, x)


@dense
def _reflect(A, beta, i, x):
    s = x[i]
    for k in range(i + 1, x.size):
        s += A[i, k] * x[k]
    s *= beta[i]
    x[i] -= s
    for k in range(i + 1, x.size):
        x[k] -= s * A[i, k]


@dense
def lu(A, pivot):
    """A = P L U in place with partial pivoting; returns False when a pivot vanishes."""
    n = A.shape[0]
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if abs(A[i, j]) > abs(A[best, j]):
                best = i
        pivot[j] = best
        if not abs(A[best, j]) > 0.0:
            return False
        if best != j:
            for k in range(n):
                A[j, k], A[best, k] = A[best, k], A[j, k]
        for i in range(j + 1, n):
            A[i, j] /= A[j, j]
            for k in range(j + 1, n):
                A[i, k] -= A[i, j] * A[j, k]
    return True


@dense
def solve_lu(A, pivot, x):
    """x := (P L U)^-1 x."""
    n = x.size
    for j in range(n):
        if pivot[j] != j:
            x[j], x[pivot[j]] = x[pivot[j]], x[j]
    for i in range(n):
        for k in range(i):
            x[i] -= A[i, k] * x[k]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]


@dense
def solve_lu_transposed(A, pivot, x):
    """x := (P L U)^-T x."""
    n = x.size
    for i in range(n):
        for k in range(i):
            x[i] -= A[k, i] * x[k]
        x[i] /= A[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= A[k, i] * x[k]
    for j in range(n - 1, -1, -1):
        if pivot[j] != j:
            x[j], x[pivot[j]] = x[pivot[j]], x[j]


@dense
def split_by_rows(A, pivot, rank, eta, x, lam):
    """From Q^T x and the triangular factor R^T of the rows chosen, both left by `pivoted_qr`: x becomes what the rows
    determine, R^T y = eta, and lam on these rows what it takes, R lam = Q^T x - y."""
    y = np.empty(rank)
    for i in range(rank):
        s = eta[pivot[i]]
        for k in range(i):
            s -= A[i, k] * y[k]
        y[i] = s / A[i, i]
    for i in range(rank - 1, -1, -1):
        s = x[i] - y[i]
        for k in range(i + 1, rank):
            s -= A[k, i] * lam[pivot[k]]
        lam[pivot[i]] = s / A[i, i]
    for i in range(rank):
        x[i] = y[i]
