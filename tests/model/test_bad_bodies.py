"""Bodies, mass properties and shapes that are refused, each with a named error that says whose they were."""

from fractions import Fraction

import numpy as np
import pytest

import cotree as ct
from cotree.errors import (
    AxisError,
    DuplicateNameError,
    FrameError,
    InertiaError,
    MassError,
    ModelError,
    NotFiniteError,
    ShapeError,
)

from .builders import NUMBERS_THAT_ARE_NONE, refused, spoiled

GOOD = {"mass": 1.0, "com": (0.1, 0.2, 0.3), "inertia": (1.0, 1.0, 1.0)}
NO_NUMBERS = ["text", None, 1j, [1, [2, 3]], object(), {"x": 1}]


@pytest.fixture
def mech():
    return ct.Mechanism("arm")


def body_with(mech, **changed):
    return mech.body("link", **{**GOOD, **changed})


# -- names ---------------------------------------------------------------------------------------------------


def test_a_repeated_name(mech):
    body_with(mech)
    with refused(DuplicateNameError, "'link'", "'arm'", "another name"):
        body_with(mech)
    assert list(mech.bodies) == ["link"]


def test_ground_is_taken(mech):
    with refused(DuplicateNameError, "'ground'"):
        mech.body("ground", **GOOD)


@pytest.mark.parametrize("name", ["", 3, None, ("a",)])
def test_names_are_strings(mech, name):
    with refused(ModelError, "name of a body", repr(name)):
        mech.body(name, **GOOD)


# -- mass, mass centre, inertia ------------------------------------------------------------------------------


def test_a_negative_mass(mech):
    with refused(MassError, "'link'", "-0.5", "positive"):
        body_with(mech, mass=-0.5)
    assert not mech.bodies


def test_a_missing_mass(mech):
    with refused(MassError, "'link'", "shape and a density"):
        mech.body("link")


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
def test_no_nan_or_infinity_in_a_body(mech, bad):
    with refused(NotFiniteError, "'link'", "mass"):
        body_with(mech, mass=bad)
    for k in range(3):
        with refused(NotFiniteError, "'link'", "mass centre", "finite"):
            body_with(mech, com=spoiled(GOOD["com"], k, bad))
        with refused(NotFiniteError, "'link'", "inertia", "finite"):
            body_with(mech, inertia=spoiled(GOOD["inertia"], k, bad))
    with refused(NotFiniteError, "'link'", "inertia"):
        body_with(mech, inertia=spoiled(np.eye(3), (1, 2), bad))
    with refused(NotFiniteError, "'link'", "pose"):
        body_with(mech, pose=spoiled(np.eye(4), (0, 3), bad))
    with refused(NotFiniteError, "'arm'", "gravity"):
        ct.Mechanism("arm", gravity=(0, 0, bad))


@pytest.mark.parametrize("value", [v for v in NO_NUMBERS if v is not None])
def test_a_mass_that_is_no_number(mech, value):
    with refused(ShapeError, "'link'", "mass must be a number"):
        body_with(mech, mass=value)


@pytest.mark.parametrize("value", ["12", [1.0], np.ones((1, 1)), True + 1j])
def test_text_and_lists_are_no_mass(mech, value):
    with refused(ShapeError, "'link'", "mass must be a number"):
        body_with(mech, mass=value)


@pytest.mark.parametrize(
    "value", [*(v for v in NO_NUMBERS if v is not None), ("1", "2", "3"), (None, 0, 0), (1j, 0, 0)]
)
def test_a_mass_centre_that_is_no_vector(mech, value):
    with refused(ShapeError, "'link'", "mass centre must be 3 numbers"):
        body_with(mech, com=value)


@pytest.mark.parametrize("value", [1.0, (1, 2), (1, 2, 3, 4), [(1, 2, 3)], np.zeros((3, 1))])
def test_a_mass_centre_of_the_wrong_shape(mech, value):
    found = f"shape {np.shape(value)}" if np.ndim(value) > 1 else f"got {value}"
    with refused(ShapeError, "'link'", "mass centre must be 3 numbers", found):
        body_with(mech, com=value)


