"""SO(3) x R3: rotations as in SO(3), positions as in R3, and the way back to SE(3)."""

import numpy as np
import pytest
from hypothesis import given

from cotree.lie import direct, se3

from . import cases, reference
from .reference import error

A_TWIST = cases.random_twists(1, seed=4)[0]


@cases.at(cases.ALL)
def test_exp(angle):
    for w, v in cases.twists(angle):
        R, r = direct.exp((w, v))
        assert error(R, reference.exp_so3(w)) <= 2 + max(1.0, angle)
        assert r == v


@cases.at([a for a in cases.UP_TO_PI if a < cases.PI - 1e-14])
def test_log(angle):
    for w, v in cases.twists(angle):
        found = direct.log((cases.floats(reference.exp_so3(w)), v))
        assert error(found[0], w) <= 3
        assert found[1] == v


@cases.at([*cases.UP_TO_2PI, 7.0, 10.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_dexp_and_its_inverse(angle, sign):
    condition = max(1.0, 2 * cases.PI / abs(angle - 2 * cases.PI))
    forward, back = (
        (direct.dexp_spatial, direct.dexp_spatial_inv) if sign > 0 else (direct.dexp_body, direct.dexp_body_inv)
    )
    for X in cases.twists(angle):
        rotation = reference.dexp_so3_matrix(cases.triple(sign * np.array(X[0])))
        D, D_inv = cases.matrix6(lambda Y, X=X: forward(X, Y)), cases.matrix6(lambda Y, X=X: back(X, Y))
        assert error(D[:3, :3], rotation) <= 4
        assert error(D_inv[:3, :3], reference.inverse_of(rotation)) <= 4 * condition
        for M in (D, D_inv):
            assert (M[3:, 3:] == np.eye(3)).all()
            assert not M[:3, 3:].any()
            assert not M[3:, :3].any()


@cases.properties
@given(cases.twists_up_to(20.0), cases.twists_up_to(20.0))
def test_group(X, Y):
    A, B = direct.exp(X), direct.exp(Y)
    R, r = direct.compose(A, B)
    assert np.allclose(np.reshape(R, (3, 3)), np.reshape(A[0], (3, 3)) @ np.reshape(B[0], (3, 3)), rtol=0, atol=1e-15)
    assert r == tuple(a + b for a, b in zip(X[1], Y[1], strict=True))
    E, e = direct.compose(A, direct.inverse(A))
    assert np.allclose(np.reshape(E, (3, 3)), np.eye(3), rtol=0, atol=1e-14)
    assert e == (0, 0, 0)


@cases.properties
@given(cases.any_twist, cases.any_twist)
def test_bracket(X, Y):
    w, v = direct.bracket(X, Y)
    assert np.allclose(w, np.cross(X[0], Y[0]), rtol=1e-15, atol=1e-13)
    assert v == (0, 0, 0)


@cases.properties
@given(cases.twists_up_to(20.0), cases.any_twist)
def test_to_body_is_the_twist_of_the_same_motion(X, V):
    """With R' = R w^ and r' = v, the body twist of (R, r) is the vee of C^-1 C'."""
    A = direct.exp(X)
    w, v = direct.to_body(A, V)
    assert w == V[0]
    assert np.allclose(v, np.reshape(A[0], (3, 3)).T @ V[1], rtol=0, atol=1e-13)


def test_to_body_by_a_short_motion():
    """The direct step and the step of SE(3) with the body twist differ to second order only."""
    A = direct.exp(A_TWIST)
    V = cases.random_twists(1, seed=5)[0]
    h = 1e-7
    step = direct.compose(A, direct.exp(se3.times(h, V)))
    same = se3.compose(A, se3.exp(se3.times(h, direct.to_body(A, V))))
    assert np.allclose(step[0], same[0], rtol=0, atol=1e-15)
    assert np.allclose(step[1], same[1], rtol=0, atol=20 * h * h)
