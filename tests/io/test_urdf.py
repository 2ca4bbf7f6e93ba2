"""URDF: trees against Pinocchio's reader, what else a file says, and writing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cotree as ct
from cotree.errors import ChoiceError, DocumentError, ShapeError, SwitchError, UnconnectedError
from cotree.io import import_urdf, read_urdf
from cotree.io.notes import listed
from cotree.io.urdf import urdf_text
from cotree.io.xml.poses import pose, roll_pitch_yaw, rotation
from tests.io.robot_files import MODELS, imported, joint, link, peer, random_urdf, robot, rpy, two_links
from tests.model.builders import four_bar, pendulum, refused
from tests.random_mechanisms import dofs_of, random_rotation, relative_error

pin = pytest.importorskip("pinocchio")
TOLERANCE = 1e-10
SEEDS = st.integers(0, 2**32 - 1)


def agree(p):
    """Poses, mass matrix, gravity, inverse and forward dynamics of one tree in both programs."""
    model, data, T = p.model, p.data, p.which
    pin.framesForwardKinematics(model, data, p.q_pin)
    for name, C in zip(p.system.body_names, ct.poses(p.system, p.q)[1:], strict=True):
        frame = model.getFrameId(name, pin.FrameType.BODY)
        assert relative_error(C, data.oMf[frame].homogeneous) < TOLERANCE
    M = pin.crba(model, data, p.q_pin)
    M = np.triu(M) + np.triu(M, 1).T
    assert relative_error(ct.mass_matrix(p.system, p.q)[np.ix_(T, T)], M) < TOLERANCE
    zero = np.zeros(p.system.nv)
    g = pin.computeGeneralizedGravity(model, data, p.q_pin)
    assert relative_error(ct.inverse_dynamics(p.system, p.q, zero, zero)[T], g, 1.0) < TOLERANCE
    tau, v = np.sin(np.arange(p.system.nv)), p.v[T]
    ours = ct.forward_dynamics(p.system, p.q, p.v, tau).v_dot[T]
    theirs = pin.aba(model, data, p.q_pin, v, tau[T])
    assert relative_error(ours, theirs, 1.0) < TOLERANCE * np.linalg.cond(M) ** 0.5
    assert relative_error(
        ct.inverse_dynamics(p.system, p.q, p.v, tau)[T], pin.rnea(model, data, p.q_pin, v, tau[T]), 1.0
    ) < (TOLERANCE)


@pytest.mark.parametrize("floating", [False, True])
@settings(max_examples=60)
@given(seed=SEEDS)
def test_random_trees_as_pinocchio_reads_them(tmp_path_factory, floating, seed):
    rng = np.random.default_rng(seed)
    text = random_urdf(rng)
    im = imported(tmp_path_factory.mktemp("u"), text, floating=floating)
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromXML(text)
    if model.nv:
        agree(peer(im.mechanism.compile(), model, rng))


@pytest.mark.parametrize(
    "name", ["kuka_iiwa_robot.urdf", "epr_5bar_linkage", "epr_robot_delta", "epr_cassie_like", "epr_digit_like"]
)
def test_trees_of_known_robots(name):
    path = MODELS / name / "robot.urdf" if (MODELS / name).is_dir() else MODELS / name
    if not path.exists():
        pytest.skip("the model files are not here")
    system = ct.load(path, loops=False).compile()
    text = path.read_text()
    if "<limit" not in text:  # without limits hinges are none to Pinocchio's reader
        text = text.replace('type="revolute"', 'type="continuous"')
    agree(peer(system, pin.buildModelFromXML(text), np.random.default_rng(1)))


# -- what a file says ----------------------------------------------------------------------------------------


def test_the_root_is_ground_welded_or_free(tmp_path):
    text = robot('<link name="world"/>', link("a"), joint("j", "revolute", "world", "a"))
    mech = imported(tmp_path, text).mechanism
    assert list(mech.bodies) == ["a"]
    assert (mech.joints["j"].parent, mech.joints["j"].child) == ("ground", "a")
    with refused(ChoiceError, "robot.urdf: the root link is the world and cannot float"):
        imported(tmp_path, text, floating=True)
    mech = imported(tmp_path, two_links()).mechanism
    assert mech.joints["root_joint"].joint == ct.Weld()
    assert mech.compile().nv == 1
    mech = ct.load(tmp_path / "robot.urdf", floating=True)
    assert isinstance(mech.joints["root_joint"].joint, ct.Free)
    system = mech.compile()
    assert system.nv == 7
    np.testing.assert_array_equal(ct.poses(system, system.q0)[1:], [np.eye(4)] * 2)
    assert "root_joint_" in imported(tmp_path, two_links().replace('"j"', '"root_joint"')).mechanism.joints


def test_limits_effort_and_friction_are_kept(tmp_path):
    more = '<limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.25"/>'
    im = imported(tmp_path, two_links(more))
    assert im.limits["j"] == im.robot.joints["j"].limit
    limit = im.limits["j"]
    assert (limit.lower, limit.upper, limit.effort, limit.velocity) == (-1, 2, 30, 4)
    assert im.robot.joints["j"].friction == 0.25
    assert read_urdf(tmp_path / "robot.urdf").joints["j"].damping == 0.5
    system = im.mechanism.compile()
    still, moving = (ct.forward_dynamics(system, [0.3], [v], [0.0]).v_dot[0] for v in (0.0, 2.0))
    assert moving - still == pytest.approx(-0.5 * 2.0 / ct.mass_matrix(system, [0.3])[0, 0])
    endless = imported(tmp_path, two_links('<limit lower="-inf" upper="1e16"/>')).limits["j"]
    assert (endless.lower, endless.upper, endless.effort) == (-np.inf, 1e16, None)


def test_what_a_mechanism_does_not_say_is_noted(tmp_path):
    more = '<limit lower="-1" upper="2" effort="30"/><dynamics friction="0.25"/>'
    path = tmp_path / "robot.urdf"
    path.write_text(two_links(more).replace("</robot>", "<transmission/><gazebo/><gazebo/><material/></robot>"))
    friction = "dry friction of joints 'j' is ignored; load(friction=True) keeps it"
    others = ("bounds on effort and speed of joints 'j' are ignored", "elements 'transmission', 'gazebo' are not read")
    with pytest.warns(UserWarning, match="robot.urdf: dry friction of joints 'j' is ignored"):
        mech = ct.load(path)
    limits = "limits of joints 'j' are ignored; limits=True (--limits) turns them into stops"
    assert mech.notes == (friction, limits, *others)
    ct.save(mech, tmp_path / "robot.json")  # kept with the model
    assert ct.load(tmp_path / "robot.json").notes == mech.notes
    with pytest.warns(UserWarning, match="friction"):
        assert ct.load(path, limits=True).notes == (friction, *others)
    assert imported(tmp_path, two_links()).mechanism.notes == ()
    many = [f"j{k}" for k in range(9)]
    assert listed("joints", many, "x") == "joints 'j0', 'j1', 'j2', 'j3', 'j4' and 4 others x"
    assert listed("joints", many[:6], "x") == "joints 'j0', 'j1', 'j2', 'j3', 'j4', 'j5' x"


def test_mimic_joints_are_coupled(tmp_path):
    more = '<axis xyz="0 0 1"/><mimic joint="j" multiplier="-2" offset="0.5"/>'
    text = robot(*map(link, "abc"), joint("j", "revolute", "a", "b"), joint("k", "prismatic", "b", "c", more))
    system = imported(tmp_path, text).mechanism.compile()
    q = ct.assemble(system, [0.3, 0.0], fixed=["j"])
    np.testing.assert_allclose(q, [0.3, -2 * 0.3 + 0.5], atol=1e-12)
    held = imported(tmp_path, text.replace('multiplier="-2"', 'multiplier="0"')).mechanism.compile()
    np.testing.assert_allclose(ct.assemble(held, [0.3, 0.0], fixed=["j"]), [0.3, 0.5], atol=1e-12)


def test_shapes(tmp_path):
    place = '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'

    def shape(*forms):
        return ct.load(write(forms)).bodies["a"].shape

    def write(forms):
        inside = "".join(f"<{role}>{place}<geometry>{form}</geometry></{role}>" for role, form in forms)
        (tmp_path / "shape.urdf").write_text(robot(link("a", inside)))
        return tmp_path / "shape.urdf"

    R = rpy([0.1, 0.2, 0.3])
    both = shape(
        ("visual", '<box size="1 2 3"/>'), ("visual", '<sphere radius="2"/>'), ("collision", '<sphere radius="9"/>')
    )
    box, _ = both.shapes
    assert [type(x) for x in both.shapes] == [ct.Box, ct.Sphere]
    np.testing.assert_allclose(box.rotation, R, atol=1e-15)
    assert (tuple(box.center), box.size) == ((1, 2, 3), (1, 2, 3))
    cylinder = shape(
        ("visual", '<capsule radius="1" length="2"/>'), ("collision", '<cylinder radius="0.5" length="2"/>')
    )
    np.testing.assert_allclose([cylinder.a, cylinder.b], [(1, 2, 3) - R[:, 2], (1, 2, 3) + R[:, 2]], atol=1e-15)
    ball = shape(("collision", '<sphere radius="2"/>'), ("visual", '<box size="0 0 0"/>'))
    assert isinstance(ball, ct.Sphere)
    mesh = shape(("visual", '<mesh filename="package://p/a.stl" scale="2 2 2"/>'))
    assert (mesh.path, mesh.scale) == ("package://p/a.stl", 2.0)
    np.testing.assert_allclose(np.array(mesh.pose)[:3, :3], R, atol=1e-15)
    mirrored = ("visual", '<mesh filename="a.stl" scale="1 1 -1"/>')
    assert shape(mirrored) is None
    assert read_urdf(write([mirrored])).links["a"].geometry[0].reference == "a.stl"


def test_balls_and_other_gravity(tmp_path):
    mech = imported(
        tmp_path, two_links(kind="spherical").replace("</robot>", '<gravity xyz="1 2 3"/></robot>')
    ).mechanism
    assert isinstance(mech.joints["j"].joint, ct.Spherical)
    np.testing.assert_array_equal(mech.gravity, [1, 2, 3])


@settings(max_examples=200)
@given(SEEDS, st.sampled_from([None, 0.5, -0.5]), st.sampled_from([0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-4]))
def test_roll_pitch_yaw_both_ways(seed, pitch, off):
    rng = np.random.default_rng(seed)
    angles = rng.uniform(-np.pi, np.pi, 3)
    if pitch is not None:
        angles[1] = pitch * np.pi + off
    R = rpy(angles)
    np.testing.assert_allclose(rotation(angles), R, atol=4e-16)
    np.testing.assert_allclose(rotation(roll_pitch_yaw(R)), R, atol=2e-15)


# -- writing -------------------------------------------------------------------------------------------------


def again(tmp_path, mech):
    ct.save(mech, tmp_path / "again.urdf")
    return ct.load(tmp_path / "again.urdf")


@settings(max_examples=40)
@given(seed=SEEDS, floating=st.booleans())
def test_nothing_is_lost_on_the_way(tmp_path_factory, seed, floating):
    """Import, export, import: mass matrices, gravity and dynamics to 1e-12, at random configurations."""
    rng, tmp_path = np.random.default_rng(seed), tmp_path_factory.mktemp("u")
    text = random_urdf(rng).replace("</joint>", '<dynamics damping="0.5"/></joint>')
    first = imported(tmp_path, text, floating=floating).mechanism
    same_dynamics(rng, first, again(tmp_path, first))


def same_dynamics(rng, first, second):
    assert list(first.joints) == list(second.joints) or set(first.joints) == set(second.joints)
    a, b = first.compile(cut=[]), second.compile(cut=[])
    order = [list(b.coordinate_names).index(name) for name in a.coordinate_names]
    for _ in range(2):
        step, v = rng.normal(size=a.nv), rng.normal(size=a.nv)
        step_b, v_b = np.zeros(a.nv), np.zeros(a.nv)
        step_b[order], v_b[order] = step, v
        q, q_b = ct.displace(a, a.q0, step), ct.displace(b, b.q0, step_b)
        M, M_b = ct.mass_matrix(a, q), ct.mass_matrix(b, q_b)[np.ix_(order, order)]
        assert relative_error(M_b, M) < 1e-12
        f, f_b = ct.inverse_dynamics(a, q, v, v), ct.inverse_dynamics(b, q_b, v_b, v_b)[order]
        assert relative_error(f_b, f, 1.0) < 1e-12


def any_tree(rng):
    """A tree of ours with data in the world, in frames, and joints told against the tree."""
    mech = ct.Mechanism("ours", gravity=(0, -9.81, 1))
    kinds = [ct.Revolute, ct.Prismatic, ct.Weld, ct.Planar]
    names = ["ground"]
    for k in range(5):
        C = pose(rng.normal(size=3), rng.normal(size=3))
        R = random_rotation(rng)
        frame = None if rng.random() < 0.5 else C
        shape = [None, ct.Rod((0, 0, 0), (1, 2, 3)), ct.Box((1, 0, 0), (1, 2, 3), R), ct.Sphere((0, 1, 0), 2)][k % 4]
        mech.body(f"b{k}", rng.uniform(1, 2), rng.normal(size=3), R @ np.diag([1, 2, 2.5]) @ R.T, frame, shape)
        kind, inner = kinds[rng.integers(4)], str(rng.choice(names))
        point, axis = rng.normal(size=3), rng.normal(size=3)
        own = [ct.Revolute(point, axis), ct.Prismatic(axis), ct.Weld(), ct.Planar(point, axis)][kinds.index(kind)]
        ends = (inner, f"b{k}") if kind is ct.Planar or rng.random() < 0.6 else (f"b{k}", inner)
        mech.joint(f"j{k}", *ends, own)
        names.append(f"b{k}")
    return mech


@settings(max_examples=40)
@given(SEEDS)
def test_trees_of_ours_are_written_exactly(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    mech = any_tree(rng)
    other = again(tmp_path_factory.mktemp("u"), mech)
    np.testing.assert_array_equal(other.gravity, mech.gravity)
    if mech.compile().nv:
        same_dynamics(rng, mech, other)
    for name, body in mech.bodies.items():
        assert (body.shape is None) == (other.bodies[name].shape is None)


def test_what_we_write_pinocchio_reads():
    mech = any_tree(np.random.default_rng(7))
    mech.gravity = np.array([0, 0, -9.81])
    system = mech.compile()
    model = pin.buildModelFromXML(urdf_text(mech))
    p = peer(system, model, np.random.default_rng(1))
    M = pin.crba(model, p.data, p.q_pin)
    assert (
        relative_error(ct.mass_matrix(system, p.q)[np.ix_(p.which, p.which)], np.triu(M) + np.triu(M, 1).T) < TOLERANCE
    )


def test_shapes_come_back_where_they_were(tmp_path):
    mech = ct.Mechanism()
    mesh = ct.Mesh("a & b.stl", 2.0, pose((1, 2, 3), (0.1, 0.2, 0.3)))
    mech.body("m", 1.0, (0, 0, 0), (1, 1, 1), pose((1, 0, 0), (0, 0, 1)), mesh)
    mech.body("n", 1.0, (0, 0, 0), (1, 1, 1), shape=ct.Rod((0, 0, 0), (1, 2, 2)))
    mech.joint("j", "ground", "m", ct.Revolute((5, 5, 5), (1, 1, 1)))
    mech.joint("k", "m", "n", ct.Weld())
    got = again(tmp_path, mech).bodies
    np.testing.assert_allclose(got["m"].frame @ got["m"].shape.pose, mech.bodies["m"].frame @ mesh.pose, atol=1e-14)
    assert (got["m"].shape.path, got["m"].shape.scale) == ("a & b.stl", 2.0)
    np.testing.assert_allclose([got["n"].shape.a, got["n"].shape.b], [(0, 0, 0), (1, 2, 2)], atol=1e-14)


def test_couplings_become_mimic_joints(tmp_path):
    mech = ct.Mechanism()
    for k, inner in enumerate(["ground", "b0", "b1"]):
        mech.body(f"b{k}", 1.0, (k + 0.5, 0, 0), (1, 1, 1))
        mech.joint(f"j{k}", inner, f"b{k}", ct.Revolute((k, 0, 0), (0, 0, 1)))
    mech.coupling("c", {"j1": 2.0, "j0": 3.0}, 4.0)
    mech.gear("g", "j1", "j2", 5.0)
    mech.joint_damper("d", "j0", 0.25)
    mech.joint_damper("e", "j0", 0.5)
    other = again(tmp_path, mech)
    assert [f.damping for f in other.joint_forces.values()] == [0.75]
    q = ct.assemble(mech.compile(), [0.1, 0, 0])
    np.testing.assert_allclose(ct.assemble(other.compile(), [0.1, 0, 0]), q, atol=1e-12)
    np.testing.assert_allclose([2 * q[1] + 3 * q[0], q[1]], [4.0, 5 * q[2]], atol=1e-12)


# -- limits --------------------------------------------------------------------------------------------------


def stopped(rng, mech):
    """Stops, some on one side only, at hinges and slides of a tree."""
    for name, c in mech.joints.items():
        if isinstance(c.joint, ct.Revolute | ct.Prismatic) and rng.random() < 0.7:
            low, high = sorted(rng.normal(size=2))
            kind = rng.integers(3)
            mech.limit(name, None if kind == 0 else low, None if kind == 1 else high)
    return mech


@settings(max_examples=40)
@given(SEEDS)
def test_stops_are_written_and_read_again(tmp_path_factory, seed):
    rng, path = np.random.default_rng(seed), tmp_path_factory.mktemp("u") / "again.urdf"
    mech = stopped(rng, any_tree(rng))
    ct.save(mech, path)
    other = ct.load(path, limits=True)
    assert other.devices == mech.devices
    assert len(other.actions) == len(mech.actions)
    assert ct.load(path).devices == {}
    # as Pinocchio has it; without bounds a hinge there has two coordinates and no range
    model = pin.buildModelFromUrdf(str(path))
    for stop in mech.devices.values():
        k = model.joints[model.getJointId(stop.joint)].idx_q
        low, high = model.lowerPositionLimit[k], model.upperPositionLimit[k]
        assert (low, high) == (max(stop.lower, -1e9), min(stop.upper, 1e9))


def test_a_pendulum_hits_the_same_stop(tmp_path):
    mech = pendulum()
    mech.limit("pivot", upper=0.3)
    ct.save(mech, tmp_path / "stop.urdf")
    runs = [ct.simulate(m, 0.5, q=[-0.3]) for m in (mech, ct.load(tmp_path / "stop.urdf", limits=True))]
    times = [[s.t for s in run.switches] for run in runs]
    assert len(times[0]) > 0
    np.testing.assert_allclose(times[1], times[0], rtol=1e-9)


def test_stops_in_loops_belong_to_the_tree(tmp_path):
    """The joint with a stop keeps its coordinate; the loop is closed at another."""
    mech = four_bar()
    mech.limit("D", -0.2, 0.3)
    ct.save(mech, tmp_path / "four.urdf")
    assert ct.load(tmp_path / "four.urdf", limits=True).devices == mech.devices
    text = (tmp_path / "four.urdf").read_text()
    assert '<joint name="D" type="revolute">' in text
    assert '<limit lower="-0.2" upper="0.3" effort="1000000000.0" velocity="1000000000.0"/>' in text


def test_which_limits_are_stops(tmp_path):
    def devices(more, kind="revolute"):
        (tmp_path / "robot.urdf").write_text(two_links(more, kind))
        return ct.load(tmp_path / "robot.urdf", limits=True).devices

    found = devices('<limit lower="-1" upper="1e16" effort="1" velocity="1"/>')["limit j"]
    assert (found.lower, found.upper, found.restitution) == (-1, np.inf, 0)
    assert devices('<limit effort="1" velocity="1"/>') == {}
    assert devices('<limit lower="-1" upper="1"/>', "continuous") == {}
    with refused(SwitchError, "robot.urdf: joint 'j': ", "lower is 1 and upper 1; lower must be less than upper"):
        devices('<limit lower="1" upper="1"/>')


def test_stops_that_urdf_cannot_say():
    def bouncing(mech):
        mech.limit("A", upper=1.0, restitution=0.5)

    def two(mech):
        mech.limit("A", upper=1.0)
        mech.limit("A", lower=-1.0, name="other")

    def closing(mech):
        for name in "ABCD":
            mech.limit(name, upper=1.0)

    def for_a_while(mech):
        mech.limit("A", upper=1.0)
        mech.unlock("limit A", at=1.0)

    cases = [
        (bouncing, "limit 'limit A' has a restitution of 0.5"), (two, "joint 'A' has two limits"),
        (closing, "limit 'limit D' is on joint 'D', which is not a hinge or slide of the tree"),
        (for_a_while, "URDF does not know timed devices of mechanism 'four-bar' (limit 'limit A')"),
        (lambda m: m.lock("A"), "URDF does not know locks of mechanism 'four-bar' (lock 'lock A'): these change the topology"),
    ]  # fmt: skip
    for change, words in cases:
        mech = four_bar()
        change(mech)
        with refused(DocumentError, words, "which URDF cannot express"):
            urdf_text(mech)


class Blob:
    def mass_properties(self, density):
        return ct.MassProperties(density, np.zeros(3), np.eye(3))


def test_what_urdf_cannot_say_is_refused():
    def spoiled(change, build=pendulum):
        mech = build()
        change(mech)
        return lambda: urdf_text(mech)

    def ball(mech):
        mech.body("b", 1.0, (0, 0, 0), (1, 1, 1))
        mech.joint("ball", "bob", "b", ct.Spherical((0, 0, 0)))

    def backward(mech):
        mech.body("b", 1.0, (0, 0, 0), (1, 1, 1))
        mech.joint("back", "b", "bob", ct.Free())

    def two_more(mech):
        mech.body("b", 1.0, (0, 0, 0), (1, 1, 1))
        mech.joint("k", "bob", "b", ct.Revolute())

    def twice(mech):
        two_more(mech)
        for k in range(3):
            mech.coupling(f"c{k}", {"pivot": 1.0, "k": 2.0 + k})

    def helix(mech):
        mech.joint("h", "ground", "rocker", ct.Helical((2.5, 0, 0), (0, 0, 1), 0.1))

    def blob(mech):
        mech.body("blob", shape=Blob(), density=1.0)
        mech.joint("w", "bob", "blob", ct.Weld())

    cases = [
        (ball, "joint 'ball' is of type Spherical"), (backward, "joint 'back'", "swap parent and child"),
        (twice, "constraint 'c2'"), (lambda m: m.drive("d", "pivot", 1.0), "drives", "drive 'd'"),
        (lambda m: m.joint_spring("s", "pivot", 1.0), "'s' on joint 'pivot'"),
        (lambda m: m.force("f", "bob", (1, 0, 0)), "force 'f'"),
        (lambda m: m.body("world", 1.0, (0, 0, 0), (1, 1, 1)), "body 'world'"),
        (blob, "shape of body 'blob'"),
    ]  # fmt: skip
    for change, *words in cases:
        with refused(DocumentError, *words):
            spoiled(change)()
    with refused(DocumentError, "joint 'h' closes a loop", "Helical"):
        spoiled(helix, four_bar)()
    with refused(UnconnectedError, "'lone'"):
        spoiled(lambda m: m.body("lone", 1.0, (0, 0, 0), (1, 1, 1)))()
    with refused(ShapeError, "system.mechanism"):
        urdf_text(pendulum().compile())


def test_coordinates_are_found_by_name(tmp_path):
    """The comparison above rests on it."""
    im = import_urdf(_written(tmp_path, two_links()))
    assert dofs_of(im.mechanism.compile(), "j") == [0]


def _written(tmp_path, text):
    (tmp_path / "x.urdf").write_text(text)
    return tmp_path / "x.urdf"
