"""SDF: frames, joints of every kind, loops as drawn."""

from xml.etree import ElementTree

import numpy as np
import pytest

import cotree as ct
from cotree.errors import AxisError, ChoiceError, DocumentError, NotFiniteError
from cotree.io import import_sdf, read_sdf
from cotree.io.xml.poses import pose
from tests.io.robot_files import MODELS, rpy
from tests.model.builders import refused

INERTIA = "<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy><ixz>0</ixz><iyz>0.2</iyz></inertia>"
INERTIAL = f"<inertial><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose><mass>2</mass>{INERTIA}</inertial>"


def sdf(*parts, version="1.7", world=False, head=""):
    model = f'<model name="m">{head}{"".join(parts)}</model>'
    return f'<sdf version="{version}">{f"<world>{model}</world>" if world else model}</sdf>'


def link(name, place="", more=""):
    return f'<link name="{name}">{place}{INERTIAL}{more}</link>'


def at(text, relative_to=""):
    return f'<pose relative_to="{relative_to}">{text}</pose>' if relative_to else f"<pose>{text}</pose>"


def joint(name, kind, parent, child, more="<axis><xyz>0 0 1</xyz></axis>"):
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{more}</joint>'


def written(tmp_path, text):
    (tmp_path / "robot.sdf").write_text(text)
    return tmp_path / "robot.sdf"


def load(tmp_path, text, **options):
    return ct.load(written(tmp_path, text), **options)


A, B = at("1 2 3 0.1 0.2 0.3"), at("0 0 1 0.3 0.2 0.1", "a")


def pose6(text):
    C, numbers = np.eye(4), np.array(text.split(), dtype=float)
    C[:3, :3], C[:3, 3] = rpy(numbers[3:]), numbers[:3]
    return C


def test_poses_relative_to_others(tmp_path):
    frame = '<frame name="f" attached_to="a"><pose>1 0 0 0 0 1</pose></frame>'
    text = sdf(link("c", at("0 1 0 0 0 0", "f")), link("a", A), link("b", B), frame, head=at("5 0 0 0 0 0.5"))
    poses = read_sdf(written(tmp_path, text)).poses
    model, a = pose6("5 0 0 0 0 0.5"), pose6("1 2 3 0.1 0.2 0.3")
    np.testing.assert_allclose(poses["a"], model @ a, atol=1e-15)
    np.testing.assert_allclose(poses["b"], model @ a @ pose6("0 0 1 0.3 0.2 0.1"), atol=1e-15)
    np.testing.assert_allclose(poses["c"], model @ a @ pose6("1 0 0 0 0 1") @ pose6("0 1 0 0 0 0"), atol=1e-15)
    degrees = read_sdf(written(tmp_path, sdf(link("a", '<pose degrees="true">0 0 0 0 0 90</pose>')))).poses["a"]
    np.testing.assert_allclose(degrees, pose((0, 0, 0), (0, 0, np.pi / 2)), atol=1e-15)


def test_parts_that_no_joint_leads_to_are_free(tmp_path):
    text = sdf(link("a", A), link("b", B), link("c"), joint("j", "revolute", "a", "b"))
    mech = load(tmp_path, text)
    assert [(c.parent, c.child) for c in mech.joints.values()] == [("ground", "a"), ("ground", "c"), ("a", "b")]
    assert mech.compile().nv == 13
    assert load(tmp_path, text, floating=False).compile().nv == 1
    grounded = load(tmp_path, sdf(link("a", A), joint("j", "revolute", "world", "a")))
    assert grounded.compile().nv == 1
    with refused(ChoiceError, "robot.sdf", "leave loops out"):
        ct.load(tmp_path / "robot.sdf", loops=False)


AXES = "<axis><xyz>0 1 1</xyz></axis><axis2><xyz>1 0 0</xyz></axis2>"


