"""Mechanisms as MJCF: what is written is what MuJoCo and we read again; what cannot be said is refused by name."""

import warnings
from dataclasses import dataclass

import mujoco
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import cotree as ct
from cotree.errors import DocumentError, ShapeError, UnconnectedError
from cotree.io.mjcf import import_mjcf, mjcf_text, read_mjcf
from cotree.io.mjcf.measuring import measured
from cotree.io.native.describing import plain
from tests.io.mjcf_files import check_tree, pair_of, random_mjcf, random_state
from tests.io.test_mjcf import CASSIE, with_cassie
from tests.io.test_mjcf_loops import BARS, FIXED, LINE, OTHER, POINT, SECOND, TWIST, WELD, bars
from tests.model.builders import refused

Z = (0.0, 0.0, 1.0)


def four_bar(closing=None):
    mech = ct.Mechanism("four-bar", gravity=(0, -9.81, 0))
    A, B, C, D = (0, 0, 0), (0.6, 0.8, 0), (2.4, 1.4, 0), (2.5, 0, 0)
    mech.body("crank", 1.0, (0.3, 0.4, 0), (0.1, 0.1, 0.1), shape=ct.Rod(A, B))
    mech.body("coupler", 2.0, (1.5, 1.1, 0), (0.6, 0.6, 0.6), shape=ct.Box((1.5, 1.1, 0), (0.2, 0.1, 0.1)))
    mech.body("rocker", 1.0, (2.45, 0.7, 0), (0.2, 0.2, 0.2), shape=ct.Sphere(C, 0.1))
    mech.joint("A", "ground", "crank", ct.Revolute(A, Z))
    mech.joint("B", "crank", "coupler", ct.Revolute(B, Z))
    mech.joint("D", "ground", "rocker", ct.Revolute(D, Z))
    mech.joint("C", "coupler", "rocker", closing or ct.Revolute(C, Z))
    return mech


def pendulum(joint=None, mass=1.0, inertia=(1, 1, 1)):
    mech = ct.Mechanism("pendulum")
    mech.body("bob", mass, (0, 0, -1), inertia)
    mech.joint("J", "ground", "bob", joint or ct.Revolute((0, 0, 0), (0, 1, 0)))
    return mech


def differences(a, b, place=""):
    """Places at which two plain documents differ by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = [f"{place}.{key}" for key in a.keys() ^ b.keys()]
        return keys + [d for key in a.keys() & b.keys() for d in differences(a[key], b[key], f"{place}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for k, (x, y) in enumerate(zip(a, b, strict=True)) for d in differences(x, y, f"{place}[{k}]")]
    if isinstance(a, float) and isinstance(b, float):
        return [] if abs(a - b) <= 1e-9 * max(1.0, abs(a)) else [f"{place}: {a} is not {b}"]
    return [] if a == b else [f"{place}: {a} is not {b}"]


def check_round_trip(mech):
    """Written and read again nothing is different; MuJoCo's own reader takes it too."""
    text = mjcf_text(mech)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = read_mjcf(text)
    said, said_again = ({**plain(m), "notes": []} for m in (mech, again))  # of what is not there, nothing is written
    assert differences(said, said_again) == []
    return again


# -- there and back -------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
@example(772)  # nothing but a weld
def test_random_models_are_written_and_read_again(seed):
    """The second file says what the first one did: MuJoCo's numbers of it are those of the first mechanism."""
    rng = np.random.default_rng(seed)
    first = pair_of(random_mjcf(rng))
    check_round_trip(first.imported.mechanism)
    second = pair_of(mjcf_text(first.imported.mechanism))
    check_tree(second, *random_state(second, rng))


@with_cassie
def test_cassie_is_written_and_read_again():
    mech = read_mjcf(CASSIE)
    again = check_round_trip(mech)
    np.testing.assert_allclose(again.q_start, mech.q_start, atol=1e-14)


@pytest.mark.parametrize(
    ("equalities", "rest"),
    [
        ([POINT], ""), ([POINT, SECOND], ""), ([POINT, TWIST], ""), ([WELD], ""),
        (['<joint name="C" joint1="A" joint2="D" polycoef="0.2 -1.5 0 0 0"/>'], ""),
        (['<joint name="C" joint1="A" polycoef="0.3 0 0 0 0"/>'], ""),
        (['<tendon name="C" tendon1="f" polycoef="0.2 0 0 0 0"/>'], FIXED + OTHER),
        (['<tendon name="C" tendon1="l" polycoef="0.2 0 0 0 0"/>'], LINE),
        ([], LINE.replace('"l"', '"l" stiffness="3" damping="2"')),
        ([], '<actuator><motor name="m" joint="A"/></actuator>'),
    ],
)  # fmt: skip
def test_equalities_and_tendons_are_written_and_read_again(equalities, rest):
    check_round_trip(bars(*equalities, rest=rest).mechanism)


