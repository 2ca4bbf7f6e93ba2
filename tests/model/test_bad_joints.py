"""Joints that are refused: ends, points, axes, frames, coordinates."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import (
    AxisError,
    CoordinatesError,
    DuplicateNameError,
    ForeignBodyError,
    FrameError,
    ModelError,
    NotFiniteError,
    ShapeError,
    UnconnectedError,
    UnknownNameError,
)

from .builders import NUMBERS_THAT_ARE_NONE, four_bar, pendulum, refused, spoiled

TURN = ct.Revolute(point=(0, 0, 0), axis=(0, 0, 1))

# every argument that is a point or an axis
POINTS = {
    "Revolute": lambda p: ct.Revolute(point=p),
    "Prismatic": lambda p: ct.Prismatic(point=p),
    "Helical": lambda p: ct.Helical(point=p),
    "Cylindrical": lambda p: ct.Cylindrical(point=p),
    "Universal": lambda p: ct.Universal(point=p),
    "Spherical": lambda p: ct.Spherical(point=p),
    "Planar": lambda p: ct.Planar(point=p),
    "Schoenflies": lambda p: ct.Schoenflies(point=p),
}
AXES = {
    "Revolute": ("axis", ct.Revolute),
    "Prismatic": ("axis", ct.Prismatic),
    "Helical": ("axis", ct.Helical),
    "Cylindrical": ("axis", ct.Cylindrical),
    "Universal 1": ("axis1", ct.Universal),
    "Universal 2": ("axis2", ct.Universal),
    "Planar": ("normal", ct.Planar),
    "Planar x": ("x_axis", ct.Planar),
    "PlanarTranslation": ("normal", ct.PlanarTranslation),
    "PlanarTranslation x": ("x_axis", ct.PlanarTranslation),
    "Schoenflies": ("axis", ct.Schoenflies),
}
ALL = [
    ct.Revolute, ct.Prismatic, ct.Helical, ct.Cylindrical, ct.Universal, ct.Spherical, ct.Planar, ct.PlanarTranslation,
    ct.Translation, ct.Schoenflies, ct.Free, ct.Weld,
]  # fmt: skip


# -- ends ----------------------------------------------------------------------------------------------------


def test_unknown_bodies_with_a_hint():
    mech = four_bar()
    with refused(UnknownNameError, "'E'", "'cupler'", "did you mean 'coupler'?"):
        mech.joint("E", "crank", "cupler", TURN)
    with refused(UnknownNameError, "'E'", "did you mean 'ground'?"):
        mech.joint("E", "grund", "coupler", TURN)
    with refused(UnknownNameError, "'E'", "there are 'ground', 'crank', 'coupler', 'rocker'"):
        mech.joint("E", "xyz", "coupler", TURN)
    assert "E" not in mech.joints


@pytest.mark.parametrize("body", [None, 1, ["crank"], {"crank": 1}])
def test_what_is_no_body(body):
    with refused(UnknownNameError, "'E'", repr(body)):
        four_bar().joint("E", "crank", body, TURN)


def test_a_repeated_name():
    mech = four_bar()
    with refused(DuplicateNameError, "'A'", "'four-bar'"):
        mech.joint("A", "crank", "rocker", TURN)
    assert mech.joints["A"].child == "crank"


@pytest.mark.parametrize("name", ["", 3, None])
def test_names_are_strings(name):
    with refused(ModelError, "name of a joint", repr(name)):
        four_bar().joint(name, "crank", "rocker", TURN)


@pytest.mark.parametrize("body", ["crank", "ground"])
def test_a_body_with_itself(body):
    with refused(UnconnectedError, "'E'", f"'{body}'", "itself"):
        four_bar().joint("E", body, body, TURN)


def test_bodies_of_another_mechanism():
    here, there = four_bar(), four_bar()
    there.body("extra", 1, (0, 0, 0))
    for name in ("crank", "extra"):
        with refused(ForeignBodyError, "'E'", f"'{name}'", "another mechanism"):
            here.joint("E", here.ground, there.bodies[name], TURN)
    with refused(ForeignBodyError, "'E'", "'ground'"):
        here.joint("E", there.ground, "crank", TURN)


def test_classes_are_no_joints():
    with refused(ModelError, "joint 'E': Revolute is a class and not a joint; call it, as in Revolute(...)"):
        four_bar().joint("E", "crank", "rocker", ct.Revolute)


def test_few_numbers_are_shown_and_many_are_not():
    with refused(ct.errors.ShapeError, "gravity must be 3 numbers, got 9.81"):
        ct.Mechanism("g", gravity=9.81)
    with refused(ct.errors.ShapeError, "point must be 3 numbers, got (0, 0)"):
        ct.Revolute((0, 0), (0, 0, 1))
    with refused(ct.errors.ShapeError, "point must be 3 numbers, got an array of shape (500,)"):
        ct.Revolute(np.zeros(500), (0, 0, 1))


@pytest.mark.parametrize("joint", ["revolute", None, (0, 0, 1)])
def test_what_is_no_joint(joint):
    with refused(ModelError, "'E'", "is not a joint", "ct.Revolute(point, axis)"):
        four_bar().joint("E", "crank", "rocker", joint)


# -- points and axes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
@pytest.mark.parametrize("name", POINTS)
def test_points_are_finite(name, bad):
    for k in range(3):
        with refused(NotFiniteError, name, "point", "finite"):
            POINTS[name](spoiled(np.zeros(3), k, bad))


@pytest.mark.parametrize("bad", [(1, 2), 0, "origin", None, np.zeros((3, 3)), (None, 1, 2)])
@pytest.mark.parametrize("name", POINTS)
def test_points_are_vectors(name, bad):
    with refused(ShapeError, name, "point must be 3 numbers"):
        POINTS[name](bad)


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
@pytest.mark.parametrize("name", AXES)
def test_axes_are_finite(name, bad):
    what, joint = AXES[name]
    for k in range(3):
        with refused(NotFiniteError, joint.__name__, what, "finite"):
            joint(**{what: spoiled(np.ones(3), k, bad)})


@pytest.mark.parametrize("name", AXES)
def test_axes_have_a_direction(name):
    what, joint = AXES[name]
    with refused(AxisError, joint.__name__, what, "zero length", "(0, 0, 1)"):
        joint(**{what: (0, 0, 0)})


@pytest.mark.parametrize("bad", [(1, 2), 1.0, "w", ((0, 0, 1),), (1j, 0, 0)])
@pytest.mark.parametrize("name", AXES)
def test_axes_are_vectors(name, bad):
    what, joint = AXES[name]
    with refused(ShapeError, joint.__name__, f"{what} must be 3 numbers"):
        joint(**{what: bad})


@pytest.mark.parametrize("second", [(1, 2, 3), (-2, -4, -6), (1 + 1e-8, 2, 3)])
def test_axes_of_a_universal_joint_are_not_parallel(second):
    with refused(AxisError, "Universal", "axis1 and axis2", "parallel"):
        ct.Universal((0, 0, 0), (1, 2, 3), second)


@pytest.mark.parametrize("joint", [ct.Planar, ct.PlanarTranslation])
@pytest.mark.parametrize("x_axis", [(1, 2, 3), (-1, -2, -3)])
def test_an_axis_in_the_plane_is_not_its_normal(joint, x_axis):
    with refused(AxisError, joint.__name__, "x_axis", "parallel to the normal", "in the plane"):
        joint(normal=(1, 2, 3), x_axis=x_axis)


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
def test_a_pitch_is_finite(bad):
    with refused(NotFiniteError, "Helical", "pitch"):
        ct.Helical((0, 0, 0), (0, 0, 1), bad)


@pytest.mark.parametrize("bad", ["fine", None, (1, 2)])
def test_a_pitch_is_a_number(bad):
    with refused(ShapeError, "Helical", "pitch must be a number"):
        ct.Helical((0, 0, 0), (0, 0, 1), bad)


# -- coordinates and frames ----------------------------------------------------------------------------------

KINDS = ("group", "second", "first", "cayley", "quaternion")
WRONG_KINDS = [(joint, kind) for joint in ALL for kind in (*KINDS, "euler", None) if kind not in joint.kinds]


@pytest.mark.parametrize(("joint", "kind"), WRONG_KINDS)
def test_coordinates_that_a_joint_does_not_have(joint, kind):
    with refused(CoordinatesError, joint.__name__, repr(kind), *map(repr, joint.kinds)):
        joint(coordinates=kind)


def test_most_wrong_kinds_are_tried():
    assert len(WRONG_KINDS) > 40
    assert (ct.Planar, "quaternion") in WRONG_KINDS


@pytest.mark.parametrize("side", ["frame_parent", "frame_child"])
@pytest.mark.parametrize("joint", ALL)
def test_frames_are_rigid(joint, side):
    with refused(FrameError, joint.__name__, side):
        joint(**{side: np.diag([1, 1, -1, 1])})
    with refused(NotFiniteError, joint.__name__, side):
        joint(**{side: spoiled(np.eye(4), (2, 3), np.nan)})
    with refused(ShapeError, joint.__name__, side, "4x4"):
        joint(**{side: np.eye(3)})


def test_a_joint_may_have_the_name_of_a_body():
    mech = pendulum()
    mech.body("pivot", 1, (1, 0, 0))
    mech.joint("bob", "bob", "pivot", ct.Weld())
    assert mech.compile().joint_names == ("pivot", "bob")
