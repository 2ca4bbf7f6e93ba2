"""Mechanisms for variable topology: mobility and closure, names and masses, and their numbers by a second route."""

from itertools import pairwise

import numpy as np
import pytest

import cotree as ct
from cotree import gallery
from cotree.gallery.locking_arms import GEAR_RATIO, RX130L_FOREARM, with_motors
from cotree.gallery.parallel_robots import PALM_ARCS
from tests.descriptions import same_state, worst_difference
from tests.gallery.test_papers import admissible_state, body_accelerations

MECHANISMS = {
    "planar 3R": gallery.planar_3r,
    "RX130": gallery.rx130,
    "RX130L": lambda: gallery.rx130(forearm=RX130L_FOREARM),
    "RX130 with rotors": lambda: gallery.rx130(rotors=1e-3),
    "five-bar": gallery.five_bar,
    "spherical five-bar": gallery.spherical_five_bar,
    "Stewart": gallery.stewart,
}
DOF = dict(zip(MECHANISMS, (3, 6, 6, 6, 2, 2, 6), strict=True))
STARTS = tuple(MECHANISMS)[:4]
MASSES = {
    "planar 3R": {"link1": 6.75, "link2": 6.75, "link3": 6.75},
    "RX130": {"shoulder": 45, "upper arm": 40, "elbow": 20, "forearm": 22, "wrist": 2, "flange": 5},
    "RX130L": {"forearm": 28},
    "RX130 with rotors": {"rotor1": 1.25, "rotor2": 1.25, "rotor3": 1.25},  # 2 J / r^2
}
LOCKED = {  # the mechanism, joints to lock, dof left
    "four-bar": ("five-bar", ("A1",), 1),
    "structure": ("five-bar", ("A1", "A2"), 0),
    "spherical four-bar": ("spherical five-bar", ("C",), 1),
    "Stewart on three legs": ("Stewart", ("leg2", "leg4", "leg5"), 3),
    "Stewart on none": ("Stewart", tuple(f"leg{k}" for k in range(1, 7)), 0),
    "RX130 with rotors, base locked": ("RX130 with rotors", ("J1",), 5),
    "planar 3R as a pendulum": ("planar 3R", ("J2", "J3"), 1),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_mobility_here_and_elsewhere(name):
    mech = MECHANISMS[name]()
    system = mech.compile()
    assert np.abs(ct.constraint_residual(system, system.q0)).max(initial=0.0) < 1e-15
    q, _ = admissible_state(system, 1, mech.q_start)
    assert np.abs(q - system.q0).max() > 0.1
    for at in (system.q0, q):
        found = ct.mobility(system, at)
        assert (found.differential, found.local, found.singular) == (DOF[name], DOF[name], False)


@pytest.mark.parametrize("name", LOCKED)
def test_mobility_when_locked(name):
    of, joints, dof = LOCKED[name]
    mech = MECHANISMS[of]()
    for joint in joints:
        mech.drive(f"lock {joint}", joint, 0.0)
    assert ct.mobility(mech).local == dof


@pytest.mark.parametrize("name", MASSES)
def test_masses(name):
    mech = MECHANISMS[name]()
    found = {body: mech.bodies[body].properties.mass for body in MASSES[name]}
    assert found == pytest.approx(MASSES[name], rel=1e-13)


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_body_can_be_drawn(name):
    assert all(body.shape is not None for body in MECHANISMS[name]().bodies.values())


@pytest.mark.parametrize("name", STARTS)
def test_starts_are_admissible(name):
    mech = MECHANISMS[name]()
    system, q, v = mech.compile(), mech.q_start, mech.v_start
    assert (q.shape, v.shape) == ((system.nq,), (system.nv,))
    assert np.abs(ct.constraint_residual(system, q)).max(initial=0.0) < 1e-16 * max(1.0, np.abs(q).max())
    assert np.abs(ct.constraint_jacobian(system, q) @ v).max(initial=0.0) < 1e-16 * max(1.0, np.abs(v).max())


def test_names():
    assert gallery.planar_3r().compile().coordinate_names == ("J1", "J2", "J3")
    joints = tuple(f"J{k}" for k in range(1, 7))
    assert gallery.rx130().compile().coordinate_names == joints
    assert gallery.rx130(rotors=1e-4).compile().coordinate_names == (*joints, "motor3", "motor2", "motor1")
    for five in (gallery.five_bar(), gallery.spherical_five_bar()):
        assert set(five.joints) == {"A1", "B1", "C", "B2", "A2"}
    assert {f"leg{k}" for k in range(1, 7)} < set(gallery.stewart().joints)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_accelerations_in_absolute_coordinates(name, group):
    mech = MECHANISMS[name]()
    system, other = mech.compile(), mech.compile(coordinates="absolute", group=group)
    q, v = admissible_state(system, 2, mech.q_start)
    expected = body_accelerations(system, q, v)
    assert worst_difference(body_accelerations(other, *same_state(other, system, q, v)), expected) < 1e-9


# -- planar 3R ------------------------------------------------------------------------------------------------


def mass_matrix_3r(q):
    """Textbook 3R arm of uniform bars, l = 1 and l_c = 1/2, in relative angles."""
    m, I = 6.75, 6.75 / 12 * (1 + 0.05**2)
    c2, c3, c23 = np.cos(q[1]), np.cos(q[2]), np.cos(q[1] + q[2])
    m33 = I + m / 4
    m23 = m33 + m / 2 * c3
    m22 = 2 * I + m * (1 / 4 + 1 + 1 / 4) + m * c3
    m13 = m33 + m / 2 * (c3 + c23)
    m12 = m22 + m * (1 / 2 + 1) * c2 + m / 2 * c23
    m11 = 3 * I + m * (3 / 4 + 1 + 2) + m * c2 + 2 * m * c2 + m * c3 + m * c23
    return np.array([[m11, m12, m13], [m12, m22, m23], [m13, m23, m33]])


@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix_of_the_planar_arm(seed):
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, 3)
    np.testing.assert_allclose(ct.mass_matrix(gallery.planar_3r().compile(), q), mass_matrix_3r(q), rtol=1e-13)


