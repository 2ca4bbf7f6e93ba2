"""Vectors and matrices as tuples against NumPy, on doubles, single precision and complex numbers alike."""

import numba
import numpy as np
import pytest

from cotree.lie import direct, mat3, se3, vec3

SCALARS = [np.float64, np.float32, np.complex128]


def draw(scalar, *shape, seed=0):
    """Random numbers; complex ones have both parts."""
    random = np.random.default_rng(seed)
    a = random.normal(size=shape)
    return (a + 1j * random.normal(size=shape)).astype(scalar) if scalar is np.complex128 else a.astype(scalar)


def full(S):
    """3x3 matrix of the six entries of a symmetric one."""
    return np.array([[S[0], S[1], S[2]], [S[1], S[3], S[4]], [S[2], S[4], S[5]]])


def six(A):
    return A[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def check(function, scalar, expected, *arguments):
    """The value, to the scalar's precision, and that the result has the scalar's type throughout."""
    found = function(*arguments)
    flat = np.concatenate([np.ravel(part) for part in found]) if isinstance(found, tuple) else np.array(found)
    eps = np.finfo(scalar).eps
    assert np.allclose(flat, np.ravel(expected), rtol=0, atol=64 * eps)
    signature = function.overloads[tuple(map(numba.typeof, arguments))].signature
    assert set(leaves(signature.return_type)) == {numba.from_dtype(np.dtype(scalar))}


def leaves(kind):
    return [t for part in kind for t in leaves(part)] if isinstance(kind, numba.types.BaseTuple) else [kind]


@pytest.mark.parametrize("scalar", SCALARS)
def test_vectors(scalar):
    a, b, s = draw(scalar, 3), draw(scalar, 3, seed=1), draw(scalar, 1, seed=2)[0]
    A, B = tuple(a), tuple(b)
    check(vec3.add, scalar, a + b, A, B)
    check(vec3.sub, scalar, a - b, A, B)
    check(vec3.neg, scalar, -a, A)
    check(vec3.scale, scalar, s * a, s, A)
    check(vec3.axpy, scalar, s * a + b, s, A, B)
    check(vec3.dot, scalar, a @ b, A, B)
    check(vec3.cross, scalar, np.cross(a, b), A, B)


@pytest.mark.parametrize("scalar", SCALARS)
def test_matrices(scalar):
    a, b, x = draw(scalar, 3, 3), draw(scalar, 3, 3, seed=1), draw(scalar, 3, seed=2)
    A, B, X = tuple(a.ravel()), tuple(b.ravel()), tuple(x)
    check(mat3.mul_vec, scalar, a @ x, A, X)
    check(mat3.tmul_vec, scalar, a.T @ x, A, X)
    check(mat3.mul, scalar, a @ b, A, B)
    check(mat3.transpose, scalar, a.T, A)
    check(mat3.sub, scalar, a - b, A, B)
    check(mat3.outer, scalar, np.outer(x, a[0]), X, A[:3])


@pytest.mark.parametrize("scalar", SCALARS)
def test_symmetric_matrices(scalar):
    s, t, a, x = draw(scalar, 6), draw(scalar, 6, seed=1), draw(scalar, 3, 3, seed=2), draw(scalar, 3, seed=3)
    S, T, A, X = tuple(s), tuple(t), tuple(a.ravel()), tuple(x)
    check(mat3.sym_mul_vec, scalar, full(s) @ x, S, X)
    check(mat3.sym_sub, scalar, s - t, S, T)
    check(mat3.sym_outer, scalar, six(np.outer(x, 2 * x)), X, tuple(2 * x))
    check(mat3.congruence, scalar, six(a @ full(s) @ a.T), A, S)


@pytest.mark.parametrize("scalar", SCALARS)
def test_motions(scalar):
    """Bilinear maps hold for any numbers, so that the matrices need not be rotations here."""
    r, q, p, k = draw(scalar, 3, 3), draw(scalar, 3, 3, seed=1), draw(scalar, 3, seed=2), draw(scalar, 3, seed=3)
    (w, v), (u, z) = draw(scalar, 2, 3, seed=4), draw(scalar, 2, 3, seed=5)
    A, B, X, Y = (tuple(r.ravel()), tuple(p)), (tuple(q.ravel()), tuple(k)), (tuple(w), tuple(v)), (tuple(u), tuple(z))
    check(se3.compose, scalar, [*(r @ q).ravel(), *(r @ k + p)], A, B)
    check(se3.inverse, scalar, [*r.T.ravel(), *(-r.T @ p)], A)
    check(se3.act, scalar, r @ w + p, A, X[0])
    check(se3.Ad, scalar, [r @ w, r @ v + np.cross(p, r @ w)], A, X)
    check(se3.Ad_inv, scalar, [r.T @ w, r.T @ (v - np.cross(p, w))], A, X)
    check(se3.coAd, scalar, [r @ w + np.cross(p, r @ v), r @ v], A, X)
    check(se3.bracket, scalar, [np.cross(w, u), np.cross(w, z) + np.cross(v, u)], X, Y)
    check(se3.cobracket, scalar, [np.cross(w, u) + np.cross(v, z), np.cross(w, z)], X, Y)
    check(se3.plus, scalar, [w + u, v + z], X, Y)
    check(se3.minus, scalar, [w - u, v - z], X, Y)
    check(se3.times, scalar, [p[0] * w, p[0] * v], p[0], X)
    check(se3.plus_times, scalar, [p[0] * w + u, p[0] * v + z], p[0], X, Y)
    check(se3.pair, scalar, w @ u + v @ z, X, Y)
    check(direct.compose, scalar, [*(r @ q).ravel(), *(p + k)], A, B)
    check(direct.inverse, scalar, [*r.T.ravel(), *-p], A)
    check(direct.bracket, scalar, [np.cross(w, u), 0 * w], X, Y)
    check(direct.to_body, scalar, [w, r.T @ v], A, X)
