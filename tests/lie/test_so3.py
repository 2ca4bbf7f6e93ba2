"""SO(3) against series with 50 digits. Tolerances are in units of EPS, relative to the norm of the result."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotree.lie import mat3, so3

from . import cases, reference
from .reference import EPS, error


def growth(angle):
    """An angle is known to EPS * angle: that much of the error above 1 rad is not the code's."""
    return max(1.0, angle)


@cases.at(cases.ALL)
def test_exp(angle):
    for w in cases.rotation_vectors(angle):
        assert error(so3.exp(w), reference.exp_so3(w)) <= 2 + growth(angle)


@cases.at(cases.ALL)
def test_exp_is_orthogonal(angle):
    for w in cases.rotation_vectors(angle):
        R = np.reshape(so3.exp(w), (3, 3))
        assert np.abs(R @ R.T - np.eye(3)).max() <= (6 + 2 * growth(angle)) * EPS
        assert np.linalg.det(R) > 0


@cases.at([*cases.ALL, -1.0, -4.0])
def test_exp_unit(angle):
    """The axis is a unit vector to EPS only."""
    for axis in cases.AXES:
        w = reference.times(angle, reference.exact(axis))
        assert error(so3.exp_unit(cases.triple(axis), angle), reference.exp_so3(w)) <= 2 + growth(abs(angle))
    assert so3.exp_unit((0.0, 0.0, 0.0), angle) == (1, 0, 0, 0, 1, 0, 0, 0, 1)


@cases.at(cases.UP_TO_PI)
def test_log(angle):
    """The rotation given to log is rounded: 1 EPS of the result at most comes from there."""
    for w in cases.rotation_vectors(angle):
        R = cases.floats(reference.exp_so3(w))
        found = so3.log(R)
        if cases.PI - angle < 1e-14 and np.dot(found, w) < 0:  # the rounded rotation may lie beyond pi
            found = cases.triple(-np.array(found))
        assert error(found, w) <= 3


@cases.at([a for a in cases.ALL if cases.PI + 1e-7 < a < 2 * cases.PI - 1e-4])
def test_log_beyond_pi_turns_the_other_way(angle):
    for axis in cases.AXES:
        R = cases.floats(reference.exp_so3(angle * axis))
        assert np.allclose(so3.log(R), (angle - 2 * cases.PI) * axis, rtol=0, atol=8 * EPS)


@cases.properties
@given(cases.axes)
def test_log_of_half_turns_about_every_axis(axis):
    R = cases.floats(2 * np.outer(axis, axis) - np.eye(3))
    w = so3.log(R)
    assert abs(np.linalg.norm(w) - cases.PI) <= 4 * EPS * cases.PI
    assert np.abs(np.cross(w, axis)).max() <= 8 * EPS
    assert np.abs(np.subtract(so3.exp(w), R)).max() <= 8 * EPS


@pytest.mark.parametrize("axis", [*np.eye(3), [1, 1, 0], [1, 0, -1], [0, 1, 1], [1, 1, 1], [1, -1, 1]])
def test_log_of_half_turns_about_axes_with_zeros_and_ties(axis):
    a = np.array(axis) / np.linalg.norm(axis)
    w = np.array(so3.log(cases.floats(2 * np.outer(a, a) - np.eye(3))))
    assert min(np.abs(w - cases.PI * a).max(), np.abs(w + cases.PI * a).max()) <= 4 * EPS * cases.PI


@cases.at(cases.UP_TO_PI)
def test_log_of_a_slightly_wrong_rotation(angle):
    """Entries wrong by 1e-15 move the result by no more than a few times that."""
    random = np.random.default_rng(5)
    for axis in cases.AXES:
        R = np.array(so3.exp(cases.triple(angle * axis))) + 1e-15 * random.uniform(-1, 1, 9)
        w, expected = np.array(so3.log(cases.floats(R))), angle * axis
        wrapped = expected - 2 * cases.PI * axis
        assert min(np.abs(w - expected).max(), np.abs(w - wrapped).max()) <= 1e-14


@cases.at(cases.ALL)
def test_dexp_spatial(angle):
    for w in cases.rotation_vectors(angle):
        expected = reference.dexp_so3_matrix(w)
        assert error(cases.matrix3(lambda y, w=w: so3.dexp_spatial(w, y)), expected) <= 4


@cases.at([*cases.UP_TO_2PI, 2 * cases.PI - 1e-3, 2 * cases.PI + 1e-6, 7.0, 10.0])
def test_dexp_spatial_inv(angle):
    """The inverse has a pole at 2 pi, where its condition grows like 1 / |angle - 2 pi|."""
    condition = max(1.0, 2 * cases.PI / abs(angle - 2 * cases.PI))
    for w in cases.rotation_vectors(angle):
        expected = reference.inverse_of(reference.dexp_so3_matrix(w))
        assert error(cases.matrix3(lambda y, w=w: so3.dexp_spatial_inv(w, y)), expected) <= 4 * condition


@cases.at(cases.ALL)
def test_ddexp_spatial(angle):
    u, y = cases.vectors(2)
    for w in cases.rotation_vectors(angle):
        assert error(so3.ddexp_spatial(w, u, y), reference.ddexp_so3(w, u, y)) <= 8 + growth(angle)


@cases.at(cases.ALL)
def test_d2dexp_spatial(angle):
    u, v, y = cases.vectors(3)
    for w in cases.rotation_vectors(angle):
        assert error(so3.d2dexp_spatial(w, u, v, y), reference.d2dexp_so3(w, u, v, y)) <= 12 + growth(angle)


@pytest.mark.parametrize("angle", [0.3, 2.0, 4.0, 7.0])
def test_the_reference_dexp_is_the_differential_of_exp(angle):
    """(d exp) exp^-1 by differences of the rotation itself."""
    (y,) = cases.vectors()
    for w in cases.rotation_vectors(angle):
        with reference.mp.workdps(reference.DIFFERENCE_DIGITS):
            rate = reference.derivative(reference.exp_so3, reference.exact(w), reference.exact(y))
        spin = mat3.mul(cases.floats(rate), mat3.transpose(so3.exp(w)))
        assert np.allclose((spin[7], spin[2], spin[3]), so3.dexp_spatial(w, y), rtol=0, atol=20 * EPS)


@cases.properties
@given(cases.rotation_vectors_up_to(20.0), cases.points, cases.points, cases.points)
def test_second_derivative_is_symmetric(w, u, v, y):
    a, b = so3.d2dexp_spatial(w, u, v, y), so3.d2dexp_spatial(w, v, u, y)
    size = np.linalg.norm(u) * np.linalg.norm(v) * np.linalg.norm(y)
    assert np.abs(np.subtract(a, b)).max() <= 4 * EPS * size


@cases.properties
@given(cases.rotation_vectors_up_to(cases.PI - 1e-9))
def test_log_inverts_exp(w):
    assert error(so3.log(so3.exp(w)), w) <= 6


@cases.properties
@given(cases.rotation_vectors_up_to(20.0))
def test_exp_inverts_log(w):
    R = so3.exp(w)
    v = so3.log(R)
    assert np.linalg.norm(v) <= cases.PI * (1 + 2 * EPS)
    assert np.abs(np.subtract(so3.exp(v), R)).max() <= 30 * EPS  # R is orthogonal to 24 EPS at 20 rad


@cases.properties
@given(cases.axes, st.floats(-20, 20))
def test_exp_unit_is_exp(axis, angle):
    R = so3.exp(cases.triple(angle * np.array(axis)))
    assert np.abs(np.subtract(so3.exp_unit(axis, angle), R)).max() <= (4 + 2 * abs(angle)) * EPS