def test_potential_energy_of_the_planar_arm():
    q = gallery.planar_3r().q_start
    heights = np.cumsum(np.sin(np.cumsum(q))) - np.sin(np.cumsum(q)) / 2
    expected = 6.75 * 9.81 * heights.sum()
    assert ct.energy(gallery.planar_3r().compile(), q, np.zeros(3)).potential == pytest.approx(expected, rel=1e-13)


# -- RX130 ----------------------------------------------------------------------------------------------------

RX130_TABLE = [  # alpha, a, d of modified Denavit-Hartenberg; pdvanmeter/ROBOT_V1, robotCore/models/modelRobot.m
    (0.0, 0.0, 0.550),
    (-np.pi / 2, 0.0, 0.0),
    (0.0, 0.625, 0.0),
    (np.pi / 2, 0.0, 0.625),
    (-np.pi / 2, 0.0, 0.0),
    (np.pi / 2, 0.0, 0.110),
]


def flange_by_table(q, table):
    """Product of Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d)."""
    C = np.eye(4)
    for theta, (alpha, a, d) in zip(q, table, strict=True):
        c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        C = C @ np.array([[c, -s, 0, a], [s * ca, c * ca, -sa, -sa * d], [s * sa, c * sa, ca, ca * d], [0, 0, 0, 1]])
    return C


@pytest.mark.parametrize("forearm", [0.625, 0.925])
@pytest.mark.parametrize("seed", range(4))
def test_flange_against_the_table(seed, forearm):
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, 6) if seed else np.zeros(6)
    table = [*RX130_TABLE[:3], (np.pi / 2, 0.0, forearm), *RX130_TABLE[4:]]
    system = gallery.rx130(forearm=forearm).compile()
    home = flange_by_table(np.zeros(6), table)
    np.testing.assert_allclose(home[:3, 3], (0.625, 0, 0.55 + forearm + 0.11), atol=1e-15)
    found = ct.poses(system, q)[system.row_of("flange")] @ home
    np.testing.assert_allclose(found, flange_by_table(q, table), atol=1e-13)


