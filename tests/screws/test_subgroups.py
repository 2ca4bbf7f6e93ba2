"""Recognition of motion groups, their words, and their algebras."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotree.lie import Ad, exp_so3, pose
from cotree.screws import (
    Kind,
    Scale,
    Subgroup,
    axis_of,
    basis_of,
    closure,
    dimension,
    frame_about,
    identify,
    in_world,
    motion_basis,
    motion_group,
    same,
    span,
)  # fmt: skip
from cotree.screws.subgroups import subgroup

from .joint_sets import CENTRE, FOUR_BAR, HERE, SETS, X, Y, Z, joints, meeting, placed, placements, seeds

GROUPS = [k for k in Kind if k.is_group]
HELICAL = (Kind.HELICAL, Kind.HELICAL_PLANAR)


def test_twelve_kinds_of_dimensions_known():
    """Dimensions 0 to 6 have 1, 3, 2, 4, 1, 0, 1 kinds of subalgebra."""
    dimensions = [motion_basis(k).shape[1] for k in GROUPS]
    assert np.bincount(dimensions).tolist() == [1, 3, 2, 4, 1, 0, 1]


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(GROUPS),
    st.tuples(*[st.floats(-3, 3)] * 3),
    st.tuples(*[st.floats(-2, 2)] * 3),
    st.floats(0.05, 2) | st.floats(-2, -0.05),
)
def test_every_kind_is_recognised_in_every_frame(kind, turn, p, h):
    h = h if kind in HELICAL else 0.0
    R = exp_so3(turn)
    A = Ad(pose(R, p)) @ motion_basis(kind, pitch=h)
    found = identify(np.linalg.qr(A)[0])
    assert found.kind is kind
    assert found.dimension == A.shape[1]
    if kind in HELICAL:
        assert found.pitch == pytest.approx(h, abs=1e-12)
    else:
        assert found.pitch is None
    if found.axis is not None:
        np.testing.assert_allclose(np.cross(found.axis, R[:, 2]), 0, atol=1e-12)
    if found.point is not None and found.axis is not None:
        np.testing.assert_allclose(np.cross(np.subtract(found.point, p), R[:, 2]), 0, atol=1e-11)
        assert abs(np.dot(found.point, found.axis)) < 1e-12
    if kind is Kind.SPHERICAL:
        np.testing.assert_allclose(found.point, p, atol=1e-11)
    assert same(span(np.linalg.qr(basis_of(found))[0]), np.linalg.qr(A)[0])


@pytest.mark.parametrize(
    ("kind", "has_axis", "has_point"),
    [
        (Kind.WELD, False, False),
        (Kind.PRISMATIC, True, False),
        (Kind.REVOLUTE, True, True),
        (Kind.HELICAL, True, True),
        (Kind.PLANAR_TRANSLATION, True, False),
        (Kind.CYLINDRICAL, True, True),
        (Kind.TRANSLATION, False, False),
        (Kind.PLANAR, True, False),
        (Kind.HELICAL_PLANAR, True, False),
        (Kind.SPHERICAL, False, True),
        (Kind.SCHOENFLIES, True, False),
        (Kind.FREE, False, False),
    ],
)
def test_what_places_a_group(kind, has_axis, has_point):
    found = identify(motion_basis(kind, pitch=0.5 * (kind in HELICAL)))
    assert (found.axis is not None, found.point is not None) == (has_axis, has_point)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(SETS), placements(), seeds)
def test_groups_in_the_world(case, at, seed):
    """Axis, point and pitch come back in world coordinates, to 1e-6 of the size."""
    _, _, here = case
    there = placed(here, at, noise=1e-10, seed=seed)
    found, local = in_world(motion_group(there.scaled), there.scale), motion_group(here.screws)
    assert found.kind is local.kind
    if local.point is not None:
        offset = np.array(found.point) - at.move(local.point)
        offset = offset if local.axis is None else np.cross(offset, found.axis)
        assert np.linalg.norm(offset) < 1e-6 * at.size
    if local.axis is not None and local.point is not None:
        nearest = axis_of(np.r_[found.axis, np.cross(found.point, found.axis)])[1]
        np.testing.assert_allclose(found.point, nearest, atol=1e-9)
    if local.pitch is not None:
        assert found.pitch == pytest.approx(at.size * local.pitch, rel=1e-6)


@pytest.mark.parametrize(
    "columns",
    [
        motion_basis(Kind.UNIVERSAL),
        np.eye(6)[:, [2, 3]],  # a rotation and a translation across it
        np.eye(6)[:, [0, 1, 2, 5]],
        np.eye(6)[:, [0, 1, 3, 4, 5]],
        joints((Z, X, 0), ((1, 0, 1), Y, 0), (X, Z, 0)).screws,
    ],
)
def test_spans_that_are_no_group(columns):
    found = identify(columns)
    assert found.kind is Kind.NO_GROUP
    assert found.dimension == columns.shape[1]
    assert not found.kind.is_group
    assert f"dimension {columns.shape[1]}" in found.describe()
    assert dimension(closure(columns)) > columns.shape[1]


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (motion_group(np.zeros((6, 0))), "no motion"),
        (motion_group(FOUR_BAR.screws), "planar about (0, 0, 1)"),
        (motion_group(meeting((0, 0, 2), X, Y).screws), "spherical about (0, 0, 2)"),
        (motion_group(joints((Z, X, 0.25), (Z, Y, 0)).screws), "Schoenflies about (0, 0, 1)"),
        (motion_group(joints((Z, X, 0.25), (Z, Y, 0.25)).screws), "planar about (0, 0, 1) with advance, pitch 0.25"),
        (motion_group(np.eye(6)[:, 3:5]), "translation in the plane normal to (0, 0, 1)"),
        (motion_group(-np.eye(6)[:, 4]), "translation along (0, 1, 0)"),
        (motion_group(np.eye(6)[:, 3:]), "all translations"),
        (motion_group(np.eye(6)), "all rigid motions"),
        (motion_group(joints((Z, X, 0)).screws), "rotation about the axis through (1, 0, 0) along (0, 0, 1)"),
        (
            motion_group(joints((Z, (1, 0, 3), 0), (Z, X, np.inf)).screws),
            "cylindrical about the axis through (1, 0, 0) along (0, 0, 1)",
        ),
        (
            motion_group(joints((Z, X, -0.125)).screws),
            "screw motion about the axis through (1, 0, 0) along (0, 0, 1), pitch -0.125",
        ),
        (identify(np.eye(6)[:, :2]), "not a group (a span of dimension 2)"),
    ],
)
def test_words(group, words):
    assert group.describe() == words
    assert str(group) == words


def test_noise_is_not_spoken_of():
    noisy = placed(FOUR_BAR, HERE, noise=1e-10, seed=2)
    assert re.fullmatch(r"planar about \(0, 0, 1\)", motion_group(noisy.scaled).describe())
    ball = placed(meeting((0, 0, 0), X, Y, Z), HERE, noise=1e-10, seed=2)
    assert motion_group(ball.screws).describe() == "spherical about (0, 0, 0)"


def test_the_sign_of_an_axis_is_fixed():
    for e in ((0, 0, -1.0), (0, 0, 1.0)):
        assert motion_group(joints((e, X, 0)).screws).axis == (0, 0, 1)
    e = np.array([-1.0, 1, 1]) / 3**0.5
    assert subgroup(Kind.PRISMATIC, e) == subgroup(Kind.PRISMATIC, -e)


def test_groups_are_values():
    a, b = (motion_group(meeting(CENTRE, X, Y).screws) for _ in range(2))
    assert a == b
    assert len({a, b}) == 1


def test_in_world_by_hand():
    scale = Scale(2.0, np.array([1.0, 0, 5.0]))
    helix = Subgroup(Kind.HELICAL, 1, (0, 0, 1.0), (0, 1.0, 0), 0.5)
    assert in_world(helix, scale) == Subgroup(Kind.HELICAL, 1, (0, 0, 1.0), (1.0, 2.0, 0.0), 1.0)
    ball = Subgroup(Kind.SPHERICAL, 3, None, (0, 1.0, 0))
    assert in_world(ball, scale).point == (1.0, 2.0, 5.0)


def test_basis_of_a_group():
    helix = Subgroup(Kind.HELICAL, 1, (0, 0, 1.0), (1.0, 0, 0), 0.5)
    np.testing.assert_allclose(basis_of(helix)[:, 0], [0, 0, 1, 0, -1, 0.5])
    np.testing.assert_allclose(basis_of(Subgroup(Kind.SPHERICAL, 3, None, CENTRE)), Ad(frame_about(Z, CENTRE))[:, :3])
