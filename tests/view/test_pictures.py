"""Shapes with colours, meshes, floor, scenery, paths, elements and arrows: what is drawn is what the user and the run have."""

import base64

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, ModelError, UnknownNameError
from cotree.model.shapes import Compound
from cotree.view.page.data import page_data
from cotree.view.scene import scene_of
from cotree.view.scene.frames import frames, still
from cotree.view.scene.motion import path_of_point
from tests.view.pages import made_run
from tests.view.rigs import rig


@pytest.fixture(scope="module")
def run():
    return ct.simulate(rig(), 0.5, output=21)


def scene(mech):
    system = mech.compile()
    return scene_of(system, still(system, system.q0))


def test_several_shapes_weigh_as_bodies_welded_together():
    parts = [
        ct.Box((0.3, 0, 0), (0.4, 0.1, 0.2)),
        ct.Cylinder((0.6, 0, -0.2), (0.6, 0.1, 0.3), 0.07),
        ct.Sphere((1, 0.2, 0), 0.1),
    ]
    one = ct.Mechanism()
    one.joint("hinge", one.ground, one.body("all", shape=parts, density=700), ct.Spherical((0, 0, 0)))
    several = ct.Mechanism()
    bodies = [several.body(f"part {k}", shape=part, density=700) for k, part in enumerate(parts)]
    several.joint("hinge", several.ground, bodies[0], ct.Spherical((0, 0, 0)))
    for k in (1, 2):
        several.joint(f"weld {k}", bodies[0], bodies[k], ct.Weld())
    a, b = (m.compile() for m in (one, several))
    q = a.q0.copy()
    q[:4] = np.array([0.8, 0.2, -0.4, 0.4]) / np.linalg.norm([0.8, 0.2, -0.4, 0.4])
    np.testing.assert_allclose(ct.mass_matrix(a, q), ct.mass_matrix(b, q), rtol=1e-12)
    np.testing.assert_allclose(ct.forward_dynamics(a, q).v_dot, ct.forward_dynamics(b, q).v_dot, rtol=1e-11)


def test_colours_are_names_hexadecimal_numbers_or_fractions():
    said = [ct.Sphere((0, 0, 0), 1, color=c).color for c in ("red", "#ABCDEF", "#abc", (1, 0, 0.5), None)]
    assert said == ["#d62728", "#abcdef", "#aabbcc", "#ff0080", None]
    for wrong in ("reddish", "#12", (1, 2, 3), (1, 0), 3.0, object()):
        with pytest.raises(ArgumentError, match="color"):
            ct.Rod((0, 0, 0), (1, 0, 0), color=wrong)
    for wrong in (0.0, 1.1, -1):
        with pytest.raises(ArgumentError, match="opacity"):
            ct.Box((0, 0, 0), (1, 1, 1), opacity=wrong)


@pytest.mark.parametrize("kind", ["json", "yaml", "toml"])
def test_files_keep_shapes_colours_floor_scenery_and_traces(tmp_path, kind):
    mech = rig()
    ct.save(mech, tmp_path / f"rig.{kind}")
    back = ct.load(tmp_path / f"rig.{kind}")
    for name, body in mech.bodies.items():
        assert back.bodies[name].shape == body.shape
    assert isinstance(back.bodies["crank"].shape, Compound)
    assert back.scenery_shapes == mech.scenery_shapes
    assert back.floor_plane.point.tolist() == [0, -0.6, 0]
    assert back.floor_plane.normal is None
    assert back.traces["tip"].color == "#d62728"
    assert back.traces["tip"].point.tolist() == [1.5, 1.6, 0]
    back.floor(None)
    ct.save(back, tmp_path / "none.json")
    assert not ct.load(tmp_path / "none.json").floor_plane.shown


@pytest.mark.parametrize("kind", ["urdf", "xml"])
def test_robot_files_keep_all_shapes_and_their_colours(tmp_path, kind):
    if kind == "xml":
        pytest.importorskip("mujoco")
    mech = ct.Mechanism("arm")
    shapes = [ct.Box((0.5, 0, 0), (1, 0.1, 0.1), color="#336699", opacity=0.5), ct.Sphere((1, 0, 0), 0.2)]
    mech.joint("hinge", mech.ground, mech.body("arm", shape=shapes, density=100.0), ct.Revolute((0, 0, 0), (0, 1, 0)))
    ct.save(mech, tmp_path / f"arm.{kind}")
    found = ct.load(tmp_path / f"arm.{kind}").bodies["arm"].shape.shapes
    assert [type(s).__name__ for s in found] == ["Box", "Sphere"]
    assert [(s.color, s.opacity) for s in found] == [("#336699", 0.5), (None, 1.0)]