def test_joints_of_every_kind(tmp_path):
    """Joint frames are in the child's, axes in the joint's."""
    place = at("0.5 0 0 0 0 0.7")
    pitch, old = "<screw_thread_pitch>0.02</screw_thread_pitch>", "<thread_pitch>-4</thread_pitch>"
    kinds = [
        ("revolute", "", ct.Revolute), ("continuous", "", ct.Revolute), ("prismatic", "", ct.Prismatic),
        ("ball", "", ct.Spherical), ("universal", "", ct.Universal), ("revolute2", "", ct.Universal), ("fixed", "", ct.Weld),
        ("screw", pitch, ct.Helical), ("screw", old, ct.Helical), ("screw", "", ct.Helical),
    ]  # fmt: skip
    F = pose6("1 2 3 0.1 0.2 0.3") @ pose6("0.5 0 0 0 0 0.7")
    R = F[:3, :3]
    for kind, more, expected in kinds:
        found = load(tmp_path, sdf(link("a", A), joint("j", kind, "world", "a", place + AXES + more))).joints["j"].joint
        assert type(found) is expected
        if hasattr(found, "point"):
            np.testing.assert_allclose(found.point, F[:3, 3], atol=1e-15)
        if hasattr(found, "axis"):
            np.testing.assert_allclose(found.axis, R @ (0, 1, 1), atol=1e-15)
        if expected is ct.Universal:
            np.testing.assert_allclose([found.axis1, found.axis2], [R @ (0, 1, 1), R @ (1, 0, 0)], atol=1e-15)
        if expected is ct.Helical:
            assert found.pitch == pytest.approx({pitch: 0.02 / (2 * np.pi), old: 0.25, "": -1.0}[more])


def test_axes_in_other_frames(tmp_path):
    def axis(more, version="1.7"):
        text = sdf(link("a", A), link("b", B), joint("j", "revolute", "a", "b", more), version=version)
        return load(tmp_path, text).joints["j"].joint.axis

    a = pose6("1 2 3 0.1 0.2 0.3")[:3, :3]
    np.testing.assert_allclose(axis('<axis><xyz expressed_in="a">1 2 3</xyz></axis>'), a @ (1, 2, 3), atol=1e-14)
    np.testing.assert_allclose(axis("<axis><xyz>1 2 3</xyz></axis>", "1.4"), (1, 2, 3), atol=1e-14)
    old = "<axis><xyz>1 2 3</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>"
    np.testing.assert_allclose(axis(old, "1.6"), (1, 2, 3), atol=1e-14)
    np.testing.assert_allclose(axis(""), (a @ pose6("0 0 1 0.3 0.2 0.1")[:3, :3])[:, 2], atol=1e-14)


def test_springs_dampers_and_limits(tmp_path):
    dynamics = "<damping>0.5</damping><friction>0.1</friction><spring_stiffness>7</spring_stiffness>"
    limit = "<limit><lower>-1e16</lower><upper>2</upper><effort>30</effort></limit>"
    more = (
        f"<axis><xyz>0 0 1</xyz><dynamics>{dynamics}<spring_reference>0.3</spring_reference></dynamics>{limit}</axis>"
    )
    im = import_sdf(written(tmp_path, sdf(link("a", A), joint("j", "revolute", "world", "a", more))))
    system = im.mechanism.compile()
    bare = load(tmp_path, sdf(link("a", A), joint("j", "revolute", "world", "a"))).compile()
    q, v = [0.4], [2.0]
    force = ct.mass_matrix(system, q) @ (
        ct.forward_dynamics(system, q, v, [0.0]).v_dot - ct.forward_dynamics(bare, q, v, [0.0]).v_dot
    )
    assert force[0] == pytest.approx(-7 * (0.4 - 0.3) - 0.5 * 2.0)
    assert (im.limits["j"].lower, im.limits["j"].upper, im.limits["j"].effort) == (None, 2, 30)
    assert im.robot.joints["j"].friction == 0.1


