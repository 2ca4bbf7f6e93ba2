"""SE(3) against series with 50 digits. Tolerances are in units of EPS; the blocks of a matrix are judged one by one."""

import numpy as np
import pytest
from hypothesis import given

from cotree.lie import se3

from . import cases, reference
from .reference import block, error

DIRECTIONS = cases.random_twists(2, seed=7)


def growth(angle):
    """An angle is known to EPS * angle: that much of the error above 1 rad is not the code's."""
    return max(1.0, angle)


def block_errors(found, expected):
    """Errors of the rotational and of the coupling block; the other two must be copy and zero."""
    found = found.tolist()
    assert block(found, 0, 0) == block(found, 1, 1)
    assert not np.any(block(found, 0, 1))
    return error(block(found, 0, 0), block(expected, 0, 0)), error(block(found, 1, 0), block(expected, 1, 0))


@cases.at(cases.ALL)
def test_exp(angle):
    """The position counts against |v|: dexp has norm one, but at 2 pi it takes most velocities to almost nothing."""
    for X in cases.twists(angle):
        (R, p), expected = se3.exp(X), reference.exp_se3(X)
        assert error(R, expected[0]) <= 2 + growth(angle)
        assert error(p, expected[1], np.linalg.norm(X[1])) <= 4


@cases.at(cases.UP_TO_PI)
def test_log(angle):
    """The pose given to log is rounded; beyond pi - 1e-9 it may lie on the other side."""
    for X in cases.twists(angle):
        R, p = reference.exp_se3(X)
        w, v = se3.log((cases.floats(R), cases.floats(p)))
        if cases.PI - angle > 1e-14 or np.dot(w, X[0]) > 0:
            assert error(w, X[0]) <= 3
            assert error(v, X[1]) <= 4
        else:
            C = se3.exp((w, v))
            assert error(C[0], R) <= 4
            assert error(C[1], p) <= 4


@cases.at(cases.ALL)
def test_dexp_spatial(angle):
    for X in cases.twists(angle):
        found = cases.matrix6(lambda Y, X=X: se3.dexp_spatial(X, Y))
        rotational, coupling = block_errors(found, reference.dexp_se3_matrix(X))
        assert rotational <= 4
        assert coupling <= 4 + growth(angle)


@cases.at(cases.ALL)
def test_dexp_body(angle):
    for w, v in cases.twists(angle):
        found = cases.matrix6(lambda Y, X=(w, v): se3.dexp_body(X, Y))
        expected = reference.dexp_se3_matrix((cases.triple(-np.array(w)), cases.triple(-np.array(v))))
        rotational, coupling = block_errors(found, expected)
        assert rotational <= 4
        assert coupling <= 4 + growth(angle)


@pytest.mark.parametrize("sign", [1, -1])
@cases.at([*cases.UP_TO_2PI, 2 * cases.PI - 1e-3, 2 * cases.PI + 1e-6, 7.0, 10.0])
def test_dexp_inv(angle, sign):
    """The inverse has a pole at 2 pi (in its coupling a double one): errors grow with the distance's inverse."""
    condition = max(1.0, 2 * cases.PI / abs(angle - 2 * cases.PI))
    function = se3.dexp_spatial_inv if sign > 0 else se3.dexp_body_inv
    for w, v in cases.twists(angle):
        found = cases.matrix6(lambda Y, X=(w, v): function(X, Y))
        signed = (cases.triple(sign * np.array(w)), cases.triple(sign * np.array(v)))
        rotational, coupling = block_errors(found, reference.inverse_of(reference.dexp_se3_matrix(signed)))
        assert rotational <= 4 * condition
        assert coupling <= 8 * condition


@cases.at(cases.ALL)
def test_ddexp_spatial(angle):
    U, Y = DIRECTIONS
    for X in cases.twists(angle):
        found, expected = se3.ddexp_spatial(X, U, Y), reference.ddexp_se3(X, U, Y)
        assert error(found[0], expected[:3]) <= 8 + growth(angle)
        assert error(found[1], expected[3:]) <= 12 + growth(angle)


@pytest.mark.parametrize("angle", [0.3, 2.0, 4.0, 7.0])
def test_the_reference_dexp_is_the_differential_of_exp(angle):
    """(d exp) exp^-1 by differences of the pose itself."""
    Y = DIRECTIONS[0]
    for X in cases.twists(angle, cases.AXES[2:3]):
        with reference.mp.workdps(reference.DIFFERENCE_DIGITS):
            rate = reference.derivative(reference.exp_se3, reference.exact(X), reference.exact(Y))
        C, D = np.eye(4), np.zeros((4, 4))
        C[:3, :3], C[:3, 3] = np.reshape(se3.exp(X)[0], (3, 3)), se3.exp(X)[1]
        D[:3, :3], D[:3, 3] = np.reshape(cases.floats(rate[:9]), (3, 3)), cases.floats(rate[9:])
        V = D @ np.linalg.inv(C)
        found = (V[2, 1], V[0, 2], V[1, 0], *V[:3, 3])
        assert np.allclose(found, np.ravel(se3.dexp_spatial(X, Y)), rtol=0, atol=1e-14)


@cases.properties
@given(cases.twists_up_to(cases.PI - 1e-9))
def test_log_inverts_exp(X):
    w, v = se3.log(se3.exp(X))
    assert error(w, X[0]) <= 6
    assert error(v, X[1], np.linalg.norm(X[1]) or 1.0) <= 16


@cases.properties
@given(cases.twists_up_to(20.0))
def test_exp_inverts_log(X):
    C = se3.exp(X)
    R, p = se3.exp(se3.log(C))
    assert error(R, C[0]) <= 30  # C is orthogonal to 24 EPS at 20 rad
    assert error(p, C[1], np.linalg.norm(C[1]) or 1.0) <= 60