@pytest.mark.parametrize("kind", ["glb", "ply", "stl", "obj"])
def test_meshes_of_many_formats_have_the_same_triangles(tmp_path, kind):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1, 2, 3)).export(tmp_path / f"box.{kind}")
    mech = ct.Mechanism()
    shape = ct.Mesh(tmp_path / f"box.{kind}", scale=2.0, color="gold")
    mech.joint(
        "hinge",
        mech.ground,
        mech.body("box", 1.0, (0, 0, 0), (1, 1, 1), shape=shape),
        ct.Revolute((0, 0, 0), (0, 1, 0)),
    )
    (part,) = scene(mech).drawing.parts[0]
    assert part["color"] == "#d4a017"
    np.testing.assert_allclose([part["low"], part["high"]], [[-1, -2, -3], [1, 2, 3]], atol=1e-6)
    corners = np.frombuffer(base64.b64decode(part["triangles"]), "<f4").reshape(-1, 3, 3)
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    assert area == pytest.approx(2 * (8 + 12 + 24), rel=1e-5)
    (tmp_path / f"box.{kind}").write_bytes(b"nothing of this kind")
    assert f"box.{kind}" in scene(mech).drawing.notes[0]


def test_elements_are_drawn_each_as_what_it_is():
    mech = rig()
    mech.bump_stop("stop", "ground", (1, 3, 0), "coupler", (1.5, 1.1, 0), stiffness=10.0, length=0.2)
    mech.force_between("ram", "ground", (0, 1, 0), "coupler", (1.5, 1.1, 0), 3.0)
    mech.cable("cable", [("ground", (0, 3, 0)), ("crank", (0.6, 0.8, 0)), ("rocker", (2.45, 0.7, 0))], stiffness=10.0)
    mech.bushing("rubber", "crank", "coupler", (0.6, 0.8, 0), stiffness=(1, 1, 1, 1, 1, 1))
    mech.joint_damper("oil", "B", 0.1)
    mech.drive("turn", "D", lambda t: 0.1 * t)
    mech.brake("C", 1.0, name="brake")
    made = scene(mech).drawing
    kinds = {tie["name"]: tie["kind"] for tie in made.ties}
    assert kinds == {
        "spring": "spring", "dashpot": "damper", "rope": "rope", "stop": "bump stop", "ram": "actuator", "cable": "cable",
    }  # fmt: skip
    assert sum(tie["name"] == "cable" for tie in made.ties) == 2
    assert {f["name"]: f["kind"] for f in made.fittings} == {
        "engine": "motor", "torsion": "joint spring", "rubber": "bushing", "oil": "joint damper", "turn": "drive",
        "brake": "brake",
    }  # fmt: skip
    first = next(tie for tie in made.ties if tie["name"] == "rope")
    assert first["length"] == pytest.approx(np.hypot(1.2, 1.0))


def test_the_floor_is_where_the_user_puts_it():
    mech = rig()
    view, origin = scene(mech).view, scene(mech).frames.origin
    assert view["floor"] + origin[1] == pytest.approx(-0.6)
    mech.floor((0, -1, 0), normal=(1, 1, 0))
    tilted = scene(mech)
    n = np.array([1, 1, 0]) / np.sqrt(2)
    np.testing.assert_allclose(tilted.view["normal"], n, atol=1e-7)
    assert tilted.view["floor"] + tilted.frames.origin @ n == pytest.approx(-1 / np.sqrt(2), abs=1e-7)
    mech.floor(None)
    assert scene(mech).view["floor_shown"] is False
    with pytest.raises(ModelError, match="normal"):
        mech.floor((0, 0, 0), normal=(0, 0, 0))
    for wrong in ("box", None, [], [3]):
        with pytest.raises(ModelError, match="scenery"):
            mech.scenery(wrong)
    with pytest.raises(UnknownNameError, match="coupler"):
        mech.trace("path", "couplr")


