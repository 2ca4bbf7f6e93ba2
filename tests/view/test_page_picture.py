"""The picture in a page: every shape and joint has parts, in the right place, and the eye sees them."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cotree as ct
from cotree.model import joints as joint_module
from cotree.model.joints import Joint
from cotree.model.mesh_files import MOST, fewer, read_stl, triangles_of
from cotree.view.scene.frames import frames
from cotree.view.scene.geometry import shape_parts
from cotree.view.scene.outlook import direction_to_eye, outermost, upwards
from cotree.view.scene.parts import across, extreme_points, numbers
from cotree.view.scene.reference import reference
from tests.model.builders import four_bar
from tests.random_mechanisms import random_tree
from tests.view.pages import data_of, made_run, poses_in, swung

KINDS = [
    kind for kind in vars(joint_module).values()
    if isinstance(kind, type) and issubclass(kind, Joint) and kind is not Joint and not kind.__name__.startswith("_")
]  # fmt: skip
FRAME = np.array([[0, 0, 1, 0.1], [1, 0, 0, 0.2], [0, 1, 0, 0.3], [0, 0, 0, 1.0]])
SHAPES = {
    "rod": (ct.Rod((1, 0, 0), (3, 0, 0)), (0.96, -0.04, -0.04), (3.04, 0.04, 0.04)),
    "cylinder": (ct.Cylinder((0, 0, 1), (0, 0, 2), 0.5), (-0.5, -0.5, 1), (0.5, 0.5, 2)),
    "sphere": (ct.Sphere((1, 2, 3), 0.5), (0.5, 1.5, 2.5), (1.5, 2.5, 3.5)),
    "box": (ct.Box((1, 2, 3), (1, 2, 4)), (0.5, 1, 1), (1.5, 3, 5)),
    "turned box": (ct.Box((0, 0, 0), (1, 2, 4), FRAME[:3, :3]), (-2, -0.5, -1), (2, 0.5, 1)),
}


def extent(parts):
    points = np.concatenate([extreme_points(part) for part in parts])
    return points.min(axis=0), points.max(axis=0)


def at(frames_of_parts, parts):
    """Extreme points of parts, moved by a pose (4, 4)."""
    points = np.concatenate([extreme_points(part) for part in parts])
    return points @ frames_of_parts[:3, :3].T + frames_of_parts[:3, 3]


# -- shapes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_reaches_as_far_as_it_should(name):
    shape, low, high = SHAPES[name]
    centre = np.array([0.3, -0.2, 0.1])
    found = extent(shape_parts(shape, centre))
    slack = 0.041 if name == "rod" else 1e-9  # its rounded ends count as flat
    np.testing.assert_allclose(found[0], np.subtract(low, centre), atol=slack)
    np.testing.assert_allclose(found[1], np.subtract(high, centre), atol=slack)


def test_every_shape_of_the_catalogue_is_known():
    """Those above and meshes, which have tests of their own."""
    from cotree.model import shapes

    known = {type(shape).__name__ for shape, _, _ in SHAPES.values()} | {"Mesh"}
    there = {n for n, c in vars(shapes).items() if hasattr(c, "mass_properties") and n not in ("Shape", "Compound")}
    assert there == known


def stl(triangles):
    record = b"".join(struct.pack("<12fH", 0, 0, 0, *np.ravel(t), 0) for t in triangles)
    return b"solid looks like text".ljust(80) + struct.pack("<I", len(triangles)) + record


TRIANGLES = np.array([[[0, 0, 0], [1, 0, 0], [0, 2, 0]], [[0, 0, 0], [0, 2, 0], [0, 0, 3]]], dtype=float)
STL_TEXT = "solid a\n" + "".join(
    "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in t) + "endloop\nendfacet\n"
    for t in TRIANGLES
)
OBJ = "# corners\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nvn 0 0 1\nf 1//1 2//1 3//1\nf -4 -2 -1\n"
QUAD = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/1 3/1 4/1\n"


FILES = [("a.stl", stl(TRIANGLES)), ("b.STL", STL_TEXT.encode()), ("c.obj", OBJ.encode())]


@pytest.mark.parametrize(("name", "content"), FILES)
def test_meshes_of_each_format(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    np.testing.assert_allclose(triangles_of(ct.Mesh(tmp_path / name)), TRIANGLES)
    moved = triangles_of(ct.Mesh(tmp_path / name, 2.0, FRAME))
    np.testing.assert_allclose(moved, 2 * TRIANGLES @ FRAME[:3, :3].T + FRAME[:3, 3])
    low, high = extent(shape_parts(ct.Mesh(tmp_path / name), np.ones(3)))
    np.testing.assert_allclose([low, high], [[-1, -1, -1], [0, 1, 2]])


def test_faces_of_many_corners(tmp_path):
    (tmp_path / "quad.obj").write_text(QUAD)
    found = triangles_of(ct.Mesh(tmp_path / "quad.obj"))
    area = np.linalg.norm(np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]), axis=1) / 2
    assert len(found) == 2
    assert area.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "content", [b"", b"solid a\nvertex 1 2\n", b"solid a\nvertex nan 0 0\nvertex 0 0 0\nvertex 1 0 0\n"]
)
def test_broken_meshes_are_none(content, tmp_path):
    (tmp_path / "a.stl").write_bytes(content)
    assert triangles_of(ct.Mesh(tmp_path / "a.stl")) is None


def test_no_mesh(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nf 1 2 3\n")
    (tmp_path / "a.dae").write_text("<x/>")
    for name in ("a.obj", "a.dae", "none.stl"):
        assert triangles_of(ct.Mesh(tmp_path / name)) is None


def test_a_mesh_that_is_not_there_is_said_and_replaced():
    mech = ct.Mechanism("one")
    mech.body("b", 1, (0.5, 0, 0), (0.1, 0.1, 0.1), shape=ct.Mesh("gone.stl"))
    mech.joint("j", "ground", "b", ct.Revolute())
    data = data_of(made_run(mech, [0.0]))
    assert data["notes"] == [
        "The mesh 'gone.stl' could not be read (STL and OBJ files up to 100 MB are supported; GLB, glTF, PLY and others where "
        "trimesh is installed); it is left out, and bars are drawn where a body has no other shape."
    ]
    assert {part["kind"] for part in data["bodies"][0]["parts"]} == {"sphere", "capsule"}


def ball(n):
    """Triangles of a unit ball, about 2 n^2."""
    u, w = np.meshgrid(np.linspace(0, np.pi, n + 1), np.linspace(0, 2 * np.pi, n + 1), indexing="ij")
    P = np.stack([np.sin(u) * np.cos(w), np.sin(u) * np.sin(w), np.cos(u)], axis=-1)
    a, b, c, d = P[:-1, :-1], P[1:, :-1], P[1:, 1:], P[:-1, 1:]
    return np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)


def area(triangles):
    return (
        np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1).sum() / 2
    )


def test_large_meshes_become_coarse_and_stay_what_they_are():
    fine = ball(150)
    assert len(fine) > 2 * MOST
    coarse = fewer(fine)
    assert 0.2 * MOST < len(coarse) <= MOST
    assert np.abs(np.linalg.norm(coarse, axis=2) - 1).max() < 0.04
    assert area(coarse) == pytest.approx(4 * np.pi, rel=0.03)
    np.testing.assert_array_equal(fewer(TRIANGLES), TRIANGLES)
    np.testing.assert_allclose(read_stl(stl(fine[:5])), fine[:5], atol=1e-7)


# -- joints --------------------------------------------------------------------------------------------------


def one_joint(kind):
    mech = ct.Mechanism("one")
    joint = kind(pitch=0.2) if kind is ct.Helical else kind()
    mech.body("b", 1, (0.5, 0.2, 0.1), (0.1, 0.1, 0.1))
    mech.joint("j", "ground", "b", joint)
    return mech


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_joint_of_the_catalogue_has_a_sign(kind):
    data = data_of(swung(one_joint(kind), rows=2))
    (joint,) = data["joints"]
    assert joint["kind"] == kind.__name__
    assert joint["glyphs"]
    for glyph in joint["glyphs"]:
        low, high = extent(glyph["parts"])
        assert np.all(np.isfinite([low, high]))
        assert 2 * data["size"] > np.linalg.norm(high - low) / 20 > 0.01 * data["size"]
    assert {glyph["body"] for glyph in joint["glyphs"]} == ({0, 1} if kind is ct.Universal else {1})


def count(parts, kind):
    return sum(part["kind"] == kind for part in parts)


@pytest.mark.parametrize(
    ("kind", "pins", "heads", "balls"),
    [
        (ct.Revolute, 1, 0, 0), (ct.Prismatic, 1, 2, 0), (ct.Cylindrical, 2, 2, 0), (ct.Spherical, 0, 0, 1),
        (ct.Planar, 3, 4, 0), (ct.PlanarTranslation, 2, 4, 0), (ct.Translation, 3, 6, 0), (ct.Schoenflies, 4, 6, 0),
        (ct.Universal, 2, 0, 1), (ct.Free, 3, 0, 0), (ct.Helical, 1, 0, 0), (ct.Weld, 0, 0, 0),
    ],
)  # fmt: skip
def test_signs_say_what_a_joint_does(kind, pins, heads, balls):
    """A pin for a rotation, an arrow with two heads for a translation."""
    (joint,) = data_of(swung(one_joint(kind), rows=2))["joints"]
    parts = [part for glyph in joint["glyphs"] for part in glyph["parts"]]
    assert (count(parts, "cylinder"), count(parts, "cone"), count(parts, "sphere")) == (pins, heads, balls)
    assert (count(parts, "capsule") > 0) == (kind is ct.Helical)
    assert count(parts, "box") == (kind is ct.Weld)


def test_threads_have_the_hand_of_their_pitch():
    """Along the axis a right-handed thread turns counter-clockwise."""
    for pitch in (0.1, -0.1):
        mech = ct.Mechanism("screw")
        mech.body("b", 1, (0.5, 0, 0), (0.1, 0.1, 0.1))
        mech.joint("j", "ground", "b", ct.Helical((0, 0, 0), (0, 0, 1), pitch))
        (joint,) = data_of(made_run(mech, [0.0]))["joints"]
        pieces = [p for p in joint["glyphs"][0]["parts"] if p["kind"] == "capsule"]
        a, b = (np.array([p[end] for p in pieces]) + np.array([0.5, 0, 0]) for end in "ab")  # about the axis
        turn = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        assert np.all(np.sign(turn * (b - a)[:, 2]) == np.sign(pitch))


@pytest.mark.parametrize("make", [four_bar, ct.gallery.bricard, ct.gallery.stewart, ct.gallery.three_prrr])
def test_signs_stay_where_both_bodies_have_the_joint(make):
    """Along a motion the joint is at the same place seen from parent and from child, also where it is cut: a test of the
    places by the loop closure."""
    run = ct.simulate(make(), 0.3, output=5)
    found = frames(run)
    ref = reference(run.system, found.origin)
    C = np.broadcast_to(np.eye(4), (len(found.t), run.system.n_bodies + 1, 4, 4)).copy()
    C[:, 1:] = poses_in(data_of(run))
    C[:, 1:, :3, 3] = found.centres
    for k, connection in enumerate(ref.joints):
        slides = any(i >= 3 for i in connection.joint.free)
        a, b = (C[:, row] @ side[k] for row, side in zip(ref.ends[k], (ref.on_parent, ref.on_child), strict=True))
        if not slides:
            np.testing.assert_allclose(a[:, :3, 3], b[:, :3, 3], atol=1e-6)
        if type(connection.joint) in (ct.Revolute, ct.Prismatic):
            np.testing.assert_allclose(a[:, :3, 2], b[:, :3, 2], atol=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_signs_are_at_the_joints_of_random_trees(seed, n):
    """In bodies described in frames of their own, too: in the reference assembly both sides agree."""
    mech = random_tree(np.random.default_rng(seed), n).mechanism()
    system = mech.compile()
    ref = reference(system, np.zeros(3))
    C = ct.poses(system, system.q0)
    C[:, :3, 3] += np.einsum("nij,nj->ni", C[:, :3, :3], ref.centres)
    for k in range(len(ref.joints)):
        a, b = (C[row] @ side[k] for row, side in zip(ref.ends[k], (ref.on_parent, ref.on_child), strict=True))
        np.testing.assert_allclose(a[:3, 3], b[:3, 3], atol=1e-9 * (1 + np.abs(a).max()))


def test_cut_joints_are_marked():
    data = data_of(made_run(four_bar(), np.zeros(3), system=four_bar().compile(cut=["B"])))
    assert {joint["name"]: joint["cut"] for joint in data["joints"]} == {"A": False, "B": True, "C": False, "D": False}


# -- bodies without shapes, springs ---------------------------------------------------------------------------


def test_bars_lead_from_the_mass_centre_to_the_joints():
    mech = ct.Mechanism("bare")
    mech.body("b", 1, (0.5, 0.5, 0), (0.1, 0.1, 0.1))
    mech.body("c", 1, (2, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("j", "ground", "b", ct.Revolute((0, 0, 0)))
    mech.joint("k", "b", "c", ct.Revolute((1, 0, 0)))
    parts = data_of(made_run(mech, np.zeros(2)))["bodies"][0]["parts"]
    assert parts[0]["kind"] == "sphere"
    assert parts[0]["center"] == [0, 0, 0]
    assert sorted(tuple(p["b"]) for p in parts[1:]) == [(-0.5, -0.5, 0), (0.5, -0.5, 0)]
    assert all(p["a"] == [0, 0, 0] for p in parts[1:])


def test_a_lonely_body_shows_how_it_turns():
    mech = ct.Mechanism("stone")
    mech.body("stone", 1, (3, 0, 0), (0.4, 0.4, 0.4))
    mech.joint("free", "ground", "stone", ct.Free())
    data = data_of(swung(mech, rows=2))
    low, high = extent(data["bodies"][0]["parts"])
    assert np.all(high - low > 0.3)  # a ball of this inertia has a radius of one metre
    assert count(data["bodies"][0]["parts"], "capsule") == 3


def test_a_point_mass_has_some_size():
    mech = ct.Mechanism("point")
    mech.body("p", 1, (0, 0, 0))
    mech.joint("free", "ground", "p", ct.Translation())
    data = data_of(swung(mech, rows=2))
    assert data["size"] > 0


def test_what_rolls_is_round():
    mech = ct.Mechanism("coin")
    mech.body("coin", 1, (0, 0, 1), (0.1, 0.2, 0.1))
    mech.body("marble", 1, (3, 0, 0.5), (0.1, 0.1, 0.1))
    for name in ("coin", "marble"):
        mech.joint(name, "ground", name, ct.Free())
    mech.rolling("on the floor", "coin", (0, 0, 1), 1.0, axis=(0, 1, 0))
    mech.rolling("too", "marble", (3, 0, 0.5), 0.5)
    system = mech.compile()
    disk, sphere = (body["parts"] for body in data_of(made_run(mech, system.q0, system=system))["bodies"])
    np.testing.assert_allclose(extent(disk), [[-1, -0.04, -1], [1, 0.04, 1]])
    np.testing.assert_allclose(extent(sphere), [[-0.5] * 3, [0.5] * 3])


def test_springs_and_distances_end_where_they_are_fixed():
    mech = ct.Mechanism("tied")
    frame = FRAME.copy()
    mech.body("b", 1, (0.1, 0, 0), (0.1, 0.1, 0.1), pose=frame)
    mech.joint("j", "ground", "b", ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.spring("spring", "ground", (1, 2, 3), "b", (0.2, 0.3, 0.4), 10.0)
    mech.distance("bar", "b", (0, 0, 0), "ground", (4, 5, 6))
    run = made_run(mech, [0.0, 0.7])
    data = data_of(run)
    spring, bar = data["ties"]
    assert (spring["kind"], spring["body_a"], spring["body_b"]) == ("spring", 0, 1)
    assert (bar["kind"], bar["body_a"], bar["body_b"]) == ("distance", 1, 0)
    np.testing.assert_allclose(np.add(spring["point_a"], data["origin"]), (1, 2, 3), atol=1e-6)
    np.testing.assert_allclose(np.add(spring["point_b"], data["bodies"][0]["centre"]), (0.2, 0.3, 0.4), atol=1e-6)
    np.testing.assert_allclose(np.add(bar["point_b"], data["origin"]), (4, 5, 6), atol=1e-6)
    for row, C in enumerate(run.poses()[:, 1]):  # both ends are in view all the time
        for point in ((1, 2, 3), (4, 5, 6), (C @ (0.2, 0.3, 0.4, 1))[:3], C[:3, 3]):
            assert np.all(np.add(data["view"]["low"], data["origin"]) <= np.array(point) + 1e-6), row
            assert np.all(np.add(data["view"]["high"], data["origin"]) >= np.array(point) - 1e-6), row


# -- the eye -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [getattr(ct.gallery, n) for n in ct.gallery.__all__], ids=lambda m: m.__name__)
def test_the_eye_is_outside_and_the_floor_is_below(make):
    run = swung(make(), rows=5)
    data = data_of(run)
    view = data["view"]
    np.testing.assert_allclose([np.linalg.norm(view["eye"]), np.linalg.norm(view["up"])], 1.0)
    assert 0.2 < np.dot(view["eye"], view["up"]) < 0.9
    C = poses_in(data)
    C[..., :3, 3] = frames(run).centres
    rolls = any(hasattr(c, "plane_normal") and c.surface == "ground" for c in run.system.mechanism.constraints.values())
    for k, body in enumerate(data["bodies"]):
        for pose in C[:, k]:
            points = at(pose, body["parts"])
            assert np.all(points >= np.array(view["low"]) - 1e-5)
            assert np.all(points <= np.array(view["high"]) + 1e-5)
            assert rolls or np.all(points @ view["up"] > view["floor"])


def test_what_rolls_on_ground_stands_on_the_floor():
    """The plane that is rolled on, wherever the page's origin is; no floor of that kind where planes differ."""
    mech = ct.Mechanism("ball")
    mech.body("ball", 1, (0, 0, 2.5), (0.1, 0.1, 0.1))
    mech.joint("free", "ground", "ball", ct.Free())
    mech.rolling("on a table", "ball", (0, 0, 2.5), 0.5, plane_point=(7, 8, 2))
    data = data_of(made_run(mech, mech.compile().q0, system=mech.compile()))
    assert data["view"]["floor"] + data["origin"][2] == pytest.approx(2.0, abs=1e-6)
    mech.body("other", 1, (3, 0, 0.5), (0.1, 0.1, 0.1))
    mech.joint("free too", "ground", "other", ct.Free())
    mech.rolling("on the ground", "other", (3, 0, 0.5), 0.5)
    data = data_of(made_run(mech, mech.compile().q0, system=mech.compile()))
    assert data["view"]["floor"] + data["origin"][2] < 0.0