def test_limits_are_written_and_read_again():
    world = BARS.replace('name="A"', 'name="A" range="-30 60"').replace(
        'name="B"', 'name="B" stiffness="2" springref="9"'
    )
    first = import_mjcf(f"<mujoco><worldbody>{world}</worldbody></mujoco>", limits=True).mechanism
    first.limit("B", upper=2.0)
    again = read_mjcf(mjcf_text(first), limits=True)
    assert {name: (d.lower, d.upper) for name, d in again.devices.items()} == {
        "limit A": pytest.approx((-np.pi / 6, np.pi / 3)), "limit B": (-np.inf, 2.0),
    }  # fmt: skip


def test_a_mechanism_of_the_world_frame(tmp_path):
    """All numbers as the user gave them; the hinge that closes the loop comes back as one."""
    mech = four_bar()
    mech.joint_spring("spring", "A", 3.0, 0.2)
    mech.joint_damper("one", "A", 1.0)
    mech.joint_damper("two", "A", 0.5)
    path = tmp_path / "four_bar.xml"
    ct.save(mech, path)
    again = ct.load(path)
    assert again.name == "four-bar"
    assert again.joints["C"].joint.point == (2.4, 1.4, 0.0)
    assert isinstance(again.joints["C"].joint, ct.Revolute)
    assert again.joint_forces["A damping"].damping == 1.5
    here, there = mech.compile(), again.compile()
    assert ct.mobility(there).differential == 1
    q = ct.assemble(here, (0.5, 0.0, 0.0), fixed=("A",))
    order = [here.velocity_index(name) for name in there.coordinate_names]
    np.testing.assert_allclose(
        ct.forward_dynamics(there, q[order], np.zeros(3)).v_dot,
        ct.forward_dynamics(here, q, np.zeros(3)).v_dot[order],
        atol=1e-9,
    )
    a, b = mech.bodies["crank"].shape, again.bodies["crank"].shape
    np.testing.assert_allclose((*a.a, *a.b, a.radius), (*b.a, *b.b, b.radius), atol=1e-15)


def test_joints_told_against_the_tree():
    """Hinge and ball from the outer body to the inner: the coordinates of hinges stay what they are."""
    mech = ct.Mechanism()
    mech.body("a", 1.0, (1, 0, 0), (1, 1, 1))
    mech.body("b", 1.0, (2, 1, 0), (1, 1.2, 1.3))
    mech.joint("J", "a", "ground", ct.Revolute((0, 0, 0), (0, 1, 1)))
    mech.joint("S", "b", "a", ct.Spherical((1.5, 0, 0)))
    again = read_mjcf(mjcf_text(mech))
    here, there = mech.compile(), again.compile()
    q, p = np.array(here.q0), np.array(there.q0)
    q[0] = p[0] = 0.7
    for name in ("a", "b"):
        np.testing.assert_allclose(
            ct.poses(here, q)[here.row_of(name)], ct.poses(there, p)[there.row_of(name)], atol=1e-12
        )


def test_the_start_is_a_keyframe():
    """Measured across joints that the mechanism's own tree has cut; balls, slides and free bodies too."""
    mech = four_bar(ct.Spherical((2.4, 1.4, 0)))
    mech.body("disk", 1.0, (0, 0, 3), (1, 1, 1), pose=np.diag([1.0, -1.0, -1.0, 1.0]))
    mech.joint("F", "ground", "disk", ct.Free())
    mech.body("knob", 1.0, (0, 0, 5), (1, 1, 1))
    mech.joint("S", "disk", "knob", ct.Spherical((0, 0, -4)))
    mech.body("slider", 1.0, (1, 1, 1), (1, 1, 1))
    mech.joint("P", "knob", "slider", ct.Prismatic((1, 1, 0)))
    mech.joint_spring("spring", "A", 1.0)
    system = mech.compile()
    rng = np.random.default_rng(2)
    mech.q_start = ct.assemble(system, ct.displace(system, system.q0, 0.3 * rng.normal(size=system.nv)))
    again = read_mjcf(mjcf_text(mech))
    there = again.compile()
    here = ct.poses(system, mech.q_start)
    for name in mech.bodies:
        np.testing.assert_allclose(
            ct.poses(there, again.q_start)[there.row_of(name)], here[system.row_of(name)], atol=1e-9
        )
    check_key(mujoco.MjModel.from_xml_string(mjcf_text(mech)), system, here)


