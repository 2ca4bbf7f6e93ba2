"""The joint table of METHODS section 3, Geo Tables 1 and 2 corrected."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotree.errors import AxisError, ModelError, NotFiniteError, UnknownNameError
from cotree.lie import exp_so3
from cotree.screws import Kind, closure, dimension, dof, motion_basis, nested_brackets, selector

# name: free and held components of (w1 w2 w3 v1 v2 v3), subgroup or not; written out again, by hand
TABLE = {
    "weld": ("", "w1 w2 w3 v1 v2 v3", True),
    "prismatic": ("v3", "w1 w2 w3 v1 v2", True),
    "revolute": ("w3", "w1 w2 v1 v2 v3", True),
    "planar_translation": ("v1 v2", "w1 w2 w3 v3", True),
    "cylindrical": ("w3 v3", "w1 w2 v1 v2", True),
    "universal": ("w1 w2", "w3 v1 v2 v3", False),
    "translation": ("v1 v2 v3", "w1 w2 w3", True),
    "planar": ("w3 v1 v2", "w1 w2 v3", True),
    "spherical": ("w1 w2 w3", "v1 v2 v3", True),
    "schoenflies": ("w3 v1 v2 v3", "w1 w2", True),
    "free": ("w1 w2 w3 v1 v2 v3", "", True),
}
NAMES = ["w1", "w2", "w3", "v1", "v2", "v3"]
EVERY = [*TABLE, "helical", "helical_planar"]


@pytest.mark.parametrize("name", TABLE)
def test_components(name):
    free, held, _ = TABLE[name]
    np.testing.assert_array_equal(motion_basis(name), np.eye(6)[:, [NAMES.index(c) for c in free.split()]])
    np.testing.assert_array_equal(selector(name), np.eye(6)[[NAMES.index(c) for c in held.split()]])


def test_helical_rows_and_screws():
    np.testing.assert_array_equal(motion_basis("helical", pitch=0.2).T, [[0, 0, 1, 0, 0, 0.2]])
    rows = selector("helical", pitch=0.2)
    np.testing.assert_array_equal(rows[:4], np.eye(6)[[0, 1, 3, 4]])
    np.testing.assert_array_equal(rows[4], [0, 0, -0.2, 0, 0, 1])
    np.testing.assert_array_equal(selector("helical_planar", pitch=0.2)[2], [0, 0, -0.2, 0, 0, 1])


@settings(deadline=None)
@given(st.sampled_from(EVERY), st.floats(-5, 5), st.tuples(*[st.floats(-3, 3)] * 3), st.floats(0.05, 3.0))
def test_what_is_free_is_not_held(name, h, turn, angle):
    h = h if name.startswith("helical") else 0.0
    axes = exp_so3(turn) @ np.array([[1, 0, 0], [np.cos(angle), np.sin(angle), 0]]).T
    H, W = (f(name, pitch=h, axes=axes.T) for f in (motion_basis, selector))
    assert H.shape == (6, dof(name))
    assert W.shape == (6 - dof(name), 6)
    np.testing.assert_allclose(W @ H, 0, atol=1e-14)
    assert np.linalg.matrix_rank(H) == dof(name)
    assert np.linalg.matrix_rank(W) == 6 - dof(name)


@pytest.mark.parametrize("name", ["helical", "helical_planar", "universal", *TABLE])
def test_rows_of_every_kind_hold_what_is_not_free(name):
    """W H = 0 with a pitch and with axes that are not perpendicular."""
    h = 0.3 if name.startswith("helical") else 0.0
    axes = ((1.0, 0.2, 0.0), (0.3, 1.0, 0.5))
    H, W = (f(name, pitch=h, axes=axes) for f in (motion_basis, selector))
    np.testing.assert_allclose(W @ H, 0, atol=1e-14)
    assert np.linalg.matrix_rank(np.vstack([H.T, W])) == 6


def test_universal_axes():
    a1, a2 = (0, 0, 2.0), (1.0, 0, 1.0)
    H, W = motion_basis("universal", axes=(a1, a2)), selector("universal", axes=(a1, a2))
    np.testing.assert_allclose(H.T, [[0, 0, 1, 0, 0, 0], [0.5**0.5, 0, 0.5**0.5, 0, 0, 0]])
    np.testing.assert_allclose(W, np.eye(6)[[1, 3, 4, 5]], atol=1e-16)


@pytest.mark.parametrize("name", EVERY)
def test_which_are_groups(name):
    """By the closure, by nested brackets, and as the table says."""
    H = motion_basis(name, pitch=0.3 if name.startswith("helical") else 0.0)
    grows = [dimension(closure(H)) > dof(name), dimension(nested_brackets(H)) > dof(name)]
    assert grows == [not TABLE.get(name, ("", "", True))[2]] * 2
    assert Kind(name).is_group is not grows[0]


def test_all_kinds_are_in_the_table():
    assert set(Kind) == {*EVERY, "no group"}


@pytest.mark.parametrize("name", ["hinge", "no group", ""])
@pytest.mark.parametrize("call", [motion_basis, selector, dof])
def test_unknown_joints(name, call):
    with pytest.raises(UnknownNameError, match=r"is not a kind of joint; choose one of .*revolute"):
        call(name)


@pytest.mark.parametrize("call", [motion_basis, selector])
def test_pitch_belongs_to_helical_kinds(call):
    with pytest.raises(ModelError, match="no pitch"):
        call("revolute", pitch=0.1)
    with pytest.raises(NotFiniteError, match="pitch"):
        call("helical", pitch=np.inf)


@pytest.mark.parametrize("a2", [(2.0, 0, 0), (-1.0, 1e-9, 0)])
def test_axes_of_a_universal_joint_cross(a2):
    with pytest.raises(AxisError, match="parallel"):
        selector("universal", axes=((1.0, 0, 0), a2))


def test_import_is_light():
    code = "import sys, cotree.screws; print([m for m in sys.modules if m.startswith('scipy.')])"
    heavy = ("scipy.integrate", "scipy.optimize", "scipy.spatial", "scipy.sparse")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not [m for m in heavy if f"'{m}'" in out]
