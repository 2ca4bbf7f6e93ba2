"""Loops of URDF files: the elements and side files that tell them, closed where they are drawn open."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import AssemblyError, ChoiceError, DocumentError, DuplicateNameError, MissingPackageError
from cotree.io import import_urdf, read_urdf
from cotree.io.urdf import closing, urdf_text
from cotree.io.urdf.gaps import Gaps
from cotree.lie import inverse
from tests.io.robot_files import MODELS, imported, joint, link, robot, two_links
from tests.model.builders import four_bar, refused
from tests.random_mechanisms import relative_error

# a four-bar drawn stretched out: crank 1, coupler 2, rocker 1.5 from (2, 0, 0)
BARS = (
    link("base"), link("crank"), link("coupler"), link("rocker"),
    joint("A", "continuous", "base", "crank"),
    joint("B", "continuous", "crank", "coupler", '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>'),
    joint("D", "continuous", "base", "rocker", '<origin xyz="2 0 0"/><axis xyz="0 0 1"/>'),
)  # fmt: skip
FORMS = {
    "loop_joint": '<loop_joint name="C" type="{}"><link1 link="coupler" xyz="2 0 0" rpy="0 0 0"/>'
    '<link2 link="rocker" xyz="1.5 0 0" rpy="0 0 0"/><axis xyz="0 0 1"/></loop_joint>',
    "constraint": '<constraint name="C" type="{}"><parent link="coupler"/><parent_origin xyz="2 0 0"/>'
    '<parent_axis xyz="0 0 1"/><child link="rocker"/><child_origin xyz="1.5 0 0"/><child_axis xyz="0 0 1"/></constraint>',
    "loop": '<loop name="C" type="{}"><predecessor link="coupler"><origin xyz="2 0 0"/></predecessor>'
    '<successor link="rocker"><origin xyz="1.5 0 0"/></successor><axis xyz="0 0 1"/></loop>',
}


def end_gap(mech, name):
    """Distance of the two frames of a closing joint as assembled, not by the compiler."""
    c = mech.joints[name]
    A, B = (mech.bodies[b].frame @ F for b, F in ((c.parent, c.joint.frame_parent), (c.child, c.joint.frame_child)))
    return inverse(A) @ B


@pytest.mark.parametrize("kind", ["continuous", "spherical"])
@pytest.mark.parametrize("form", FORMS)
def test_each_form_closes_the_same_four_bar(tmp_path, form, kind):
    im = imported(tmp_path, robot(*BARS, FORMS[form].format(kind)))
    assert im.closing == ("C",)
    N = end_gap(im.mechanism, "C")
    assert np.abs(N[:3, 3]).max() < 1e-10
    assert np.abs(N[2, :3] - (0, 0, 1)).max() < 1e-10
    a, b, d = (im.zero[name] for name in "ABD")
    tip = np.array([np.cos(a) + 2 * np.cos(a + b), np.sin(a) + 2 * np.sin(a + b)])
    np.testing.assert_allclose(tip, [2 + 1.5 * np.cos(d), 1.5 * np.sin(d)], atol=1e-9)
    report = ct.mobility(im.mechanism)
    assert (report.local, report.differential) == (1, 1)


def test_the_coordinates_count_from_there(tmp_path):
    """The mechanism at q is the file's tree at q + zero; limits and mimic offsets are shifted."""
    more = '<origin xyz="2 0 0"/><axis xyz="0 0 1"/><limit lower="-9" upper="9"/>'
    text = robot(*BARS[:-1], joint("D", "revolute", "base", "rocker", more), FORMS["loop"].format("revolute"))
    im = imported(tmp_path, text)
    tree = ct.load(tmp_path / "robot.urdf", loops=False).compile()
    q = [im.zero[name] for name in tree.coordinate_names]
    for name, C in zip(tree.body_names, ct.poses(tree, q)[1:], strict=True):
        np.testing.assert_allclose(im.mechanism.bodies[name].frame, C, atol=1e-14)
    assert im.limits["D"].lower == -9 - im.zero["D"]
    follows = text.replace('<limit lower="-9" upper="9"/>', '<mimic joint="A" multiplier="1" offset="2"/>')
    im = imported(tmp_path, follows)
    assert im.zero["D"] == pytest.approx(im.zero["A"] + 2, abs=1e-9)
    system = im.mechanism.compile()
    assert np.abs(ct.constraint_residual(system, system.q0)).max() < 1e-9


