"""Screws from axes and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cotree.errors import AxisError, NotFiniteError, ShapeError
from cotree.lie import Ad, exp_se3
from cotree.screws import axis_of, frame_about, pitch, screw, translation_screw

vectors = arrays(float, 3, elements=st.floats(-1e3, 1e3))
axes = vectors.filter(lambda a: np.linalg.norm(a) > 1e-3)


def test_revolute_axis_by_hand():
    np.testing.assert_array_equal(screw((0, 0, 2), (1, 0, 5)), [0, 0, 1, 0, -1, 0])


@settings(deadline=None)
@given(axes, vectors, st.floats(-10, 10))
def test_points_of_the_axis_move_along_it_by_the_pitch(e, p, h):
    """Velocity w x p + v of a point of the axis is h e."""
    Y = screw(e, p, h)
    np.testing.assert_allclose(np.cross(Y[:3], p) + Y[3:], h * e / np.linalg.norm(e), atol=1e-10)


@settings(deadline=None)
@given(axes, vectors, st.floats(-10, 10))
def test_the_exponential_turns_about_the_axis(e, p, h):
    C = exp_se3(2 * np.pi * screw(e, p, h))
    np.testing.assert_allclose(C[:3, 3], 2 * np.pi * h * e / np.linalg.norm(e), atol=1e-9)


@settings(deadline=None)
@given(axes, vectors, st.floats(-10, 10), st.floats(0.1, 10))
def test_axis_of_inverts_screw(e, p, h, size):
    Y = screw(e, p, h)
    direction, point, found = axis_of(size * Y)
    np.testing.assert_allclose(direction, Y[:3], atol=1e-14)
    np.testing.assert_allclose(found, h, atol=1e-9)
    np.testing.assert_allclose(point, p - Y[:3] * (Y[:3] @ p), atol=1e-9)  # the point nearest the origin
    np.testing.assert_allclose(screw(direction, point, found), Y, atol=1e-9)
    assert pitch(size * Y) == found


@settings(deadline=None)
@given(axes)
def test_translations_have_infinite_pitch(e):
    Y = translation_screw(e)
    np.testing.assert_allclose(Y, np.r_[0, 0, 0, e / np.linalg.norm(e)], atol=1e-15)
    direction, point, h = axis_of(3.0 * Y)
    assert h == np.inf
    assert not point.any()
    np.testing.assert_allclose(screw(direction, point, h), Y, atol=1e-15)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1.7e308])
def test_axes_of_extreme_length(size):
    np.testing.assert_allclose(translation_screw((0, size, size))[3:], [0, 0.5**0.5, 0.5**0.5], rtol=1e-3)


@settings(deadline=None)
@given(axes, vectors)
def test_frame_about_an_axis(e, p):
    C = frame_about(e, p)
    np.testing.assert_allclose(C[:3, :3].T @ C[:3, :3], np.eye(3), atol=1e-14)
    assert np.linalg.det(C[:3, :3]) > 0
    np.testing.assert_allclose(Ad(C) @ [0, 0, 1, 0, 0, 0], screw(e, p), atol=1e-10)


def test_frame_about_the_third_axis_is_the_identity():
    np.testing.assert_array_equal(frame_about((0, 0, 3)), np.eye(4))


@pytest.mark.parametrize("make", [translation_screw, lambda e: screw(e, (0, 0, 0))])
@pytest.mark.parametrize("axis", [(0, 0, 0), (np.nan, 0, 1), (np.inf, 0, 0)])
def test_axes_without_direction(make, axis):
    with pytest.raises(AxisError, match="no direction"):
        make(axis)


def test_null_screw_has_no_axis():
    with pytest.raises(AxisError):
        axis_of(np.zeros(6))


@pytest.mark.parametrize(("point", "h"), [((0, np.inf, 0), 0.0), ((0, 0, 0), np.nan)])
def test_points_and_pitches_are_numbers(point, h):
    with pytest.raises(NotFiniteError):
        screw((0, 0, 1), point, h)


@pytest.mark.parametrize(
    "wrong",
    [lambda: screw((0, 1), (0, 0, 0)), lambda: screw((0, 0, 1), 0.0), lambda: axis_of(np.ones(5))],
)
def test_shapes(wrong):
    with pytest.raises(ShapeError):
        wrong()


def test_pitch_has_the_square_below():
    """[Lie], where |w| is printed: w . v / |w|^2."""
    w, v = np.array([1.0, 2.0, -2.0]), np.array([0.5, 3.0, 1.0])
    assert pitch(np.concatenate([w, v])) == pytest.approx(w @ v / 9.0, rel=1e-14)