def test_what_a_mechanism_does_not_say_is_noted(tmp_path):
    damped = "<axis><dynamics><damping>1</damping><friction>2</friction></dynamics></axis>"
    text = sdf(link("a", A), joint("j", "ball", "world", "a", damped), "<plugin/><plugin/>")
    with pytest.warns(UserWarning, match="robot.sdf: springs and dampers of joints with several DOF 'j' are ignored"):
        notes = load(tmp_path, text).notes
    assert [note.split(" 'j'")[0] for note in notes[:2]] == [
        "dry friction of joints", "springs and dampers of joints with several DOF",
    ]  # fmt: skip
    assert notes[2:] == ("elements 'plugin' are not read",)


def test_a_gearbox_is_a_coupling(tmp_path):
    """theta_b = -3 theta_a against the body; one of the hinges is told from the wheel to the body."""
    box = "<gearbox_reference_body>c</gearbox_reference_body><gearbox_ratio>3</gearbox_ratio>"
    axes = "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2>"
    wheels = (joint("j", "revolute", "c", "a"), joint("k", "revolute", "b", "c"))
    text = sdf(
        *map(link, "abc"), joint("w", "fixed", "world", "c"), *wheels, joint("g", "gearbox", "a", "b", box + axes)
    )
    system = load(tmp_path, text).compile()
    q = dict(zip(system.coordinate_names, ct.assemble(system, [0.3, 0.0], fixed=["j"]), strict=True))
    # angle of b against c about z is -k, about -z it is k
    assert q["k"] == pytest.approx(-3 * 0.3)
    with refused(DocumentError, "joint 'g'", "no hinge between 'c' and 'b'"):
        load(tmp_path, text.replace('name="k" type="revolute"', 'name="k" type="ball"'))


def test_shapes_and_masses(tmp_path):
    forms = {
        "<box><size>1 2 3</size></box>": ct.Box, "<sphere><radius>1</radius></sphere>": ct.Sphere,
        "<cylinder><radius>1</radius><length>2</length></cylinder>": ct.Cylinder,
        "<mesh><uri>model://a.stl</uri><scale>2 2 2</scale></mesh>": ct.Mesh, "<mesh><uri>a.stl</uri></mesh>": ct.Mesh,
        "<plane/>": type(None),
    }  # fmt: skip
    for form, kind in forms.items():
        look = f'<visual name="v">{at("0 0 1 0 0 0")}<geometry>{form}</geometry></visual>'
        assert type(load(tmp_path, sdf(link("a", A, look))).bodies["a"].shape) is kind
    p = load(tmp_path, sdf(link("a", A))).bodies["a"].properties
    R = rpy([0.4, 0.5, 0.6])
    tensor = np.array([[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]])
    np.testing.assert_allclose(p.inertia, R @ tensor @ R.T, atol=1e-15)
    assert (p.mass, tuple(p.com)) == (2, (0.1, 0.2, 0.3))
    usual = load(tmp_path, sdf('<link name="a"/>')).bodies["a"].properties  # as SDF has it
    np.testing.assert_array_equal([usual.mass, *usual.inertia.ravel()], [1, *np.eye(3).ravel()])


def test_a_loop_is_closed_as_drawn(tmp_path):
    """A four-bar: two joints to the rocker."""
    places = {"crank": "0 0 0 0 0 0", "coupler": "1 0 0 0 0 0", "rocker": "1 1 0 0 0 0"}
    links = [link(name, at(place)) for name, place in places.items()]
    ends = {"A": ("world", "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker")}
    joints = [joint(name, "revolute", *those) for name, those in ends.items()]
    joints.append(joint("D", "revolute", "world", "rocker", at("1 2 0 0 0 0")))
    im = import_sdf(
        written(tmp_path, sdf(*links, *joints, world=True).replace("<model", "<gravity>0 -5 0</gravity><model"))
    )
    assert im.closing == ("D",)
    np.testing.assert_array_equal(im.mechanism.gravity, [0, -5, 0])
    report = ct.mobility(im.mechanism)
    assert (report.local, report.grubler) == (1, -2)
    system = im.mechanism.compile(cut=im.closing)
    assert np.abs(ct.constraint_residual(system, system.q0, regularized=False)).max() < 1e-15