def test_limits_choose_the_way_it_is_assembled(tmp_path):
    for lower, upper in ((0.2, 3.0), (-3.0, -0.2)):
        more = f'<origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="{lower}" upper="{upper}"/>'
        bars = (*BARS[:5], joint("B", "revolute", "crank", "coupler", more), BARS[6])
        assert lower <= imported(tmp_path, robot(*bars, FORMS["loop"].format("revolute"))).zero["B"] <= upper


def test_a_second_joint_to_a_link_closes_a_loop(tmp_path):
    """The coupler's end is held where the rocker turns: a triangle, and the rocker turns idly."""
    second = joint("C", "continuous", "coupler", "rocker", '<origin xyz="2 0 0"/><axis xyz="0 0 1"/>')
    im = imported(tmp_path, robot(*BARS, second))
    assert im.closing == ("C",)
    assert ct.mobility(im.mechanism).local == 1
    with refused(DocumentError, "joint 'C'", "a floating joint cannot close a loop"):
        imported(tmp_path, robot(*BARS, second.replace("continuous", "floating")))


SLIDER = (
    link("base"), link("arm"), link("block"),
    joint("A", "continuous", "base", "arm"),
    joint("B", "{}", "arm", "block", '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>'),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "tip", "dof"),
    [  # joints' freedoms minus three a planar loop, six a spatial one; the ball turns with the universal joint at its centre
        ("prismatic", "continuous", 1 + 1 + 1 - 3), ("cylindrical", "continuous", 1 + 1 + 1 - 3),
        ("planar", "continuous", 1 + 1 + 3 - 3), ("fixed", "planar", 1 + 3 + 0 - 3),
        ("universal", "floating", 1 + 6 + 2 - 6), ("universal", "spherical", 2),
    ],
)  # fmt: skip
def test_each_kind_of_closing_joint(tmp_path, kind, tip, dof):
    """A block on an arm, held to ground along the x axis of a place beside it."""
    axis = {"prismatic": "1 0 0", "cylindrical": "1 0 0"}.get(kind, "0 0 1")
    child = '<child_axis xyz="0 1 0"/>' if kind == "universal" else f'<child_axis xyz="{axis}"/>'
    ends = f'<parent_origin xyz="0.6 0.8 0"/><parent_axis xyz="{axis}"/>{child}<child_origin xyz="0 0 0"/>'
    text = robot(
        *SLIDER, f'<constraint name="C" type="{kind}"><parent link="base"/><child link="block"/>{ends}</constraint>'
    )
    im = imported(tmp_path, text.replace("{}", tip))
    robot_read = im.robot
    gaps = Gaps.of(robot_read, [robot_read.joints["C"]], 1.0)
    x = np.random.default_rng(0).normal(size=sum(s.stop - s.start for s in gaps.places.values()))
    by_differences = [(gaps.residual(x + h) - gaps.residual(x - h)) / 2e-6 for h in 1e-6 * np.eye(len(x))]
    np.testing.assert_allclose(gaps.jacobian(x), np.array(by_differences).T, atol=1e-8)
    system = im.mechanism.compile()
    assert ct.mobility(system).local == dof


# -- side files ----------------------------------------------------------------------------------------------

ENDS = (
    '<link name="end_a"/><link name="end_b"/>', joint("to_a", "fixed", "coupler", "end_a", '<origin xyz="2 0 0"/>'),
    joint("to_b", "fixed", "rocker", "end_b", '<origin xyz="1.5 0 0" rpy="0 0 1.5"/>'),
)  # fmt: skip


def with_yaml(tmp_path, yaml, name="robot.yaml"):
    (tmp_path / name).write_text(yaml)
    (tmp_path / "robot.urdf").write_text(robot(*BARS, *ENDS))
    return tmp_path / "robot.urdf"


def test_side_files(tmp_path):
    path = with_yaml(tmp_path, "closed_loop: [[to_a, end_b]]\ntype: ['3d']\nname_mot: [A]\n")
    robot_read = read_urdf(path)
    assert robot_read.motors == ("A",)
    assert robot_read.joints["to_a-end_b"].kind == "spherical"
    mech = ct.load(path)
    assert np.abs(end_gap(mech, "to_a-end_b")[:3, 3]).max() < 1e-10
    assert ct.mobility(mech).local == 1
    assert "to_a-end_b" not in ct.load(path, loops=False).joints
    path = with_yaml(tmp_path, "closed_loop: [[end_a, to_b]]\n", "other.yaml")
    assert isinstance(ct.load(path, loops="other.yaml").joints["end_a-to_b"].joint, ct.Weld)
    (tmp_path / "robot.yaml").write_text("version: 1\n")  # no side file, a model of ours perhaps
    assert len(ct.load(path).joints) == 6
    text = "closed_loop: []\njoint_name: [A, B, D]\njoint_type: [SPHERICAL, CARDAN, FIXED]\n"
    mech = ct.load(with_yaml(tmp_path, text))
    assert [type(mech.joints[name].joint) for name in "ABD"] == [ct.Spherical, ct.Universal, ct.Weld]


