"""Array faces of SO(3) x R3: group laws, SciPy's exponential, and derivatives by differences."""

import numpy as np
import pytest
from scipy.linalg import expm

from cotree import lie
from cotree.errors import ShapeError

rng = np.random.default_rng(6)
X, Y, Z = 0.5 * rng.normal(size=(3, 6))


def test_group_laws():
    A, B, C = map(lie.exp_direct, (X, Y, Z))
    both = lie.compose_direct(lie.compose_direct(A, B), C)
    assert both == pytest.approx(lie.compose_direct(A, lie.compose_direct(B, C)), abs=1e-14)
    assert lie.compose_direct(A, lie.inverse_direct(A)) == pytest.approx(np.eye(4), abs=1e-14)
    assert np.abs(lie.compose_direct(A, B) - A @ B).max() > 0.1  # not the product of SE(3)


def test_exp_and_log():
    want = np.eye(4)
    want[:3, :3], want[:3, 3] = expm(lie.hat(X[:3])), X[3:]
    assert lie.exp_direct(X) == pytest.approx(want, abs=1e-13)
    assert lie.log_direct(want) == pytest.approx(X, abs=1e-13)
    many = np.stack([X, Y])
    assert lie.exp_direct(many)[1] == pytest.approx(lie.exp_direct(Y), abs=0)


def test_the_bracket_is_the_commutator():
    h = 1e-4
    a, b = lie.exp_direct(h * X), lie.exp_direct(h * Y)
    there = lie.compose_direct(
        lie.compose_direct(a, b), lie.compose_direct(lie.inverse_direct(a), lie.inverse_direct(b))
    )
    assert lie.log_direct(there) / h**2 == pytest.approx(lie.bracket_direct(X, Y), abs=1e-3)


def test_shapes():
    with pytest.raises(ShapeError):
        lie.compose_direct(np.eye(3), np.eye(4))
