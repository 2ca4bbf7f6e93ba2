"""The joint catalogue: frames, screws, degrees of freedom and names, METHODS 3."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cotree as ct
from cotree.lie import Ad, exp_se3, exp_so3, pose
from cotree.model.joints import axis_frame
from cotree.system.joint_frames import motion_gap

P, AXIS = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.4, -1.2])
E = AXIS / 1.3
# joint, twist components (w1 w2 w3 v1 v2 v3) that pass, suffixes of the coordinates
TABLE = {
    "weld": (ct.Weld(), (), []),
    "prismatic": (ct.Prismatic(AXIS, point=P), (5,), [""]),
    "revolute": (ct.Revolute(P, AXIS), (2,), [""]),
    "helical": (ct.Helical(P, AXIS, 0.25), (2,), [""]),
    "planar translation": (ct.PlanarTranslation(AXIS), (3, 4), [".vx", ".vy"]),
    "cylindrical": (ct.Cylindrical(P, AXIS), (2, 5), [".wz", ".vz"]),
    "universal": (ct.Universal(P, AXIS, (4, -3, 0)), (0, 1), [".w1", ".w2"]),
    "translation": (ct.Translation(), (3, 4, 5), [".vx", ".vy", ".vz"]),
    "planar": (ct.Planar(P, AXIS), (2, 3, 4), [".wz", ".vx", ".vy"]),
    "spherical": (ct.Spherical(P), (0, 1, 2), [".wx", ".wy", ".wz"]),
    "schoenflies": (ct.Schoenflies(AXIS), (2, 3, 4, 5), [".wz", ".vx", ".vy", ".vz"]),
    "free": (ct.Free(), (0, 1, 2, 3, 4, 5), [".wx", ".wy", ".wz", ".vx", ".vy", ".vz"]),
}
WITH_AXIS = ["prismatic", "revolute", "helical", "planar translation", "cylindrical", "planar", "schoenflies"]
WITH_POINT = ["prismatic", "revolute", "helical", "cylindrical", "universal", "planar", "spherical"]
SUBGROUPS = [name for name in TABLE if name != "universal"]


def is_rotation(R):
    return np.abs(R @ R.T - np.eye(3)).max() < 1e-14 and np.linalg.det(R) > 0


def world_screws(joint):
    """Screws about the world's origin."""
    return Ad(joint.frame()) @ joint.screws()


@pytest.mark.parametrize("name", TABLE)
def test_degrees_of_freedom_and_names(name):
    joint, free, suffixes = TABLE[name]
    assert joint.dof == len(free)
    assert joint.free == free
    assert joint.screws().shape == (6, joint.dof)
    assert joint.coordinate_names() == suffixes
    assert is_rotation(joint.frame()[:3, :3])


@pytest.mark.parametrize("name", [n for n in TABLE if n not in ("helical", "universal")])
def test_screws_in_the_joint_frame(name):
    joint, free, _ = TABLE[name]
    assert np.array_equal(joint.screws(), np.eye(6)[:, list(free)])


@pytest.mark.parametrize("name", WITH_AXIS)
def test_the_third_axis_is_the_joints(name):
    assert np.allclose(TABLE[name][0].frame()[:3, 2], E, atol=1e-15)


@pytest.mark.parametrize("name", WITH_POINT)
def test_the_frame_is_at_the_point(name):
    assert np.array_equal(TABLE[name][0].frame()[:3, 3], P)


@pytest.mark.parametrize(("name", "expected"), [
    ("revolute", [np.r_[E, np.cross(P, E)]]),
    ("prismatic", [np.r_[0, 0, 0, E]]),
    ("helical", [np.r_[E, np.cross(P, E) + 0.25 * E]]),
    ("cylindrical", [np.r_[E, np.cross(P, E)], np.r_[0, 0, 0, E]]),
    ("universal", [np.r_[E, np.cross(P, E)], np.r_[0.8, -0.6, 0, np.cross(P, (0.8, -0.6, 0))]]),
    ("spherical", [np.r_[e, np.cross(P, e)] for e in np.eye(3)]),
    ("translation", list(np.eye(6)[3:])),
    ("free", list(np.eye(6))),
])  # fmt: skip
def test_screws_in_the_world(name, expected):
    """Y = (e, p x e + h e), METHODS 4."""
    assert np.allclose(world_screws(TABLE[name][0]).T, expected, atol=1e-14)


