"""Cayley map against its matrix definition with 50 digits; derivatives by differences. Tolerances in units of EPS."""

import numpy as np
import pytest

from cotree.lie import cayley, se3

from . import cases, reference
from .reference import block, error

ANGLES = (0.0, 1e-300, 1e-160, 1e-20, 1e-8, 1e-4, 0.3, 1.0, 2.0, 3.0, cases.PI, 4.0, 6.0, 13.0, 100.0)
DIRECTIONS = cases.random_twists(2, seed=8)


@pytest.mark.parametrize("angle", ANGLES)
def test_cay(angle):
    """The position counts against |v|, as half turns bring (R + I) v / 2 near to zero."""
    for X in cases.twists(angle):
        (R, p), expected = cayley.cay(X), reference.cay(X)
        assert error(R, expected[0]) <= 3
        assert error(p, expected[1], np.linalg.norm(X[1])) <= 3


@pytest.mark.parametrize("angle", ANGLES)
def test_dcay_spatial(angle):
    for X in cases.twists(angle):
        found = cases.matrix6(lambda Y, X=X: cayley.dcay_spatial(X, Y)).tolist()
        expected = reference.dcay_matrix(X)
        for i, j in ((0, 0), (1, 0), (1, 1)):
            assert error(block(found, i, j), block(expected, i, j)) <= 3
        assert not np.any(block(found, 0, 1))


@pytest.mark.parametrize("angle", ANGLES)
def test_dcay_spatial_inv(angle):
    for X in cases.twists(angle):
        found = cases.matrix6(lambda Y, X=X: cayley.dcay_spatial_inv(X, Y)).tolist()
        expected = reference.inverse_of(reference.dcay_matrix(X))
        for i, j in ((0, 0), (1, 0), (1, 1)):
            assert error(block(found, i, j), block(expected, i, j)) <= 3
        assert not np.any(block(found, 0, 1))


@pytest.mark.parametrize("angle", ANGLES)
def test_ddcay_spatial(angle):
    U, Y = DIRECTIONS
    for X in cases.twists(angle):
        found, expected = cayley.ddcay_spatial(X, U, Y), reference.ddcay(X, U, Y)
        assert error(found[0], expected[:3]) <= 8
        assert error(found[1], expected[3:]) <= 8


def test_agrees_with_exp_to_second_order():
    """The difference is of third order: 1/8 of it is left when the step is halved."""
    X = DIRECTIONS[0]

    def distance(h):
        A, B = cayley.cay(se3.times(h, X)), se3.exp(se3.times(h, X))
        return np.linalg.norm(np.subtract(A[0], B[0])) + np.linalg.norm(np.subtract(A[1], B[1]))

    assert distance(1e-2) / distance(5e-3) == pytest.approx(8, rel=1e-2)