def check_key(model, system, poses):
    """MuJoCo's bodies in the first keyframe are at these poses of ours."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    for k in range(1, model.nbody):
        C = poses[system.row_of(model.body(k).name)]
        np.testing.assert_allclose(data.xpos[k], C[:3, 3], atol=1e-9)
        np.testing.assert_allclose(data.xmat[k], C[:3, :3].ravel(), atol=1e-9)


@pytest.mark.parametrize("backward", [False, True])
def test_starts_are_measured_across_joints_that_are_cut(backward):
    """The mechanism's own tree leads to the last body by the hinge S, which is an equality in the file."""
    mech = ct.Mechanism()
    for k, name in enumerate("abc"):
        mech.body(name, 1.0, (k, 0.3 * k, 0), (1, 1, 1))
    for name, inner, outer, joint in (
        ("Q", "b", "c", ct.Revolute((2, 0, 0), Z)), ("R", "ground", "a", ct.Revolute((0, 0, 0), Z)),
        ("P", "a", "b", ct.Prismatic((1, 0.2, 0), point=(1, 0, 0))), ("S", "ground", "c", ct.Revolute((2, 1, 0), Z)),
    ):  # fmt: skip
        mech.joint(name, *((outer, inner) if backward else (inner, outer)), joint)
    system = mech.compile()
    assert system.cut_joints == ("P",)
    mech.q_start = ct.assemble(system, {"R": -0.2 if backward else 0.2})
    model = mujoco.MjModel.from_xml_string(mjcf_text(mech))
    assert [model.joint(k).name for k in range(3)] == ["R", "P", "Q"]
    assert np.abs(model.key_qpos[0]).min() > 1e-3
    check_key(model, system, ct.poses(system, mech.q_start))


def test_coordinates_of_joints_by_the_places_of_their_bodies():
    rng = np.random.default_rng(0)
    F = rigid(rng)
    turn, slide, both = np.eye(4), np.eye(4), rigid(rng)
    turn[:2, :2], slide[2, 3] = [[np.cos(2.5), -np.sin(2.5)], [np.sin(2.5), np.cos(2.5)]], 0.7
    moved = {kind: measured(kind(), F, F @ M @ np.linalg.inv(F)) for kind, M in (
        (ct.Revolute, turn), (ct.Prismatic, slide), (ct.Spherical, turn), (ct.Free, both), (ct.Weld, np.eye(4)),
    )}  # fmt: skip
    np.testing.assert_allclose(moved[ct.Revolute], [2.5], atol=1e-14)
    np.testing.assert_allclose(moved[ct.Prismatic], [0.7], atol=1e-14)
    np.testing.assert_allclose(moved[ct.Spherical], (np.cos(1.25), 0, 0, np.sin(1.25)), atol=1e-14)
    np.testing.assert_allclose(moved[ct.Free][4:], both[:3, 3], atol=1e-14)
    assert moved[ct.Weld].shape == (0,)


def rigid(rng):
    C = np.eye(4)
    C[:3, :3], C[:3, 3] = Rotation.random(random_state=int(rng.integers(1000))).as_matrix(), rng.normal(size=3)
    return C


def test_series_of_joints_through_bodies_without_mass():
    """Two hinges, up to six dofs and no rotation after a ball are joints of one body; others would have to have mass."""

    def chain(*joints):
        mech = ct.Mechanism()
        inner = "ground"
        for k, joint in enumerate(joints):
            last = k == len(joints) - 1
            outer = "end" if last else f"link{k}"
            mech.body(outer, *((1.0, (1, 2, 3), (1, 1, 1)) if last else (0.0,)))
            mech.joint(f"J{k}", inner, outer, joint)
            inner = outer
        return mech

    again = read_mjcf(mjcf_text(chain(ct.Revolute(axis=Z), ct.Prismatic(axis=Z), ct.Spherical((1, 0, 0)))))
    assert list(again.joints) == ["J0", "J1", "J2"]
    assert list(again.bodies) == ["end", "end after J0", "end after J1"]
    for joints in ([ct.Spherical(), ct.Revolute()], [ct.Free(), ct.Revolute()], [ct.Revolute()] * 7):
        with refused(DocumentError, "body 'link0' moves but lacks mass", "a little of both"):
            mjcf_text(chain(*joints))
    carried = chain(ct.Revolute(), ct.Weld())
    assert read_mjcf(mjcf_text(carried)).bodies["link0"].properties.mass == 0.0


