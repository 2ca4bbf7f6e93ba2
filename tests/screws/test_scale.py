"""Scaled screws do not depend on where the mechanism sits, on its size, or on the unit of length."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cotree.errors import NotFiniteError, ShapeError
from cotree.lie import Ad, bracket, exp_so3, pose
from cotree.screws import Kind, Scale, motion_group, normalise, same, screw, span, translation_screw

from .joint_sets import CENTRE, FOUR_BAR, HERE, SETS, Placement, X, Y, Z, joints, meeting, placed, placements

twists = arrays(float, 6, elements=st.floats(-10, 10))


def test_four_bar_by_hand():
    scale = normalise(FOUR_BAR.screws, FOUR_BAR.points)
    np.testing.assert_allclose(scale.origin, [1.375, 0.55, 0.125])
    assert scale.length == pytest.approx(np.linalg.norm([1.375, 0.55, 0.125]))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SETS), placements())
def test_scaled_screws_only_turn(case, at):
    """Ad of the turn alone relates the scaled screws of a set here and elsewhere."""
    here, there = case[2], placed(case[2], at)
    np.testing.assert_allclose(there.scaled, Ad(pose(at.turn)) @ here.scaled, atol=1e-8)
    np.testing.assert_allclose(there.scale.origin, at.move(here.scale.origin), atol=1e-9)


@settings(deadline=None)
@given(twists, twists, st.floats(0.1, 10), arrays(float, 3, elements=st.floats(-5, 5)))
def test_scaling_keeps_brackets(a, b, length, origin):
    """An automorphism of se(3); its linear part is seen by undoing it."""
    scale = Scale(length, origin)
    left = scale.undo(bracket(a, b))[:, 0]
    np.testing.assert_allclose(left, bracket(scale.undo(a)[:, 0], scale.undo(b)[:, 0]), atol=1e-8)


@settings(deadline=None)
@given(twists.filter(lambda x: np.linalg.norm(x) > 0.1), st.floats(0.1, 10), st.floats(-5, 5))
def test_apply_and_undo(a, length, shift):
    scale = Scale(length, np.array([shift, 1.0, -shift]))
    unit = scale.apply(a)
    assert np.linalg.norm(unit) == pytest.approx(1.0)
    back = scale.undo(unit)
    assert same(span(back / np.linalg.norm(back)), span(a / np.linalg.norm(a)))


def test_null_screws_stay_null():
    assert not Scale(2.0, np.ones(3)).apply(np.zeros((6, 2))).any()


@settings(deadline=None, max_examples=100)
@given(st.sampled_from([s for s in SETS if s[0] is not Kind.SPHERICAL]), placements())
def test_lines_alone_give_the_same_kinds(case, at):
    """Without points, and without noise other than rounding."""
    kind, _, here = case
    there = placed(here, at)
    assert motion_group(normalise(there.screws).apply(there.screws)).kind is kind


@settings(deadline=None, max_examples=40)
@given(placements())
def test_lines_through_one_point_have_no_length_of_their_own(at):
    there = placed(meeting(CENTRE, X, (0, 1, 0.5), (1, 1, 1)), at)
    assert motion_group(normalise(there.screws).apply(there.screws)).kind is Kind.SPHERICAL


def test_middle_of_lines():
    """Skew lines along x and y, 2 apart on z: feet above each other, middle between them."""
    scale = normalise(np.array([screw((1, 0, 0), (7, 4, 5)), screw((0, 1, 0), (3, -5, 7))]).T)
    np.testing.assert_allclose(scale.origin, [3, 4, 6], atol=1e-12)
    assert scale.length == pytest.approx(1.0)


def test_length_of_one_point_is_the_pitch_or_the_distance_or_one():
    there = (0, 0, 4.0)
    assert normalise(screw(Z, there, 0.2), [there]).length == 0.2
    assert normalise(screw(Z, there), [there]).length == 4.0
    assert normalise(translation_screw(Z)).length == 1.0


def test_rounding_is_no_size():
    """Points that differ by little more than rounding far from the origin count as one; others do not."""
    far = np.full((3, 3), 1e6)
    assert normalise(screw(Z, far[0]), far + 1e-4 * np.eye(3)).length == pytest.approx(1e6 * 3**0.5)
    assert normalise(screw(Z, far[0]), far + 1e-2 * np.eye(3)).length == pytest.approx(1e-2 * (2 / 3) ** 0.5)


@pytest.mark.parametrize("turn", range(5))
def test_lines_through_the_origin(turn):
    """Rounding gives them neither a size nor, beside a pitch, a distance."""
    at = Placement(exp_so3((turn, 1.0, 0.3)), 1.0, np.zeros(3))
    assert normalise(placed(meeting((0, 0, 0), X, Y, (1, 1, 1)), at).screws).length == 1.0
    assert normalise(placed(joints((X, X, 0.25), (Y, Y, 0)), at).screws).length == pytest.approx(0.25)


def test_points_tell_where_along_the_axis_a_hinge_is():
    """Two coaxial hinges of 1 mm, 1 km along their axis, axes off by 1e-10: one axis, as points tell, and not lines."""
    hinge = joints(((1e-10, 0, 1), (0, 0, 0), 0), ((0, -1e-10, 1), (0, 0, 1), 0))
    there = placed(hinge, Placement(HERE.turn, 1e-3, np.array([0, 0, 1e3])))
    assert motion_group(there.scaled).kind is Kind.REVOLUTE
    assert motion_group(normalise(there.screws).apply(there.screws)).kind is not Kind.REVOLUTE


@pytest.mark.parametrize("wrong", [np.ones((5, 2)), np.ones((6, 2, 2)), 1.0])
def test_shape_of_screws(wrong):
    with pytest.raises(ShapeError, match="columns"):
        normalise(wrong)


def test_shape_of_points():
    with pytest.raises(ShapeError, match="rows"):
        normalise(screw(Z, X), [1.0, 2.0, 3.0])


def test_finite_numbers():
    with pytest.raises(NotFiniteError, match="screws"):
        span([[np.nan]] * 6)
    with pytest.raises(NotFiniteError, match="points"):
        normalise(screw(Z, X), [(0, 0, np.inf)])
