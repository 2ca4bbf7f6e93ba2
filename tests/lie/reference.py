"""References with 50 digits: power series of the linear maps, and differences for derivatives.

Nothing here knows the closed forms of the code. Vectors are lists of mpf, matrices lists of rows, poses pairs
(rotation, position). Arguments are floats, arrays or (nested) tuples of them, taken as the exact numbers they are.
"""

from functools import cache, wraps

import numpy as np
from mpmath import matrix, mp, mpf

DIGITS = 60  # ten more than wanted, for the growth of the series' terms at large angles
DIFFERENCE_DIGITS = 110  # a second difference divides by STEP^2: 110 - 54 leaves more than 50
STEP = mpf("1e-27")  # truncation is of the order of STEP^2
EPS = float(np.finfo(float).eps)


def precise(digits):
    """Run a function with so many digits, or with those of its caller if they are more."""

    def decorate(function):
        @wraps(function)
        def wrapped(*arguments):
            with mp.workdps(max(digits, mp.dps)):
                return function(*arguments)

        return wrapped

    return decorate


# -- vectors and matrices -----------------------------------------------------------------------------------


def flat(x):
    """Entries of nested tuples, lists and arrays, in order."""
    if isinstance(x, tuple | list | np.ndarray):
        return [entry for part in x for entry in flat(part)]
    return [x]


def exact(x):
    """Entries as a flat list of mpf."""
    return [a if isinstance(a, mpf) else mpf(float(a)) for a in flat(x)]