@pytest.mark.parametrize(
    ("yaml", "words"),
    [
        ("closed_loop: [[to_a, nobody]]", "closed_loop[0]: 'nobody' is not a joint or link; the names are"),
        ("closed_loop: [[to_a, end_a]]", "closed_loop[0]: both are on link 'end_a'"),
        ("closed_loop: [[to_a]]", "closed_loop[0]: this must be a pair"),
        ("closed_loop: [[to_a, 3]]", "closed_loop[0]: name must be text"),
        ("closed_loop: 3", "closed_loop must be a list"),
        ("closed_loop: [[to_a, to_b]]\ntype: [5d]", "type '5d' is unknown; choose one of 6d, 3d"),
        ("closed_loop: [[to_a, to_b]]\ntype: [6d, 6d]", "1 pairs in closed_loop and 2 entries in type"),
        ("closed_loop: []\njoint_name: [Z]\njoint_type: [FIXED]", "joint_name: 'Z' is not a joint; the joints are"),
        ("- closed_loop", "closed_loop is missing"),
        ("closed_loop: [", "this is not valid YAML"),
    ],
)
def test_side_files_with_something_wrong(tmp_path, yaml, words):
    with refused(DocumentError, "robot.urdf: robot.yaml: ", words):
        ct.load(with_yaml(tmp_path, yaml))


def test_pairs_are_named_once(tmp_path):
    with refused(DuplicateNameError, "robot.yaml: closed_loop[1]: joint 'to_a-to_b' exists already"):
        ct.load(with_yaml(tmp_path, "closed_loop: [[to_a, to_b], [to_a, to_b]]"))


def test_side_files_that_are_no_text(tmp_path):
    path = with_yaml(tmp_path, "")
    (tmp_path / "robot.yaml").write_bytes(b"closed_loop: \xff")
    with refused(DocumentError, "robot.yaml: this is not UTF-8 text"):
        ct.load(path)


# -- loops that do not close ---------------------------------------------------------------------------------


def test_loops_that_cannot_be_closed(tmp_path):
    far = FORMS["loop"].format("revolute").replace("1.5 0 0", "9 0 0")
    with refused(AssemblyError, "robot.urdf: the loops cannot be closed: 'C' stays open", "loops=False"):
        imported(tmp_path, robot(*BARS, far))
    stiff = far.replace("coupler", "a").replace("rocker", "b")
    with refused(AssemblyError, "'C' stays open"):
        imported(tmp_path, two_links(kind="fixed").replace("</robot>", stiff + "</robot>"))


def test_searches_have_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(closing, "MOST", 2)
    with refused(AssemblyError, "limited to 2 coordinates", "draw them closed"):
        imported(tmp_path, robot(*BARS, FORMS["loop"].format("revolute")))


@pytest.mark.parametrize(
    ("loop", "words"),
    [
        ('<loop_joint name="C" type="helical"/>', "loop_joint 'C': type 'helical' is unknown"),
        ('<loop_joint name="C" type="fixed"><link1 link="a"/></loop_joint>', "loop_joint has no <link2>"),
        (
            '<loop_joint name="C" type="fixed"><link1 link="a"/><link2 link="a"/></loop_joint>',
            "both ends are on link 'a'",
        ),
        ('<loop_joint name="C" type="fixed"><link1 link="a"/><link2 link="z"/></loop_joint>', "no link 'z'"),
        ('<coupling name="c"/>', "coupling 'c': couplings of URDF+ are not supported"),
    ],
)
def test_loop_elements_with_something_wrong(tmp_path, loop, words):
    with refused(DocumentError, words):
        imported(tmp_path, two_links().replace("</robot>", loop + "</robot>"))


def test_options_are_for_robots(tmp_path):
    ct.save(four_bar(), tmp_path / "a.json")
    with refused(ChoiceError, "a.json", "floating, loops, limits, friction and contacts apply to robot files"):
        ct.load(tmp_path / "a.json", floating=True)


def test_the_package_for_side_files(tmp_path, monkeypatch):
    import sys

    from cotree.io.native import texts

    texts._yaml.cache_clear()
    monkeypatch.setitem(sys.modules, "yaml", None)
    with refused(MissingPackageError, "robot.yaml: the package yaml"):
        ct.load(with_yaml(tmp_path, "closed_loop: []"))


