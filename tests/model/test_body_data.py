"""Mass centres from shapes, tensors about other points, and tensors that look like one about the origin."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import AxisError, InertiaError, MassError, ModelWarning, NotFiniteError, ShapeError

T, C = np.diag([0.1, 0.2, 0.25]), np.array([3.0, -4.0, 12.0])
STEINER = C @ C * np.eye(3) - np.outer(C, C)
ROD = ct.Rod((0, 0, 0), (1, 0, 0))


def body(**data):
    return ct.Mechanism().body("b", **data).properties


def test_the_mass_centre_of_a_shape():
    """A pendulum drawn level falls."""
    assert body(mass=2, inertia=(0.1, 0.1, 0.1), shape=ROD).com.tolist() == [0.5, 0, 0]
    assert body(mass=2, inertia=(1, 1, 1), shape=ct.Box((1, 2, 3), (1, 1, 1))).com.tolist() == [1, 2, 3]
    assert body(mass=2, inertia=(1, 1, 1), shape=ct.Sphere((0, 2, 0), 1)).com.tolist() == [0, 2, 0]
    assert body(mass=2, com=(0, 0, 0), inertia=(1, 1, 1), shape=ROD).com.tolist() == [0, 0, 0]
    assert body(mass=0, shape=ROD).com.tolist() == [0, 0, 0]
    assert body(mass=2, inertia=(1, 1, 1)).com.tolist() == [0, 0, 0]
    mech = ct.Mechanism("level")
    mech.body("rod", mass=1, inertia=(0.1, 0.1, 0.1), shape=ROD)
    mech.joint("pin", "ground", "rod", ct.Revolute((0, 0, 0), (0, 1, 0)))
    assert ct.simulate(mech, 0.2).q[-1][0] > 0.1


def test_mass_and_shape_alone():
    solid = ROD.mass_properties(1.0)
    found = body(mass=2.0, shape=ROD)
    np.testing.assert_allclose(found.inertia, solid.inertia * 2.0 / solid.mass, rtol=1e-14)


def test_a_shape_without_a_centre():
    with pytest.raises(
        MassError, match=r"body 'b': this shape does not determine a mass centre; give com: Mesh 'x.stl'"
    ):
        body(mass=1, inertia=(1, 1, 1), shape=ct.Mesh("x.stl"))


def test_tensors_about_other_points():
    for about, J in (("origin", T + 2 * STEINER), ((0, 0, 0), T + 2 * STEINER), (C, T), ("com", T)):
        np.testing.assert_allclose(body(mass=2, com=C, inertia=J, inertia_about=about).inertia, T, atol=1e-12)
    d = C - (1, 2, 3)
    J = T + 2 * (d @ d * np.eye(3) - np.outer(d, d))
    np.testing.assert_allclose(body(mass=2, com=C, inertia=J, inertia_about=(1, 2, 3)).inertia, T, atol=1e-12)


def test_bad_points():
    with pytest.raises(
        InertiaError, match=r"the inertia about .* is less than its mass at a distance of 13 m alone has"
    ):
        body(mass=2, com=C, inertia=T, inertia_about="origin")
    with pytest.raises(ShapeError, match="give 'com', 'origin' or a point"):
        body(mass=2, com=C, inertia=T, inertia_about="centre")
    with pytest.raises(ShapeError):
        body(mass=2, com=C, inertia=T, inertia_about=(1, 2))


def test_distances_whose_squares_overflow():
    for more in (
        {"com": (1e308, 1e308, 1e308)},
        {"com": (0, 1e154, 1e154)},
        {"com": C, "inertia_about": (0, 1e200, 0)},
    ):
        with pytest.raises(
            NotFiniteError, match=r"body 'b': a mass of 2 kg at .* m has a moment of inertia that overflows"
        ):
            body(mass=2, inertia=T, **more)
    assert body(mass=2, com=(0, 1e150, 0), inertia=T).com[1] == 1e150


@pytest.mark.parametrize("shape", [None, ct.Sphere(C, 0.6), ct.Box(C, (1, 1, 1)), ct.Cylinder(C - 0.5, C + 0.5, 0.1)])
def test_tensors_about_the_origin_are_doubted(shape):
    with pytest.warns(ModelWarning, match="looks like one about the origin") as seen:
        body(mass=2, com=C, inertia=T + 2 * STEINER, shape=shape)
    assert seen[0].filename == __file__


def test_near_ones_need_a_shape():
    """Half a metre away, a box of 0.2 m cannot have the tensor about the origin."""
    box = ct.Box((0.5, 0, 0), (0.2, 0.2, 0.2))
    p = box.mass_properties(1000.0)
    J = p.inertia + p.mass * np.diag([0, 0.25, 0.25])
    with pytest.warns(ModelWarning, match="looks like one about the origin"):
        body(mass=p.mass, com=p.com, inertia=J, shape=box)


@pytest.mark.parametrize(
    "data",
    [
        {"mass": 2, "com": C, "inertia": T},
        {"mass": 2, "com": C, "inertia": T + 2 * STEINER, "inertia_about": "com"},
        {"mass": 1, "com": (1, 0, 0), "inertia": (0, 1, 1)},  # two points, one of them at the origin
        {"mass": 1, "com": (0.5, 0, 0), "inertia": (0.001, 1 / 12, 1 / 12), "shape": ROD},
        {"mass": 1, "com": (0.5, 0, 0), "inertia": (0.26, 0.26, 0.26), "shape": ROD},  # a planar model
        {"mass": 1, "com": (0.25, 0, 0), "inertia": (0.001, 1 / 12, 1 / 12)},
        {"mass": 0, "com": (1, 0, 0), "inertia": (0, 0, 0)},
    ],
)
def test_other_tensors_are_not(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body(**data)


ABOUT_ORIGIN = [  # mass, com, tensor about the mass centre
    (2.0, (1, 2, 3), np.diag([0.5, 0.6, 0.7])),
    (2.0, (1, 2, 3), np.diag([5.0, 6.0, 7.0])),
    (2.0, (1, 2, 3), np.diag([40.0, 50.0, 60.0])),  # products alone tell
    (2.0, (1, 2, 3), np.zeros((3, 3))),
    (2.0, (1, -2, 0.5), np.array([[0.5, 0.1, 0.0], [0.1, 0.6, -0.1], [0.0, -0.1, 0.7]])),
    (3.0, (0, 0, 1.0), np.diag([0.2, 0.2, 0.1])),
]


@pytest.mark.parametrize(("mass", "com", "own"), ABOUT_ORIGIN)
def test_parallel_axes(mass, com, own):
    """A tensor about the origin, by Steiner's theorem, is doubted however large the body; about the mass centre it is not."""
    d = np.array(com, dtype=float)
    offset = mass * (d @ d * np.eye(3) - np.outer(d, d))
    with pytest.warns(ModelWarning, match="looks like one about the origin"):
        body(mass=mass, com=com, inertia=own + offset)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body(mass=mass, com=com, inertia=own)
        body(mass=mass, com=com, inertia=own + offset, inertia_about="origin")