def test_paths_pass_where_the_sensors_have_the_point(run):
    found = frames(run)
    trace = scene_of(run.system, found).drawing.traces[0]
    path = path_of_point(found, trace["body"], np.array(trace["point"])) + found.origin
    read = run.point("coupler", (1.5, 1.6, 0)).position
    np.testing.assert_allclose(path[:: (len(path) - 1) // 20], read, atol=1e-6)
    finer = ct.simulate(run.system, 0.5, output=41).point("coupler", (1.5, 1.6, 0)).position
    np.testing.assert_allclose(path[4::8], finer[1::2], atol=2e-5)


def test_moments_that_are_rounding_errors_are_not_drawn(tmp_path):
    """A slide whose load acts at its own point."""
    mech = ct.Mechanism("crane")
    mech.body("trolley", mass=100.0, com=(0, 0, 0), inertia=(1, 1, 1))
    mech.joint("rail", "ground", "trolley", ct.Prismatic(axis=(1, 0, 0)))
    mech.force("wind", "trolley", (1.0, 2.0, 0.1), point=(1e-15, 2e-15, 0))
    run = ct.simulate(mech, 0.1, output=3)
    assert 0.0 < np.abs(run.reaction("rail").moment).max() < 1e-12
    made = page_data(run, arrows=True)["arrows"]
    assert list(made["scales"]) == ["N"]
    assert {a["unit"] for a in made["items"]} == {"N"}
    run.picture(tmp_path / "crane.png", arrows=True, size=(60, 40))


def test_arrows_are_the_reactions_and_forces_of_the_run(run):
    made = {(a["name"], a["unit"], a["body"]): a for a in page_data(run, arrows=True)["arrows"]["items"]}
    vectors = {key: np.frombuffer(base64.b64decode(a["vectors"]), "<f4").reshape(-1, 3) for key, a in made.items()}
    rows = run.system.body_rows
    np.testing.assert_allclose(vectors["B", "N", rows["coupler"]], run.reaction("B").force, rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(vectors["A", "N m", rows["crank"]], run.reaction("A").moment, rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(vectors["push", "N", rows["coupler"]], np.tile([0, 30, 0], (21, 1)), atol=1e-5)
    pull = np.linalg.norm(vectors["spring", "N", rows["coupler"]], axis=1)
    np.testing.assert_allclose(pull, np.abs(run.element("spring").force), rtol=1e-6)
    assert (
        vectors["spring", "N", rows["coupler"]][-1, 1] * run.element("spring").force[-1] > 0
    )  # a pull goes up to its hook
    assert {a["name"] for a in page_data(run, arrows="reactions")["arrows"]["items"]} == set("ABCD")
    assert {a["name"] for a in page_data(run, arrows=["rope", "C"])["arrows"]["items"]} <= {"rope", "C"}
    assert page_data(run)["arrows"]["items"] == []
    with pytest.raises(UnknownNameError, match="'spring'"):
        page_data(run, arrows=["sprin"])
    with pytest.raises(ChoiceError, match="arrows is 3"):
        page_data(run, arrows=3)
    with pytest.raises(UnknownNameError, match="is not a joint, load"):
        page_data(run, arrows=[[]])


def test_runs_to_compare_with_are_about_the_same_origin(run):
    other = ct.simulate(rig(120.0), 0.4, output=11)
    data = page_data(run, compare={"stiffer": other})
    (beside,) = data["others"]
    numbers = np.frombuffer(base64.b64decode(beside["motion"]), "<f4").reshape(11, 3, 13)
    for k, name in enumerate(other.system.body_names):
        np.testing.assert_allclose(numbers[:, k, 4:7] + data["origin"], other.point(name).position, atol=1e-6)
    assert page_data(run, compare=other)["others"][0]["name"] == "compared"
    assert [o["name"] for o in page_data(run, compare=[other, other])["others"]] == ["run 2", "run 3"]
    with pytest.raises(ChoiceError, match="no output rows"):
        page_data(run, compare={"empty": made_run(rig(), [])})
    with pytest.raises(ChoiceError, match="compare is 'x'"):
        page_data(run, compare="x")