# -- writing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_loops_are_written_and_read_again(tmp_path, form):
    first = imported(tmp_path, robot(*BARS, FORMS[form].format("revolute"))).mechanism
    ct.save(first, tmp_path / "again.urdf")
    im = import_urdf(tmp_path / "again.urdf")
    assert im.zero == {}
    a, b = first.compile(cut=["C"]), im.mechanism.compile(cut=["C"])
    q = ct.assemble(a, a.q0 + 0.1)
    assert a.coordinate_names == b.coordinate_names
    assert relative_error(ct.mass_matrix(b, q), ct.mass_matrix(a, q)) < 1e-12
    assert np.abs(ct.constraint_residual(b, q, regularized=False)).max() < 1e-12
    v = [ct.forward_dynamics(s, q, np.zeros(3), np.zeros(3)).v_dot for s in (a, b)]
    assert relative_error(v[1], v[0]) < 1e-10


def test_a_mechanism_of_ours_with_a_loop(tmp_path):
    """The four-bar of the README, with a ball and a sliding joint more."""
    mech = four_bar()
    mech.joint("ball", "crank", "coupler", ct.Spherical((0.6, 0.8, 0)))
    mech.body("slide", 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint("P", "ground", "slide", ct.Prismatic((1, 1, 0)))
    mech.joint("Q", "slide", "ground", ct.Prismatic((1, 1, 0), point=(3, 3, 0)))
    text = urdf_text(mech)
    assert text.count("<loop_joint") == 3
    assert text.count('<axis xyz="1.0 0.0 0.0"/>') >= 3
    ct.save(mech, tmp_path / "four.urdf")
    other = ct.load(tmp_path / "four.urdf")
    a, b = ct.mobility(mech), ct.mobility(other)
    assert (a.local, a.grubler) == (b.local, b.grubler) == (2, a.grubler)


# -- known robots --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    (
        "name",
        "dof",
    ),  # driven joints, and idle turns: of a ball between two hinges in each loop, of a rod between two balls
    [("epr_5bar_linkage", 2 + 1), ("epr_robot_delta", 2 + 3), ("epr_cassie_like", 5 + 2), ("epr_digit_like", 6 + 3)],
)
def test_known_robots(tmp_path, name, dof):
    pin, path = pytest.importorskip("pinocchio"), MODELS / name / "robot.urdf"
    if not path.exists():
        pytest.skip("the model files are not here")
    im = import_urdf(path)
    assert len(im.robot.motors) + len(im.closing) == dof
    for loop in im.closing:
        assert np.abs(end_gap(im.mechanism, loop) - np.eye(4)).max() < 1e-10
    system = im.mechanism.compile(cut=im.closing)
    q = ct.assemble(system, system.q0)
    assert np.abs(ct.constraint_residual(system, q, regularized=False)).max() < 1e-10
    report = ct.mobility(system)
    assert (report.local, report.differential) == (dof, dof)
    # written and read again
    ct.save(im.mechanism, tmp_path / "again.urdf")
    second = import_urdf(tmp_path / "again.urdf")
    other = second.mechanism.compile(cut=second.closing)
    assert second.zero == {}
    assert other.coordinate_names == system.coordinate_names
    x = np.random.default_rng(0).normal(size=system.nv)
    assert relative_error(ct.mass_matrix(other, x), ct.mass_matrix(system, x)) < 1e-12
    J, J2 = (ct.constraint_jacobian(s, x, regularized=False) for s in (system, other))
    # frames of cut joints may be turned: the rows span the same space
    assert np.linalg.matrix_rank(np.concatenate([J, J2]), 1e-8) == np.linalg.matrix_rank(J, 1e-8)
    # the same by Pinocchio's tree: frames that meet, and the rank of the Jacobian of their relative twists
    model = pin.buildModelFromUrdf(str(path))
    data, x = model.createData(), np.zeros(model.nq)
    for joint_name, value in im.zero.items():
        x[model.joints[model.getJointId(joint_name)].idx_q] = value
    pin.computeJointJacobians(model, data, x)
    pin.framesForwardKinematics(model, data, x)
    rows = []
    for loop in im.closing:
        c = im.mechanism.joints[loop]
        a, b = (model.getFrameId(body, pin.FrameType.BODY) for body in (c.parent, c.child))
        assert np.linalg.norm(pin.log6(data.oMf[a].inverse() * data.oMf[b]).vector) < 1e-9
        rows.append(np.subtract(*(pin.getFrameJacobian(model, data, f, pin.ReferenceFrame.WORLD) for f in (a, b))))
    assert model.nv - np.linalg.matrix_rank(np.concatenate(rows), 1e-8) == dof
