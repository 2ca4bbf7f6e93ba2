"""Derivatives of the differentials of second and third order against differences of those before them."""

import numpy as np
import pytest

from cotree.lie import cayley, se3, so3

EIGHTH = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def slope(f, h=1e-2):
    return sum(c * (np.ravel(f(k * h)) - np.ravel(f(-k * h))) for k, c in EIGHTH) / h


def vector(x):
    return tuple(float(a) for a in x)


def twist(x):
    return vector(x[:3]), vector(x[3:])


@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-3, 1.0, 3.1, np.pi, 3.2, 6.0, 9.0])
def test_by_differences(angle):
    rng = np.random.default_rng(int(100 * angle))
    w, u, v, z, y = rng.standard_normal((5, 3))
    X, U, T, Y = rng.standard_normal((4, 6))
    w *= angle / np.linalg.norm(w)
    X[:3] = w
    third = so3.d3dexp_spatial(vector(w), vector(u), vector(v), vector(z), vector(y))
    expected = slope(lambda s: so3.d2dexp_spatial(vector(w + s * z), vector(u), vector(v), vector(y)))
    assert np.abs(np.ravel(third) - expected).max() < 1e-11
    for second, first in ((se3.d2dexp_spatial, se3.ddexp_spatial), (cayley.d2dcay_spatial, cayley.ddcay_spatial)):
        expected = slope(lambda s, first=first: first(twist(X + s * T), twist(U), twist(Y)))
        assert np.abs(np.ravel(second(twist(X), twist(U), twist(T), twist(Y))) - expected).max() < 1e-11