def test_cassie():
    path = MODELS / "cassie_v2.sdf"
    if not path.exists():
        pytest.skip("the model files are not here")
    im = import_sdf(path)
    mech = im.mechanism
    assert len(mech.bodies) == 23
    balls = {name for name, c in mech.joints.items() if isinstance(c.joint, ct.Spherical)}
    assert set(im.closing) == balls
    assert len(balls) == 4
    system = mech.compile(cut=im.closing)
    assert ct.mobility(system).local == 6 + 22 - 2 * 3 - 2 * 2  # the foot's ball joint closes a planar loop
    # mass and mass centre by another reading of the file
    links = list(ElementTree.parse(path).iter("link"))
    masses = np.array([float(link.findtext("inertial/mass")) for link in links])
    centres = [(pose6(link.findtext("pose")) @ pose6(link.findtext("inertial/pose")))[:3, 3] for link in links]
    np.testing.assert_allclose(
        ct.center_of_mass(system, system.q0).position, masses @ centres / masses.sum(), atol=1e-12
    )
    np.testing.assert_allclose(ct.mass_matrix(system, system.q0)[3:6, 3:6], masses.sum() * np.eye(3), atol=1e-10)


WRONG = [
    ("<robot/>", DocumentError, "the root element is <robot>; an SDF file has <sdf>"),
    ("<sdf version='1.7'/>", DocumentError, "there are 0 models in the file"),
    (sdf("<include/>", link("a")), DocumentError, "model 'm': <include>: models inside a model are not read"),
    (sdf(sdf(link("a"))[19:-6]), DocumentError, "model 'm': <model>: models inside"),
    (sdf(link("a"), head="<static>true</static>"), DocumentError, "static: a static model is not a mechanism"),
    (sdf(), DocumentError, "the model has no links"),
    (sdf(link("ground")), DocumentError, "link 'ground': the name is reserved for the world"),
    (sdf(link("a"), link("a")), DocumentError, "link 'a': the name is already used for another"),
    (sdf(link("a", at("1 2 3"))), DocumentError, "link 'a': pose is '1 2 3'; it must be 6 numbers"),
    (sdf(link("a", at("1 2 3 0 0 nan"))), NotFiniteError, "link 'a': pose is nan"),
    (sdf(link("a", '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>')), DocumentError, "only roll, pitch, yaw"),
    (sdf(link("a", at("0 0 0 0 0 0", "b")), link("b", at("0 0 0 0 0 0", "a"))), DocumentError, "is relative to itself"),
    (sdf(link("a", at("0 0 0 0 0 0", "c"))), DocumentError, "no link, joint or frame 'c'"),
    (sdf(link("a").replace("<inertial>", '<inertial auto="true">')), DocumentError, "inertial: auto: inertia is not computed"),
    (sdf(link("a"), joint("j", "spring", "world", "a")), DocumentError, "joint 'j': type 'spring' is unknown"),
    (sdf(link("a"), joint("j", "fixed", "a", "a")), DocumentError, "parent and child are both on link 'a'"),
    (sdf(link("a"), joint("j", "fixed", "q", "a")), DocumentError, "joint 'j': there is no link or frame 'q'"),
    (sdf(link("a"), joint("j", "revolute", "world", "a", "<axis><xyz>0 0 0</xyz></axis>")), AxisError,
     "joint 'j': axis 0 0 0 has no direction; give one such as 0 0 1"),
    (sdf(link("a"), joint("j", "revolute", "world", "a", '<axis><xyz expressed_in="q">0 0 1</xyz></axis>')), DocumentError,
     "expressed_in: there is no frame 'q'"),
    (sdf(link("a"), joint("j", "screw", "world", "a", "<thread_pitch>0</thread_pitch>")), DocumentError, "thread_pitch is 0"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "words"), WRONG, ids=range(len(WRONG)))
def test_files_that_are_refused(tmp_path, text, error, words):
    with refused(error, "robot.sdf: ", words):
        load(tmp_path, text)