UNITS = {"kg mm^2": 1e6, "kg cm^2": 1e4, "g mm^2": 1e9}
SOLIDS = [ct.Box((0.2, 0.1, 0), (0.1, 0.1, 0.1)), ct.Rod((0, 0, 0), (1, 0, 0)), ct.Sphere((0, 0, 0), 0.05),
          ct.Cylinder((0, 0, 0), (0, 0, 0.01), 0.3)]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("solid", [*SOLIDS, SOLIDS[:2]], ids=lambda s: type(s).__name__)
def test_units_of_inertia_that_no_body_of_this_shape_has(solid, unit):
    mech = ct.Mechanism()
    p = mech.body("right", shape=solid, density=2700).properties
    for about in (None, "origin"):
        offset = p.mass * (p.com @ p.com * np.eye(3) - np.outer(p.com, p.com)) * (about is not None)
        with pytest.warns(
            ModelWarning, match=r"within its shape have at most .* kg m\^2 about the mass centre"
        ) as seen:
            mech.body(f"{about}", p.mass, p.com, p.inertia * UNITS[unit] + offset, shape=solid, inertia_about=about)
        assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech.body("again", p.mass, p.com, p.inertia, shape=solid)
        mech.body("confirmed", p.mass, p.com, p.inertia * UNITS[unit], shape=solid, inertia_about="com")


