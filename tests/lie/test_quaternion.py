"""Unit quaternions against quaternion series with 50 digits. Tolerances are in units of EPS."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotree.lie import mat3, quaternion

from . import cases, reference
from .reference import EPS, error

# Squares (e0^2, e1^2, e2^2, e3^2): each the largest, all ties of two, three and four, then near-ties on both sides.
SQUARES = [
    *(np.where(np.arange(4) == i, 0.7, 0.1) for i in range(4)),
    *(np.eye(4)[i] for i in range(4)),
    *(np.where((np.arange(4) == i) | (np.arange(4) == j), 0.5, 0.0) for i in range(4) for j in range(i)),
    *(np.where(np.arange(4) == i, 0.0, 1 / 3) for i in range(4)),
    np.full(4, 0.25),
]
NEAR_TIES = [np.abs(s + d * np.roll([1, -1, 0.5, -0.5], i)) for s in SQUARES for d in (1e-15, 1e-9) for i in range(4)]
SIGNS = [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1)]


@cases.at(cases.ALL)
def test_exp(angle):
    for w in cases.rotation_vectors(angle):
        assert error(quaternion.exp(w), reference.quaternion_exp(w)) <= 2 + max(1.0, angle / 2)


@cases.at([a for a in cases.ALL if 0 < a < 1])
def test_exp_keeps_the_digits_of_small_angles(angle):
    for w in cases.rotation_vectors(angle):
        assert error(quaternion.exp(w)[1:], reference.quaternion_exp(w)[1:]) <= 2


@pytest.mark.parametrize("sign", [1, -1])
@cases.at([a for a in cases.UP_TO_PI if a < cases.PI - 1e-14])
def test_log(angle, sign):
    for w in cases.rotation_vectors(angle):
        e = cases.floats(reference.times(sign, reference.quaternion_exp(w)))
        assert error(quaternion.log(e), w) <= 3


@cases.at([a for a in cases.ALL if cases.PI + 1e-14 < a < 2 * cases.PI - 1e-4])
def test_log_takes_the_shorter_way(angle):
    for axis in cases.AXES:
        e = cases.floats(reference.quaternion_exp(angle * axis))
        assert np.allclose(quaternion.log(e), (angle - 2 * cases.PI) * axis, rtol=0, atol=8 * EPS)


def test_log_of_half_turns_and_of_plus_and_minus_one():
    for axis in cases.AXES:
        assert np.allclose(quaternion.log((0.0, *axis)), cases.PI * axis, rtol=2 * EPS, atol=0)
    assert quaternion.log((1.0, 0.0, 0.0, 0.0)) == (0, 0, 0)
    assert quaternion.log((-1.0, 0.0, 0.0, 0.0)) == (0, 0, 0)


@cases.at(cases.ALL)
def test_to_rotation(angle):
    for w in cases.rotation_vectors(angle):
        e = cases.floats(reference.quaternion_exp(w))
        assert error(quaternion.to_rotation(e), reference.quaternion_rotation(e)) <= 3


@pytest.mark.parametrize("length", [1e-150, 1e-8, 0.5, 3.0, 1e150])
def test_to_rotation_and_normalized_of_any_length(length):
    for e in SQUARES:
        scaled = cases.floats(length * np.sqrt(e))
        assert error(quaternion.to_rotation(scaled), reference.quaternion_rotation(scaled)) <= 3
        assert error(quaternion.normalized(scaled), np.sqrt(e)) <= 3


@cases.at(cases.UP_TO_2PI)
def test_from_rotation(angle):
    """A rounded rotation gives a quaternion to 2 EPS, on either side of pi; small vector parts keep their digits."""
    for w in cases.rotation_vectors(angle):
        e = quaternion.from_rotation(cases.floats(reference.exp_so3(w)))
        expected = reference.quaternion_exp(w)
        assert e[0] >= 0
        assert min(error(e, expected), error(e, reference.times(-1, expected))) <= 2
        if angle < 1:
            assert error(e[1:], expected[1:]) <= 2


@pytest.mark.parametrize("squares", [*SQUARES, *NEAR_TIES])
def test_from_rotation_in_every_branch(squares):
    for signs in SIGNS:
        e = np.sqrt(squares / squares.sum()) * (1, *signs)
        found = quaternion.from_rotation(cases.floats(reference.quaternion_rotation(e)))
        e = e / np.linalg.norm(e)
        assert min(np.abs(found - e).max(), np.abs(found + e).max()) <= 2 * EPS
        assert abs(np.linalg.norm(found) - 1) <= 2 * EPS
        assert found[0] >= 0


def test_rates_are_the_derivative_of_the_quaternion():
    """e(t) = e exp(t w): its rate at 0 by differences of 50 digits."""
    e, w = quaternion.exp((0.3, -1.0, 2.0)), (0.7, 0.2, -1.1)

    def moved(t):
        turn = reference.quaternion_exp(reference.times(t[0], reference.exact(w)))
        return reference.quaternion_mul(reference.exact(e), turn)

    with reference.mp.workdps(reference.DIFFERENCE_DIGITS):
        rate = reference.derivative(moved, [reference.mpf(0)], [reference.mpf(1)])
    assert error(quaternion.rates(e, w), rate) <= 3


quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda e: np.linalg.norm(e) > 1e-2).map(quaternion.normalized)


@cases.properties
@given(quaternions, quaternions)
def test_product_is_the_product_of_rotations(a, b):
    R = quaternion.to_rotation(quaternion.mul(a, b))
    assert np.allclose(R, mat3.mul(quaternion.to_rotation(a), quaternion.to_rotation(b)), rtol=0, atol=12 * EPS)


@cases.properties
@given(quaternions)
def test_there_and_back(e):
    found = np.array(quaternion.from_rotation(quaternion.to_rotation(e)))
    assert min(np.abs(found - e).max(), np.abs(found + e).max()) <= 6 * EPS


@cases.properties
@given(cases.rotation_vectors_up_to(cases.PI - 1e-9))
def test_log_inverts_exp(w):
    assert error(quaternion.log(quaternion.exp(w)), w) <= 6