@pytest.mark.parametrize("name", ["planar", "planar translation", "schoenflies"])
def test_planes_are_normal_to_the_axis(name):
    Y = world_screws(TABLE[name][0])
    slides = Y[3:, np.abs(Y[:3]).max(axis=0) == 0]
    if name != "schoenflies":
        assert np.abs(E @ slides).max() < 1e-15
    assert np.linalg.matrix_rank(slides) == slides.shape[1] == (3 if name == "schoenflies" else 2)


def test_the_planes_first_axis():
    for joint in (ct.Planar(P, AXIS, (1, 1, 0)), ct.PlanarTranslation(AXIS, (1, 1, 0))):
        R = joint.frame()[:3, :3]
        within = np.array([1, 1, 0]) - E * (E @ (1, 1, 0))
        assert is_rotation(R)
        assert np.allclose(R[:, 0], within / np.linalg.norm(within), atol=1e-15)
        assert np.allclose(R[:, 2], E, atol=1e-15)


def test_defaults():
    assert np.array_equal(ct.Revolute().frame(), np.eye(4))
    assert np.array_equal(ct.Planar().frame(), np.eye(4))
    assert ct.Helical().screws()[5, 0] == 0.0
    assert [j().kind for j in (ct.Universal, ct.Spherical, ct.Planar, ct.Free)] == ["second", "group", "group", "group"]


@pytest.mark.parametrize("kind", ["second", "first", "cayley"])
@pytest.mark.parametrize("joint", [ct.Cylindrical, ct.Spherical, ct.Planar, ct.Translation, ct.Schoenflies, ct.Free])
def test_coordinates_that_are_no_twist_are_numbered(joint, kind):
    made = joint(coordinates=kind)
    assert made.kind == kind
    assert made.coordinate_names() == [f".q{i + 1}" for i in range(made.dof)]


@pytest.mark.parametrize("joint", [ct.Spherical, ct.Free])
def test_quaternions_keep_the_names_of_the_velocities(joint):
    assert joint(coordinates="quaternion").coordinate_names() == joint().coordinate_names()


# -- universal joints ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", [(0, 1, 0), (1, 1, 0), (0.1, 0.2, 0.9), (-1, 0.01, 0)])
def test_universal_axes_need_not_be_orthogonal(second):
    joint = ct.Universal(P, (2, 0, 0), second)
    F, Z = joint.frame(), joint.screws()
    e = np.array(second) / np.linalg.norm(second)
    assert is_rotation(F[:3, :3])
    assert np.allclose(F[:3, 0], (1, 0, 0), atol=1e-15)
    assert abs(F[:3, 2] @ e) < 1e-15
    assert np.array_equal(Z[:, 0], np.eye(6)[0])
    assert np.allclose(F[:3, :3] @ Z[:3, 1], e, atol=1e-15)
    assert not Z[3:].any()


def test_a_universal_joint_turns_about_its_first_axis_then_the_second():
    mech = ct.Mechanism()
    mech.body("fork", 1, (1, 2, 3), (1, 1, 1))
    a, b = np.array([1, 0, 0]), np.array([0.6, 0.8, 0])
    mech.joint("cross", "ground", "fork", ct.Universal(P, a, b))
    system, q = mech.compile(), (0.7, -1.1)
    expected = pose(p=P) @ pose(exp_so3(q[0] * a)) @ pose(exp_so3(q[1] * b)) @ pose(p=-P)
    assert np.allclose(ct.poses(system, q)[1], expected, atol=1e-14)
    assert system.coordinate_names == ("cross.w1", "cross.w2")


# -- the frame of an axis ------------------------------------------------------------------------------------

directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda d: np.linalg.norm(d) > 1e-3)
POLES = [
    (x, y, s) for s in (1.0, -1.0) for x in (0.0, 1e-300, 1e-12, -1e-8, 1e-4) for y in (0.0, 1e-12, -1e-7)
]  # fmt: skip


def check_axis_frame(axis):
    axis = np.array(axis) / np.linalg.norm(axis)
    C = axis_frame(P, axis)
    assert is_rotation(C[:3, :3])
    assert np.allclose(C[:3, 2], axis, rtol=0, atol=1e-15)
    assert np.array_equal(C[:3, 3], P)
    assert np.array_equal(C[3], (0, 0, 0, 1))