@pytest.mark.parametrize(
    "data",
    [
        {"mass": 1, "com": (0, 0, 0), "inertia": (0.25, 0.25, 0.5), "shape": ct.Cylinder((0, 0, -0.001), (0, 0, 0.001), 1.0)},
        {"mass": 1, "com": (0, 0, 0), "inertia": (0.5, 0.5, 1.0), "shape": ct.Cylinder((0, 0, -0.001), (0, 0, 0.001), 1.0)},
        {"mass": 1, "com": (0.5, 0, 0), "inertia": (0, 0.25, 0.25), "shape": ct.Rod((0, 0, 0), (1, 0, 0), 1e-6)},
        {"mass": 1, "com": (1, 0, 0), "inertia": (0, 0, 0), "shape": ct.Rod((0, 0, 0), (1, 0, 0))},
        {"mass": 1e-9, "com": (0, 0, 0), "inertia": (1e-15, 1e-15, 1e-15), "shape": ct.Sphere((0, 0, 0), 0.002)},
        {"mass": 1e9, "com": (0, 0, 0), "inertia": (1e12, 1e12, 1e12), "shape": ct.Box((0, 0, 0), (100, 100, 100))},
        {"mass": 0, "com": (0, 0, 0), "inertia": (1, 1, 1), "shape": ct.Sphere((0, 0, 0), 0.002)},  # a rotor
        {"mass": 1, "com": (0, 0, 0), "inertia": (9, 9, 9), "shape": ct.Mesh("part.stl")},
        {"mass": 5, "com": (0.1, 0.1, 0), "inertia": (1, 1, 2)},  # a wheel around the origin, off centre
    ],
)  # fmt: skip
def test_thin_and_extreme_bodies_are_not_doubted(data):
    """Disk, ring, two points at the ends of a rod, a bob at the end of a rod, a grain, a ship."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body(**data)


def test_a_mass_alone_is_said_to_be_a_point_at_the_origin():
    mech = ct.Mechanism()
    with pytest.warns(
        ModelWarning, match="'bob': a mass without com, inertia and shape is a point at the world's"
    ) as seen:
        mech.body("bob", mass=1)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech.body("meant", mass=1, com=(0, 0, 0))
        mech.body("framed", mass=1, pose=np.eye(4))
        mech.body("link", mass=0)
        mech.body("rod", mass=1, shape=ROD)


@pytest.mark.parametrize("kind", [ct.Prismatic, ct.Schoenflies])
def test_axis_and_point_by_name(kind):
    """The order of the two differs from that of other joints, so that it is not relied on."""
    with pytest.raises(AxisError, match=rf"use keywords, as in ct.{kind.__name__}\(axis="):
        kind((1, 2, 3), (1, 0, 0))
    assert kind((0, 1, 0)).axis == (0, 1, 0)
    assert kind((0, 1, 0), point=(1, 2, 3)) == kind(point=(1, 2, 3), axis=(0, 1, 0))


def test_what_is_confirmed_is_confirmed_in_files(tmp_path):
    mech = ct.Mechanism("confirmed")
    mech.body("a", mass=1, com=(0, 0, 0), inertia=(9, 9, 9), shape=ct.Sphere((0, 0, 0), 0.1), inertia_about="com")
    mech.body("b", mass=1, com=(0, 0, 0), inertia=(1e-3, 1e-3, 1e-3), shape=ct.Sphere((0, 0, 0), 0.1))
    ct.save(mech, tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    assert text.count("inertia_about") == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ct.load(tmp_path / "m.json")
    (tmp_path / "m.json").write_text(text.replace("inertia_about", "density").replace('"com"\n', "null\n"))
    with pytest.warns(ModelWarning, match="body 'a': the largest principal moment of inertia is 9 kg m"):
        ct.load(tmp_path / "m.json")


@pytest.mark.parametrize("name", [n for n in ct.gallery.__all__ if n != "named"])
def test_bodies_of_the_gallery_are_not_doubted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(ct.gallery, name)()