@pytest.mark.parametrize("value", [2.0, (1, 2), np.ones(6), np.ones((2, 2)), np.ones((3, 3, 1)), "xyz", [[1, 2], [3]]])
def test_an_inertia_of_the_wrong_shape(mech, value):
    with refused(ShapeError, "'link'", "inertia must be 3 numbers (diagonal) or a 3x3 array"):
        body_with(mech, inertia=value)


def test_gravity_is_a_vector():
    with refused(ShapeError, "'arm'", "gravity must be 3 numbers"):
        ct.Mechanism("arm", gravity=-9.81)


def test_whatever_converts_to_numbers_is_taken(mech):
    body = mech.body("link", mass=np.float32(2), com=[Fraction(1, 2), 0, np.int8(1)], inertia=np.eye(3, dtype=int))
    assert body.properties.mass == 2.0
    assert np.array_equal(body.properties.com, [0.5, 0, 1])
    assert np.array_equal(body.properties.inertia, np.eye(3))


@pytest.mark.parametrize("moments", [(1, 1, 2.1), (2.1, 1, 1), (1, 2.1, 1), (0, 0, 1)])
def test_the_triangle_inequality(mech, moments):
    with refused(InertiaError, "'link'", "triangle inequality", "(I, I, I)"):
        body_with(mech, inertia=moments)


def test_the_triangle_inequality_holds_in_turned_axes_too(mech):
    R = ct.lie.exp_so3([0.3, -0.5, 0.7])
    with refused(InertiaError, "'link'", "triangle inequality"):
        body_with(mech, inertia=R @ np.diag([1, 1, 2.1]) @ R.T)


def test_the_bound_of_the_triangle_inequality_is_allowed(mech):
    body_with(mech, inertia=(1, 1, 2))
    mech.body("rounded", 1.0, (0, 0, 0), (1, 1, 2 * (1 + 1e-8)))
    mech.body("rod", 1.0, (0, 0, 0), (0, 1, 1))
    assert len(mech.bodies) == 3


def test_an_inertia_that_is_not_symmetric(mech):
    with refused(InertiaError, "'link'", "not symmetric"):
        body_with(mech, inertia=[[1, 0.1, 0], [-0.1, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize("moments", [(-1, 1, 1), (1, -1e-3, 1)])
def test_a_negative_moment(mech, moments):
    with refused(InertiaError, "'link'", "negative principal moment", "mass centre"):
        body_with(mech, inertia=moments)


def test_a_negative_moment_in_hidden_axes(mech):
    with refused(InertiaError, "'link'", "negative principal moment"):
        body_with(mech, inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]])


# -- pose ----------------------------------------------------------------------------------------------------

NOT_RIGID = {
    "stretched": np.diag([1, 1, 1.01, 1]),
    "mirrored": np.diag([1, 1, -1, 1]),
    "sheared": np.array([[1, 0.1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]),
    "projective": np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0.1, 1.0]]),
    "scaled": np.diag([1, 1, 1, 2.0]),
    "transposed": np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [3, 4, 5, 1.0]]),
    "zero": np.zeros((4, 4)),
}


@pytest.mark.parametrize("pose", NOT_RIGID.values(), ids=NOT_RIGID)
def test_a_pose_that_is_not_rigid(mech, pose):
    with refused(FrameError, "'link'", "pose is not a pose", "(0, 0, 0, 1)"):
        body_with(mech, pose=pose)


@pytest.mark.parametrize("pose", [np.eye(3), 1.0, "joint", [1, 2, 3]])
def test_a_pose_is_4x4(mech, pose):
    with refused(ShapeError, "'link'", "pose must be a 4x4 array"):
        body_with(mech, pose=pose)


def test_rounded_rotations_are_made_orthogonal(mech):
    pose = np.eye(4)
    pose[:3, :3] = ct.lie.exp_so3([0.3, -0.5, 0.7]).round(7)
    R = body_with(mech, pose=pose).frame[:3, :3]
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-15
    assert np.abs(R - pose[:3, :3]).max() < 1e-6


# -- shapes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, -1.0])
def test_sizes_are_positive(size):
    for make, name in [
        (lambda: ct.Sphere((0, 0, 0), size), "Sphere"),
        (lambda: ct.Box((0, 0, 0), (1, size, 1)), "Box"),
        (lambda: ct.Cylinder((0, 0, 0), (1, 0, 0), size), "Cylinder"),
        (lambda: ct.Mesh("wheel.stl", scale=size), "wheel.stl"),
    ]:
        with refused(MassError, name, "must be positive"):
            make()
    with refused(MassError, "Rod", "radius", "positive"):
        ct.Rod((0, 0, 0), (1, 0, 0), -1.0)