@given(directions)
def test_axis_frame_of_any_direction(axis):
    check_axis_frame(axis)


@pytest.mark.parametrize("axis", POLES)
def test_axis_frame_near_the_poles(axis):
    check_axis_frame(axis)


def test_axis_frame_of_the_worlds_axis_is_the_worlds():
    assert np.array_equal(axis_frame(np.zeros(3), np.array([0.0, 0.0, 1.0])), np.eye(4))


@given(directions)
def test_upward_frames_are_the_shortest_turn(axis):
    axis = np.array(axis) / np.linalg.norm(axis)
    axis[2] = abs(axis[2])
    R = axis_frame(P, axis)[:3, :3]
    assert np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1)) == pytest.approx(np.arccos(axis[2]), abs=1e-7)


@pytest.mark.parametrize("length", [1e-300, 1e-30, 1.0, 1e200])
def test_axes_of_any_length(length):
    frame = ct.Revolute(P, np.array([0.6, 0.0, 0.8]) * length).frame()
    assert np.allclose(frame[:3, 2], (0.6, 0, 0.8), atol=1e-15)


# -- how far a pose is from the motion of a joint -------------------------------------------------------------


def motions(joint, rng):
    """Relative poses that the joint allows."""
    Z = joint.screws()
    for _ in range(5):
        if isinstance(joint, ct.Universal):
            yield exp_se3(Z[:, 0] * rng.uniform(-3, 3)) @ exp_se3(Z[:, 1] * rng.uniform(-3, 3))
        else:
            yield exp_se3(Z @ rng.uniform(-1.5, 1.5, joint.dof))


@pytest.mark.parametrize("name", TABLE)
def test_no_gap_within_the_motion(name):
    joint = TABLE[name][0]
    for N in motions(joint, np.random.default_rng(3)):
        assert motion_gap(joint, N) < 1e-14


@pytest.mark.parametrize("name", [n for n in SUBGROUPS if n not in ("free", "helical")])
def test_a_gap_outside(name):
    """A small held component shows in full, at the reference and after a motion."""
    joint, free, _ = TABLE[name]
    for held in set(range(6)) - set(free):
        assert motion_gap(joint, exp_se3(1e-3 * np.eye(6)[held])) == pytest.approx(1e-3, rel=1e-6)
        for N in motions(joint, np.random.default_rng(4)):
            assert motion_gap(joint, N @ exp_se3(1e-3 * np.eye(6)[held])) > 1e-4


def test_a_gap_of_the_universal_joint():
    joint = ct.Universal(P, (1, 0, 0), (1, 1, 0))
    assert motion_gap(joint, exp_se3([0, 0, 1e-3, 0, 0, 0])) == pytest.approx(1e-3 * np.sin(np.pi / 4), rel=1e-3)
    assert motion_gap(joint, pose(p=(0, 2e-3, 0))) == pytest.approx(2e-3)


@pytest.mark.parametrize("turns", [0.1, 0.9, 1.3, -2.6, 12.4])
def test_a_nut_may_be_many_turns_along(turns):
    joint, angle = ct.Helical((0, 0, 0), (0, 0, 1), 0.01), 2 * np.pi * turns
    assert motion_gap(joint, exp_se3(angle * joint.screws()[:, 0])) < 1e-13
    assert motion_gap(joint, exp_se3(np.r_[0, 0, angle, 0, 0, 0.011 * angle])) > 1e-4
    assert motion_gap(joint, exp_se3([0, 0, 0, 0, 0, 0.01])) > 1e-3


def test_turned_over_is_not_met():
    """Antiparallel axes pass the component form of Geo Table 1; they are a gap."""
    assert motion_gap(ct.Revolute(), pose(np.diag([1.0, -1.0, -1.0]))) > 3.0


@pytest.mark.parametrize("name", TABLE)
def test_frames_of_many_joints(name):
    """All at once or one by one, to the last bit."""
    joint = TABLE[name][0]
    others = [joint, type(joint)()]
    assert np.array_equal(type(joint).frames(others), np.array([j.frame() for j in others]))


def test_arrays_that_change_later_do_not_move_a_joint():
    p, e = P.copy(), AXIS.copy()
    joint = ct.Revolute(p, e)
    before = joint.frame()
    p += 1.0
    e[:] = (1.0, 0.0, 0.0)
    assert np.array_equal(joint.frame(), before)