def test_flat_bodies_and_gravity_carried():
    """MuJoCo holds the triangle inequality to the last digit, ours is held to six."""
    mech = pendulum(inertia=(0.1, 0.7, 0.8))
    mech.force("carried", "bob", 0.25 * 9.81 * np.array(Z))
    R = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    mech.body("plate", 1.0, (0, 0, 0), R @ np.diag((0.1, 0.7, 0.8)) @ R.T)
    mech.joint("K", "bob", "plate", ct.Spherical())
    again = read_mjcf(mjcf_text(mech))
    np.testing.assert_allclose(
        again.bodies["plate"].properties.inertia, mech.bodies["plate"].properties.inertia, atol=1e-12
    )
    np.testing.assert_allclose(again.loads["bob gravcomp"].value, 0.25 * 9.81 * np.array(Z))


def test_springs_of_one_joint_add_up():
    mech = pendulum()
    mech.joint_spring("a", "J", 3.0, 0.2)
    mech.joint_spring("b", "J", 1.0, -0.6)
    mech.spring("c", "ground", (1, 0, 0), "bob", (0, 0, -1), 5.0)
    again = read_mjcf(mjcf_text(mech))
    found = again.joint_forces["J spring"]
    assert (found.stiffness, found.rest) == (4.0, pytest.approx(0.0, abs=1e-15))
    assert again.springs["c"].length == pytest.approx(np.sqrt(2.0))
    free = pendulum(ct.Free())
    for name in ("wx", "wy", "wz", "vx", "vy", "vz"):
        free.joint_damper(name, "J", 0.3, name)
    assert read_mjcf(mjcf_text(free)).joint_forces["J damping vz"].damping == 0.3


def test_distances_are_written_as_tendons():
    mech = pendulum(ct.Spherical())
    mech.distance("as drawn", "ground", (1, 0, 0), "bob", (0, 0, -1))
    mech.distance("longer", "ground", (0, 1, 0), "bob", (0, 0, -1), 1.4)
    again = read_mjcf(mjcf_text(mech))
    # the second is open as drawn, so that the mechanism read is assembled elsewhere
    assert again.constraints["as drawn"].length.value == pytest.approx(np.sqrt(2.0))
    assert again.constraints["longer"].length.value == pytest.approx(1.4)
    system = again.compile()
    assert np.abs(ct.constraint_residual(system, system.q0)).max() < 1e-12


def test_meshes_are_written_once():
    mech = four_bar()
    mesh = ct.Mesh("parts/bar.stl", 0.001)
    for name in ("x", "y"):
        mech.body(name, 1.0, (0, 0, 0), (1, 1, 1), shape=mesh)
        mech.joint(name, "ground", name, ct.Weld())
    text = mjcf_text(mech)
    assert text.count("<mesh ") == 1
    again = read_mjcf(text).bodies["y"].shape
    assert (again.path, again.scale) == ("parts/bar.stl", 0.001)
    np.testing.assert_allclose(again.pose, np.eye(4), atol=1e-12)


# -- refused --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cone:
    def mass_properties(self, density):
        raise NotImplementedError


def spoil(what):
    """A mechanism that MJCF cannot express."""
    mech = four_bar()
    if what == "kind":
        mech.body("x", 1.0, (0, 0, 0), (1, 1, 1))
        mech.joint("H", "ground", "x", ct.Helical((0, 0, 0), Z, 0.1))
    elif what == "free":
        mech.body("x", 1.0, (0, 0, 0), (1, 1, 1))
        mech.joint("H", "rocker", "x", ct.Free())
    elif what == "deep":
        for k in range(302):
            mech.body(f"x{k}", 1.0, (0, 0, 0), (1, 1, 1))
            mech.joint(f"x{k}", f"x{k - 1}" if k else "ground", f"x{k}", ct.Revolute())
    elif what == "lost":
        mech.body("x", 1.0, (0, 0, 0), (1, 1, 1))
    elif what == "world":
        mech.body("world", 1.0, (0, 0, 0), (1, 1, 1))
    elif what == "closing":
        mech.body("x", 1.0, (0, 0, 0), (1, 1, 1))
        mech.joint("X", "ground", "x", ct.Revolute())
        mech.joint("Y", "x", "rocker", ct.Cylindrical((0, 0, 0), Z))
    elif what == "shape":
        mech.body("x", 1.0, (0, 0, 0), (1, 1, 1), shape=Cone())
        mech.joint("X", "ground", "x", ct.Weld())
    elif what == "point":
        mech.body("x", 1.0, (0, 0, 0), (0, 0, 0))
        mech.joint("X", "ground", "x", ct.Revolute())
    elif what in ("load", "along", "moment"):
        {
            "load": lambda: mech.force("push", "crank", lambda t: (t, 0, 0)),
            "along": lambda: mech.force("push", "crank", (1.0, 2.0, 0.0)),
            "moment": lambda: mech.torque("push", "crank", (0, 0, 1)),
        }[what]()  # fmt: skip
    return mech