@pytest.mark.parametrize("bad", NUMBERS_THAT_ARE_NONE)
def test_no_nan_or_infinity_in_a_shape(bad):
    point = (0, bad, 0)
    for make, name in [
        (lambda: ct.Sphere(point, 1), "Sphere"),
        (lambda: ct.Sphere((0, 0, 0), bad), "Sphere"),
        (lambda: ct.Box(point, (1, 1, 1)), "Box"),
        (lambda: ct.Box((0, 0, 0), (1, 1, bad)), "Box"),
        (lambda: ct.Box((0, 0, 0), (1, 1, 1), spoiled(np.eye(3), (0, 1), bad)), "Box"),
        (lambda: ct.Cylinder(point, (1, 0, 0), 1), "Cylinder"),
        (lambda: ct.Cylinder((0, 0, 0), point, 1), "Cylinder"),
        (lambda: ct.Cylinder((0, 0, 0), (1, 0, 0), bad), "Cylinder"),
        (lambda: ct.Rod(point, (1, 0, 0)), "Rod"),
        (lambda: ct.Rod((0, 0, 0), point), "Rod"),
        (lambda: ct.Rod((0, 0, 0), (1, 0, 0), bad), "Rod"),
        (lambda: ct.Mesh("wheel.stl", scale=bad), "wheel.stl"),
    ]:
        with refused(NotFiniteError, name, "finite"):
            make()


@pytest.mark.parametrize("shape", [ct.Rod, lambda a, b: ct.Cylinder(a, b, 0.1)])
def test_ends_that_coincide(shape):
    with refused(AxisError, "the line from a to b has zero length"):
        shape((1, 2, 3), (1, 2, 3))


def test_a_box_is_turned_by_a_rotation():
    with refused(FrameError, "Box", "rotation"):
        ct.Box((0, 0, 0), (1, 1, 1), np.diag([1, 1, -1]))
    with refused(ShapeError, "Box", "rotation must be a 3x3 array"):
        ct.Box((0, 0, 0), (1, 1, 1), (0, 0, 1))
    with refused(FrameError, "wheel.stl", "pose"):
        ct.Mesh("wheel.stl", pose=np.diag([1, 1, -1, 1]))


@pytest.mark.parametrize("shape", ["box", 3, ct.Box, object()])
def test_a_shape_that_is_none(mech, shape):
    with refused(ModelError, "'link'", "is not a shape", "ct.Rod"):
        body_with(mech, shape=shape)


@pytest.mark.parametrize("density", [0, -1000.0])
def test_densities_are_positive(mech, density):
    with refused(MassError, "'link'", "density", "positive"):
        mech.body("link", shape=ct.Sphere((0, 0, 0), 1), density=density)
    with refused(MassError, "Sphere", "density", "positive"):
        ct.Sphere((0, 0, 0), 1).mass_properties(density)


def test_densities_are_finite(mech):
    with refused(NotFiniteError, "'link'", "density"):
        mech.body("link", shape=ct.Sphere((0, 0, 0), 1), density=float("nan"))


@pytest.mark.parametrize("also", [{"mass": 1}, {"com": (0, 0, 0)}, {"inertia": (1, 1, 1)}])
def test_a_density_stands_alone(mech, also):
    with refused(MassError, "'link'", "replaces mass, com and inertia"):
        mech.body("link", shape=ct.Sphere((0, 0, 0), 1), density=1000, **also)


def test_a_density_needs_a_shape(mech):
    with refused(MassError, "'link'", "density needs a shape"):
        mech.body("link", density=1000)


def test_a_mesh_has_no_mass_properties(mech):
    with refused(MassError, "'link'", "wheel.stl", "give mass, com and inertia"):
        mech.body("link", shape=ct.Mesh("wheel.stl"), density=1000)


def test_a_users_shape_is_checked_like_numbers(mech):
    class Plate:
        def mass_properties(self, density):
            return ct.MassProperties(density, np.zeros(3), np.diag([1.0, 1.0, 3.0]))

    with refused(InertiaError, "'link'", "triangle inequality"):
        mech.body("link", shape=Plate(), density=7800)
