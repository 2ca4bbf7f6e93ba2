"""States as a group, [Lie (11) to (14), (20) to (23)]: against block matrices and series of brackets."""

import numpy as np
import pytest
from scipy.linalg import expm

import cotree as ct
from cotree.errors import ChoiceError

GROUPS = ("SE3", "SO3xR3")
rng = np.random.default_rng(8)
X, Y, A, B = rng.normal(size=(4, 6))


def matrix_of(element, group):
    """An element of the algebra as a matrix, 14 x 14: the group's own 4x4 or 3x3 and shifts, and the shift of velocities."""
    w, v = ct.lie.hat(element[0][:3]), element[0][3:]
    out = np.zeros((14, 14))
    out[:3, :3] = w
    if group == "SE3":
        out[:3, 3] = v
    else:
        out[3:6, 6] = v
    out[7:13, 13] = element[1]
    return out


@pytest.mark.parametrize("group", GROUPS)
def test_exp_is_that_of_matrices_and_of_products(group):
    """exp((s + t) x) = exp(s x) exp(t x), and its derivative at 0 is x."""
    x = (X, A)
    whole = ct.lie.exp_state((0.7 * X, 0.7 * A), group)
    parts = ct.lie.compose_states(
        ct.lie.exp_state((0.3 * X, 0.3 * A), group), ct.lie.exp_state((0.4 * X, 0.4 * A), group), group
    )
    assert np.abs(whole[0] - parts[0]).max() < 1e-14
    assert np.abs(whole[1] - parts[1]).max() < 1e-15
    back = ct.lie.log_state(ct.lie.exp_state((0.1 * X, A), group), group)
    assert np.abs(back[0] - 0.1 * X).max() < 1e-14
    assert np.array_equal(back[1], x[1])
    full = expm(matrix_of((0.7 * X, 0.7 * A), group))
    assert np.abs(full[:3, :3] - whole[0][:3, :3]).max() < 1e-14
    assert np.abs(full[7:13, 13] - whole[1]).max() < 1e-15
    if group == "SE3":
        assert np.abs(full[:3, 3] - whole[0][:3, 3]).max() < 1e-14
    else:
        assert np.abs(whole[0][:3, 3] - 0.7 * X[3:]).max() < 1e-15


@pytest.mark.parametrize("group", GROUPS)
def test_brackets_are_those_of_matrices(group):
    """(13), (22): the commutator of the matrices of the algebra."""
    found = ct.lie.bracket_states((X, A), (Y, B), group)
    P, Q = matrix_of((X, A), group), matrix_of((Y, B), group)
    assert np.abs(matrix_of(found, group) - (P @ Q - Q @ P)).max() < 1e-14
    assert not found[1].any()


@pytest.mark.parametrize("group", GROUPS)
def test_inverse(group):
    state = ct.lie.exp_state((X, A), group)
    C, V = ct.lie.compose_states(state, ct.lie.inverse_state(state, group), group)
    assert np.abs(C - np.eye(4)).max() < 1e-14
    assert not V.any()


@pytest.mark.parametrize("group", GROUPS)
def test_dexp_inverse_by_its_series(group):
    """(14), (23): y - [x, y] / 2 + [x, [x, y]] / 12 - [x, [x, [x, [x, y]]]] / 720 + ..., for a small x."""
    x, y = (0.05 * X, A), (Y, B)

    def again(z):
        return ct.lie.bracket_states(x, z, group)[0], np.zeros(6)

    one = again(y)
    two = again(one)
    four = again(again(two))
    want = Y - one[0] / 2 + two[0] / 12 - four[0] / 720
    found = ct.lie.dexp_inv_state(x, y, group)
    assert np.abs(found[0] - want).max() < 1e-9
    assert np.array_equal(found[1], B)


def test_unknown_groups_are_refused():
    with pytest.raises(ChoiceError, match="'SE2' is unknown"):
        ct.lie.exp_state((X, A), "SE2")