def test_kinetic_energy_of_the_arm():
    """Sum over the bodies of their own, from centres and rotations of the poses by differences."""
    mech, h = gallery.rx130(), 1e-5
    system, q, v = mech.compile(), mech.q_start, mech.v_start
    before, after = ct.poses(system, q - h * v), ct.poses(system, q + h * v)
    now, kinetic = ct.poses(system, q), 0.0
    for k, name in enumerate(system.body_names, 1):
        p = mech.bodies[name].properties
        rate = (after[k] - before[k]) / (2 * h)
        velocity = rate[:3] @ [*p.com, 1.0]
        W = now[k, :3, :3].T @ rate[:3, :3]
        w = np.array([W[2, 1], W[0, 2], W[1, 0]])
        kinetic += p.mass * velocity @ velocity / 2 + w @ p.inertia @ w / 2
    found = ct.energy(system, q, v).kinetic
    assert found == pytest.approx(kinetic, rel=1e-8)
    assert 100 < found < 200


def test_joint_rates_are_within_those_of_the_class():
    """Of the RX160L, in degrees per second (ros-industrial/staubli, staubli_rx160_support)."""
    assert (np.abs(np.degrees(gallery.rx130().v_start)) < [200, 200, 255, 315, 360, 870]).all()


def test_rotors_add_the_square_of_the_ratio():
    """Geared, the three motors add J n^2 to their joints, but for the little that they weigh and turn with their bearers."""
    J, arm = 1e-3, gallery.rx130().compile()
    mech = gallery.rx130(rotors=J)
    system = mech.compile()
    for k in range(3):
        e = np.eye(6)[k]
        v = with_motors(e)
        own = 0.5 * J * GEAR_RATIO**2
        extra = ct.energy(system, mech.q_start, v).kinetic - ct.energy(arm, mech.q_start[:6], e).kinetic
        assert 1.0 - 1e-12 < extra / own < 1.02
        turned = ct.twists(system, mech.q_start, v, "spatial")[system.row_of(f"rotor{k + 1}")][:3]
        assert np.linalg.norm(turned) == pytest.approx(GEAR_RATIO)
        assert v[system.velocity_index(f"motor{k + 1}")] == GEAR_RATIO


# -- loops ----------------------------------------------------------------------------------------------------


def test_palm():
    """The axes pass through the origin and keep the arcs as the linkage moves."""
    mech = gallery.spherical_five_bar()
    axes = {name: j.joint.point / np.linalg.norm(j.joint.point) for name, j in mech.joints.items()}
    for name, j in mech.joints.items():
        np.testing.assert_allclose(np.cross(j.joint.axis, axes[name]), 0, atol=1e-15)
    ring = ("A2", "A1", "B1", "C", "B2", "A2")
    arcs = [np.degrees(np.arccos(axes[a] @ axes[b])) for a, b in pairwise(ring)]
    np.testing.assert_allclose(arcs, PALM_ARCS, rtol=1e-13)


def test_lengths_of_the_five_bar():
    points = {name: np.array(j.joint.point) for name, j in gallery.five_bar().joints.items()}
    ring = ("A2", "A1", "B1", "C", "B2", "A2")
    lengths = [np.linalg.norm(points[a] - points[b]) for a, b in pairwise(ring)]
    np.testing.assert_allclose(lengths, (0.5, 0.4, 0.6, 0.6, 0.4), rtol=1e-14)


@pytest.mark.parametrize("lengths", [(0.5, 0.4, 0.6, 0.6, 0.4), PALM_ARCS])
def test_no_posture_of_the_five_bars_is_singular(lengths):
    """All joints on one line, or all axes in one plane, would take a sum with signs that is zero, or a full circle."""
    base, *others = lengths
    signs = 1 - 2 * np.array(np.unravel_index(range(16), (2, 2, 2, 2)))
    sums = np.abs(signs.T @ others)
    assert np.abs(sums - base).min() > 0.05 * base
    if base > 1:
        assert (sums + base).max() < 360