def test_up_is_against_gravity():
    np.testing.assert_allclose(upwards(np.array([0.0, -9.81, 0.0])), (0, 1, 0))
    np.testing.assert_allclose(upwards(np.zeros(3)), (0, 0, 1))


def test_flat_motions_are_seen_across_their_plane():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(300, 3)) * (3, 2, 0.01)
    standing = direction_to_eye(points, np.array([0.0, 1.0, 0.0]))
    lying = direction_to_eye(points, np.array([0.0, 0.0, 1.0]))
    assert standing[2] > 0.8  # from the front
    assert lying[2] > 0.7  # from above


def test_the_outermost_points_bound_the_others():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(2000, 3))
    hull, directions = outermost(points), rng.normal(size=(200, 3))
    assert len(hull) <= 100
    most, found = (points @ directions.T).max(axis=0), (hull @ directions.T).max(axis=0)
    assert np.all(found > 0.85 * most)
    assert np.median(found / most) > 0.97


@given(st.lists(st.floats(-10, 10), min_size=3, max_size=3))
def test_vectors_across(axis):
    e, f = across(np.array(axis))
    np.testing.assert_allclose([e @ e, f @ f, e @ f], [1, 1, 0], atol=1e-9)
    u = np.array(axis) / (np.abs(axis).max() or 1.0)
    np.testing.assert_allclose([e @ u, f @ u], 0, atol=1e-9)


def test_numbers_are_short():
    assert numbers(1 / 3) == 0.33333333
    assert numbers(np.array([1 / 3, 1e-9])) == [0.33333333, 1e-9]
