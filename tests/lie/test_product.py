"""Products of groups: row by row the operations of SE(3) or of SO(3) x R3."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotree.lie import direct, product, se3
from cotree.lie.storage import pose, put_pose, put_twist, twist

from . import cases

rows = st.lists(st.tuples(cases.twists_up_to(3.0), cases.twists_up_to(3.0), st.booleans()), min_size=1, max_size=5)


def group(spatial):
    return se3 if spatial else direct


def tables(case):
    """Poses (n, 12), steps (n, 6) and the kinds of n factors."""
    X, Phi = np.empty((len(case), 12)), np.empty((len(case), 6))
    for i, (start, step, spatial) in enumerate(case):
        put_pose(X[i], group(spatial).exp(start))
        put_twist(Phi[i], step)
    return X, Phi, np.array([spatial for _, _, spatial in case])


@cases.properties
@given(rows)
def test_move(case):
    X, Phi, spatial = tables(case)
    out = np.empty_like(X)
    product.move(X, Phi, spatial, out)
    for i, (start, step, s) in enumerate(case):
        expected = group(s).compose(group(s).exp(start), group(s).exp(step))
        assert np.allclose(out[i], np.concatenate(expected), rtol=0, atol=1e-14)


@cases.properties
@given(rows)
def test_difference_inverts_move(case):
    X, Phi, spatial = tables(case)
    Y, step = np.empty_like(X), np.empty_like(Phi)
    product.move(X, Phi, spatial, Y)
    product.difference(X, Y, spatial, step)
    assert np.allclose(step, Phi, rtol=0, atol=1e-13)


@cases.properties
@given(rows)
def test_dexp_body_inv(case):
    X, V, spatial = tables(case)
    Phi = X[:, :6].copy()  # any numbers of a length below 2 pi
    out = np.empty_like(V)
    product.dexp_body_inv(Phi, V, spatial, out)
    for i, s in enumerate(spatial):
        assert np.allclose(out[i], np.ravel(group(s).dexp_body_inv(twist(Phi[i]), twist(V[i]))), rtol=0, atol=1e-13)


@pytest.mark.parametrize("spatial", [True, False])
def test_dexp_body_inv_is_the_rate_of_the_step(spatial):
    """Phi' while X exp(Phi) moves with the body velocity V, by a central difference along exp(tV)."""
    kinds, h = np.array([spatial]), 1e-5
    X, Phi, V = np.array([[*np.eye(3).ravel(), 1.0, 2.0, 3.0]]), np.array([cases.floats(range(6))]) / 5, np.ones((1, 6))
    start, end, ahead, behind, rate = np.empty((1, 12)), np.empty((1, 12)), *np.empty((3, 1, 6))
    product.move(X, Phi, kinds, start)
    for sign, out in ((1, ahead), (-1, behind)):
        product.move(start, sign * h * V, kinds, end)
        product.difference(X, end, kinds, out)
    product.dexp_body_inv(Phi, V, kinds, rate)
    assert np.allclose((ahead - behind) / (2 * h), rate, rtol=0, atol=1e-9)


def test_rows_hold_what_was_put():
    """Storage of poses and twists, there and back."""
    row, P = np.empty(12), ((1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0), (10.0, 11.0, 12.0))
    put_pose(row, P)
    assert row.tolist() == list(range(1, 13))
    assert pose(row) == P
    put_twist(row, ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))
    assert twist(row) == ((1, 2, 3), (4, 5, 6))