def plus(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def times(s, a):
    return [s * x for x in a]


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def norm(a):
    return mp.sqrt(sum(x * x for x in flat(a)))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def bracket(X, Y):
    return cross(X[:3], Y[:3]) + plus(cross(X[:3], Y[3:]), cross(X[3:], Y[:3]))


def basis(n):
    return [[mpf(i == j) for i in range(n)] for j in range(n)]


def matrix_of(f, n):
    """Rows of the matrix of the linear map f of R^n."""
    return [list(row) for row in zip(*(flat(f(e)) for e in basis(n)), strict=True)]


@precise(DIGITS)
def inverse_of(rows):
    return (matrix(rows) ** -1).tolist()


def block(rows, i, j):
    """3x3 block of a matrix."""
    return [row[3 * j : 3 * j + 3] for row in rows[3 * i : 3 * i + 3]]


@precise(DIGITS)
def error(result, expected, size=None):
    """Norm of the difference relative to the norm of what is expected (or to a given size), in units of EPS."""
    difference = norm(minus(exact(result), exact(expected)))
    size = norm(exact(expected)) if size is None else mpf(size)
    if size == 0:
        return 0.0 if difference == 0 else float("inf")
    return float(difference / size / EPS)


# -- series and differences ---------------------------------------------------------------------------------


def series(A, y, k):
    """sum_j A^j y / (j + k)!, the map A applied again and again until nothing is added."""
    term = times(1 / mp.factorial(k), y)
    total, j = term, k
    while j < 12 or max(map(abs, term)) > max(map(abs, total)) * mpf(10) ** -mp.dps:
        j += 1
        term = times(mpf(1) / j, A(term))
        total = plus(total, term)
    return total


def derivative(f, x, u):
    """Derivative of f at x in the direction u, by a central difference."""
    ahead, behind = f(plus(x, times(STEP, u))), f(minus(x, times(STEP, u)))
    return times(1 / (2 * STEP), minus(flat(ahead), flat(behind)))


# -- SO(3) --------------------------------------------------------------------------------------------------


@precise(DIGITS)
def exp_so3(w):
    w = exact(w)
    return matrix_of(lambda y: series(lambda a: cross(w, a), y, 0), 3)


@precise(DIGITS)
def dexp_so3(w, y):
    w, y = exact(w), exact(y)
    return series(lambda a: cross(w, a), y, 1)


@cache
@precise(DIGITS)
def dexp_so3_matrix(w):
    return matrix_of(lambda y: dexp_so3(w, y), 3)


@precise(DIFFERENCE_DIGITS)
def ddexp_so3(w, u, y):
    return derivative(lambda a: dexp_so3(a, y), exact(w), exact(u))


@precise(DIFFERENCE_DIGITS)
def d2dexp_so3(w, u, v, y):
    return derivative(lambda a: ddexp_so3(a, u, y), exact(w), exact(v))


# -- SE(3) --------------------------------------------------------------------------------------------------


@precise(DIGITS)
def exp_se3(X):
    """Series of the 4x4 matrix."""
    X = exact(X)

    def act(a):
        return [*plus(cross(X[:3], a[:3]), times(a[3], X[3:])), mpf(0)]

    M = matrix_of(lambda y: series(act, y, 0), 4)
    return [row[:3] for row in M[:3]], [row[3] for row in M[:3]]


@precise(DIGITS)
def dexp_se3(X, Y):
    X, Y = exact(X), exact(Y)
    return series(lambda a: bracket(X, a), Y, 1)


@cache
@precise(DIGITS)
def dexp_se3_matrix(X):
    return matrix_of(lambda Y: dexp_se3(X, Y), 6)


@precise(DIFFERENCE_DIGITS)
def ddexp_se3(X, U, Y):
    return derivative(lambda a: dexp_se3(a, Y), exact(X), exact(U))


# -- quaternions --------------------------------------------------------------------------------------------


def quaternion_mul(a, b):
    scalar = a[0] * b[0] - sum(x * y for x, y in zip(a[1:], b[1:], strict=True))
    return [scalar, *plus(plus(times(a[0], b[1:]), times(b[0], a[1:])), cross(a[1:], b[1:]))]


@precise(DIGITS)
def quaternion_exp(w):
    half = [mpf(0), *times(mpf(1) / 2, exact(w))]
    return series(lambda a: quaternion_mul(half, a), [mpf(1), mpf(0), mpf(0), mpf(0)], 0)


@precise(DIGITS)
def quaternion_rotation(e):
    """y -> e y e* / |e|^2."""
    e = exact(e)
    conjugate = [e[0], *times(-1, e[1:])]
    s = 1 / norm(e) ** 2
    return matrix_of(lambda y: times(s, quaternion_mul(quaternion_mul(e, [mpf(0), *y]), conjugate)[1:]), 3)


# -- Cayley map ---------------------------------------------------------------------------------------------


def hat(X):
    """4x4 matrix of a twist."""
    (a, b, c), (u, v, w) = X[:3], X[3:]
    return matrix([[0, -c, b, u], [c, 0, -a, v], [-b, a, 0, w], [0, 0, 0, 0]])


def _cay(X):
    A, one = hat(X) / 2, mp.eye(4)
    return (one - A) ** -1 * (one + A)


@precise(DIGITS)
def cay(X):
    M = _cay(exact(X))
    return [[M[i, j] for j in range(3)] for i in range(3)], [M[i, 3] for i in range(3)]


@precise(DIFFERENCE_DIGITS)
def dcay(X, Y):
    """(d cay) cay^-1 by differences of the map."""
    X, Y = exact(X), exact(Y)
    entries = derivative(lambda a: list(_cay(a)), X, Y)
    D = matrix([entries[4 * i : 4 * i + 4] for i in range(4)]) * _cay(X) ** -1
    return [D[2, 1], D[0, 2], D[1, 0], D[0, 3], D[1, 3], D[2, 3]]


@cache
@precise(DIFFERENCE_DIGITS)
def dcay_matrix(X):
    return matrix_of(lambda Y: dcay(X, Y), 6)


@precise(DIFFERENCE_DIGITS)
def ddcay(X, U, Y):
    return derivative(lambda a: dcay(a, Y), exact(X), exact(U))


# -- Stumpff functions --------------------------------------------------------------------------------------


@cache
@precise(DIGITS)
def stumpff(k, theta, order=0):
    """(2 d/dx)^order of c_k at x = theta^2: the series differentiated term by term."""
    x, total, term, j = mpf(theta) ** 2, mpf(0), mpf(1), 0
    while j < 12 or abs(term) > abs(total) * mpf(10) ** -mp.dps:
        term = (-1) ** j * falling(j, order) * x ** max(j - order, 0) / mp.factorial(2 * j + k)
        total, j = total + 2**order * term, j + 1
    return total


def falling(j, n):
    """j (j - 1) ... (j - n + 1)."""
    return mp.fprod(j - i for i in range(n))