@pytest.mark.parametrize(
    ("what", "error", "words"),
    [
        ("kind", DocumentError, ("joint 'H' is of type Helical", "which MJCF cannot express")),
        ("free", DocumentError, ("joint 'H' is free between two bodies",)),
        ("deep", DocumentError, ("body 'x300' is at the end of a chain of more than 300 bodies",)),
        ("lost", UnconnectedError, ("no joint connects 'x' to ground",)),
        ("world", DocumentError, ("body 'world' has the name of the root",)),
        ("closing", DocumentError, ("joint 'Y' closes a loop and is of type Cylindrical",)),
        ("shape", DocumentError, ("shape of body 'x' is of class Cone",)),
        ("point", DocumentError, ("body 'x' moves but lacks mass",)),
        ("load", DocumentError, ("MJCF does not know user functions", "force 'push'")),
        ("along", DocumentError, ("force 'push' on body 'crank'",)),
        ("moment", DocumentError, ("force 'push' on body 'crank'",)),
    ],
)
def test_what_cannot_be_said(what, error, words):
    with refused(error, *words):
        mjcf_text(spoil(what))


ACTING = {
    "MJCF does not know user functions of mechanism 'four-bar' (motor 'm')": lambda m: m.motor("m", "A", lambda t: t),
    "motor 'm' is neither a number nor a controller": lambda m: (
        m.body("x", 1.0, (0, 0, 0), (1, 1, 1)),
        m.joint("S", "ground", "x", ct.Spherical((0, 0, 0))),
        m.motor("m", "S", 1.0, "wx"),
    ),
    "'fC' acts on joint 'C', which closes a loop": lambda m: [m.joint_damper(f"f{joint}", joint, 1.0) for joint in "ABDC"],
    "springs of joint 'A' add up to a constant torque": lambda m: [m.joint_spring(f"{k}", "A", k, 1 + k) for k in (-1, 1)],
    "MJCF does not know locks of mechanism 'four-bar' (lock 'lock A')": lambda m: m.lock("A"),
    "limit 'limit A' is not a stop without rebound": lambda m: m.limit("A", 0.0, 1.0, restitution=0.5),
    "joint 'A' has two limits": lambda m: (m.limit("A", 0.0, 1.0), m.limit("A", 0.0, 2.0, name="x")),
    "MJCF does not know switched constraints of mechanism 'four-bar' (drive 'd')": lambda m: (
        m.drive("d", "A", 0.1), m.deactivate("d", at=1.0)
    ),
    "MJCF does not know user functions of mechanism 'four-bar' (drive 'd')": lambda m: m.drive("d", "A", lambda t: t),
    "MJCF does not know non-holonomic rows of mechanism 'four-bar' (knife edge 'k')": lambda m: m.knife_edge(
        "k", "crank", (0, 0, 0), Z
    ),
    "constraint 'g' is neither a coupling": lambda m: m.coupling("g", dict.fromkeys("ABCD", 1.0)),
}  # fmt: skip


@pytest.mark.parametrize("words", ACTING)
def test_what_cannot_act(words):
    mech = four_bar()
    ACTING[words](mech)
    with refused(DocumentError, words, "which MJCF cannot express"):
        mjcf_text(mech)


def test_uneven_dampers_of_a_ball():
    mech = pendulum(ct.Spherical())
    mech.joint_damper("d", "J", 1.0, "wx")
    with refused(DocumentError, "forces on joint 'J' are not equal dampers"):
        mjcf_text(mech)


def test_systems_are_refused():
    with refused(ShapeError, "only a Mechanism can be saved", "system.mechanism"):
        mjcf_text(four_bar().compile())
