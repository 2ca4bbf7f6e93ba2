"""Rest positions against formulas, energies and forward dynamics: loops, springs, drivers, stops, brakes, loads that follow."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import cotree as ct
from cotree.errors import EquilibriumError, UnknownNameError
from tests import closed_mechanisms

G = 9.81


def pendulum(mass=2.0, length=0.5):
    mech = ct.Mechanism("pendulum")
    rod = mech.body("rod", mass, (0, 0, -length), (0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, rod, ct.Revolute((0, 0, 0), (0, 1, 0)))
    return mech


@pytest.mark.parametrize("start", [0.0, 1.0, 3.0, -3.1, 8.0])
def test_pendulum_sinks_from_any_start(start):
    found = ct.equilibrium(pendulum(), [start])
    assert found.stable
    assert found.kind == "stable"
    assert abs(np.sin(found.q[0])) < 1e-12
    assert np.cos(found.q[0]) > 0.0
    assert np.allclose(found.reactions["A"], [0, 0, 0, 0, 0, 2.0 * G], atol=1e-9)


def test_unstable_position_is_kept_and_found():
    upright = ct.equilibrium(pendulum(), [np.pi])
    assert not upright.stable
    assert upright.kind == "unstable"
    assert upright.q[0] == np.pi
    both = ct.equilibrium(pendulum(), [1.0], starts=8).others
    assert [e.kind for e in both] == ["stable", "unstable"]
    assert np.allclose([np.cos(e.q[0]) for e in both], [1.0, -1.0])


def test_fixed_coordinates_are_held():
    found = ct.equilibrium(pendulum(), [1.0], fixed=["A"])
    assert found.q[0] == 1.0
    assert found.stable
    assert abs(found.holding["A"] - 2.0 * G * 0.5 * np.sin(1.0)) < 1e-12


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
def test_four_bar_rests_where_its_energy_is_least(cut):
    system = ct.gallery.four_bar().compile(cut=[cut])
    found = ct.equilibrium(system)
    at = ct.gallery.four_bar().compile(cut=["C"])
    near = ct.equilibrium(at).q
    crank = near[at.q_index("A")]
    assert np.abs(poses_of(system, found.q) - poses_of(at, near)).max() < 1e-9

    def height(angle):
        q = near.copy()
        q[at.q_index("A")] = angle
        return ct.energy(at, ct.assemble(at, q, fixed=["A"]), None).potential

    least = minimize_scalar(height, bracket=(crank - 0.05, crank + 0.05), tol=1e-12)
    assert abs(least.x - crank) < 1e-6
    assert abs(least.fun - found.potential) < 1e-10
    assert found.stable
    assert found.unbalanced < 1e-12


def poses_of(system, q):
    """In the order of the bodies' names."""
    found = ct.poses(system, q)
    return np.array([found[system.row_of(name)] for name in sorted(system.body_names)])


def _angle(system, q, body):
    R = ct.poses(system, q)[system.row_of(body)]
    return float(np.arctan2(R[1, 0], R[0, 0]))


@pytest.mark.parametrize("name", ["four_bar", "double_parallelogram", "stewart", "delta", "sarrus"])
def test_redundant_rows_do_no_harm(name):
    """With and without regularization, relative and absolute: the same position, at rest in forward dynamics too."""
    mech = getattr(closed_mechanisms, name)()
    mech = mech.mechanism() if hasattr(mech, "mechanism") else mech
    for k, body in enumerate(mech.bodies):
        mech.spring(f"s{k}", "ground", (0.3, 0.2 + 0.1 * k, 0.5), body, (0.4, 0.1 * k, 0.2), 40.0, 0.2)
    poses = []
    for choice in ({}, {"regularize": False}, {"coordinates": "absolute"}):
        system = mech.compile(**choice)
        found = ct.equilibrium(system)
        at_rest = ct.forward_dynamics(system, found.q)
        assert np.abs(at_rest.v_dot).max() < 1e-7
        poses.append(poses_of(system, found.q))
        if at_rest.unique:
            for joint, wrench in at_rest.reactions.items():
                assert np.allclose(found.reactions[joint], wrench, atol=1e-6)
    assert np.abs(poses[0] - poses[1]).max() < 1e-8
    assert np.abs(poses[0] - poses[2]).max() < 1e-8


def test_springs_in_series_with_a_light_body():
    mech = ct.Mechanism("series")
    a = mech.body("a", 1e-12, (0, 0, -1), (0, 0, 0))
    b = mech.body("b", 3.0, (0, 0, -2), (0, 0, 0))
    for body in (a, b):
        mech.joint(body.name, mech.ground, body, ct.Prismatic(axis=(0, 0, 1)))
    mech.spring("upper", mech.ground, (0, 0, 0), a, (0, 0, -1), 100.0, 1.0)
    mech.spring("lower", a, (0, 0, -1), b, (0, 0, -2), 50.0, 1.0)
    found = ct.equilibrium(mech)
    assert np.allclose(found.q, [-3.0 * G / 100.0, -3.0 * G / 100.0 - 3.0 * G / 50.0], atol=1e-11)
    assert found.stable


def test_drivers_hold_at_a_time():
    """The torque of the driver by the principle of virtual work: the slope of the energy along its angle."""
    mech = ct.gallery.four_bar()
    mech.drive("turn", "A", lambda t: 0.3 * t)
    system = mech.compile(cut=["C"])
    found = ct.equilibrium(system, t=2.0)
    assert abs(found.q[system.q_index("A")] - 0.6) < 1e-12
    free = ct.gallery.four_bar().compile(cut=["C"])
    held = ct.equilibrium(free, {"A": 0.6}, fixed=["A"])

    def height(angle):
        return ct.energy(free, ct.assemble(free, {"A": angle}), None).potential

    slope = (height(0.6 + 1e-4) - height(0.6 - 1e-4)) / 2e-4
    assert abs(held.holding["A"] - slope) < 1e-5
    assert abs(found.reactions["A"][2] - held.reactions["A"][2]) < 1e-9
    assert abs(found.reactions["A"][2] - slope) < 1e-5


def test_stops_are_leant_on_and_left():
    mech = pendulum()
    mech.limit("A", lower=-0.3, upper=0.4, name="stop")
    assert ct.equilibrium(mech, [0.4]).stops == {}
    mech.motor("m", "A", 6.0)
    for start in (-0.3, 0.0, 0.4, 2.0):
        found = ct.equilibrium(mech, [start])
        assert abs(found.q[0] - 0.4) < 1e-12
        assert abs(found.stops["stop"] - (2.0 * G * 0.5 * np.sin(0.4) - 6.0)) < 1e-10
        assert found.stable


def test_stop_of_a_cut_joint():
    mech = ct.gallery.four_bar()
    plain = ct.equilibrium(mech.compile(cut=["D"]))
    at = mech.compile(cut=["A"])
    start = ct.assemble(at, at.q0)
    free = ct.equilibrium(at, start)
    angle = _angle(at, free.q, "rocker")
    mech.limit("D", lower=0.5 * angle if angle < 0 else None, upper=0.5 * angle if angle > 0 else None, name="stop")
    for cut in ("D", "C"):
        system = mech.compile(cut=[cut])
        found = ct.equilibrium(system)
        assert abs(_angle(system, found.q, "rocker") - 0.5 * angle) < 1e-10
        assert found.stops["stop"] * angle < 0.0
        assert found.potential > plain.potential


def test_brakes_hold_and_slide():
    for torque, expected in ((20.0, 1.0), (4.0, np.arcsin(4.0 / (2.0 * G * 0.5)))):
        mech = pendulum()
        mech.brake("A", torque)
        found = ct.equilibrium(mech, [1.0])
        assert abs(found.q[0] - expected) < 1e-10


def test_locks_from_the_start_hold():
    mech = pendulum()
    mech.lock("A")
    assert ct.equilibrium(mech, [0.7]).q[0] == 0.7


def test_follower_load_flutters_at_the_published_load():
    """Ziegler's column, two links with masses 2 m and m: H. Ziegler, Ingenieur-Archiv 20 (1952) 49-56, told again by Kirillov
    and Verhulst, arXiv:0906.1650. With p = P l / k and x = m l^2 w^2 / k its modes have 2 x^2 + (2 p - 7) x + 1 = 0: two
    frequencies meet, and flutter begins, at p = 7/2 - sqrt(2)."""
    k, l, m = 3.0, 0.8, 0.5
    for part, stable in ((0.999, True), (1.001, False)):
        mech = ct.Mechanism("column", gravity=(0, 0, 0))
        a = mech.body("a", 2 * m, (l, 0, 0), (0, 0, 0))
        b = mech.body("b", m, (2 * l, 0, 0), (0, 0, 0))
        mech.joint("A", mech.ground, a, ct.Revolute((0, 0, 0), (0, 0, 1)))
        mech.joint("B", a, b, ct.Revolute((l, 0, 0), (0, 0, 1)))
        mech.joint_spring("ka", "A", k)
        mech.joint_spring("kb", "B", k)
        mech.force("P", b, (-part * (3.5 - np.sqrt(2.0)) * k / l, 0, 0), (2 * l, 0, 0), frame="body")
        found = ct.equilibrium(mech)
        assert np.abs(found.q).max() < 1e-12
        assert found.stable == stable


def test_buckling_and_indifference():
    for stiffness, stable in ((2.0 * G * 0.5 * 1.01, True), (2.0 * G * 0.5 * 0.99, False)):
        mech = pendulum()
        mech.joint_spring("k", "A", stiffness, rest=np.pi)
        assert ct.equilibrium(mech, [np.pi]).stable == stable
    rotor = ct.Mechanism("rotor")
    rotor.joint("A", rotor.ground, rotor.body("disk", 1.0, (0, 0, 0), (1, 1, 1)), ct.Revolute((0, 0, 0), (0, 1, 0)))
    found = ct.equilibrium(rotor, [0.3])
    assert found.kind == "indifferent"
    assert not found.stable
    assert found.q[0] == 0.3


def test_motor_laws_and_rolling():
    mech = pendulum()
    mech.motor("m", "A", lambda angle, rate: 4.0 - 3.0 * angle - 7.0 * rate)
    q = ct.equilibrium(mech).q[0]
    assert abs(4.0 - 3.0 * q - 2.0 * G * 0.5 * np.sin(q)) < 1e-10
    disk = ct.gallery.rolling_disk().compile()
    assert ct.equilibrium(disk, ct.gallery.rolling_disk().compile().q0).unbalanced < 1e-9


def test_errors_name_what_is_left():
    mech = ct.Mechanism("stone")
    mech.joint("F", mech.ground, mech.body("b", 1.5, (0, 0, 0), (1, 1, 1)), ct.Free())
    with pytest.raises(EquilibriumError, match=r"along coordinate 'F.vz' a force of -14.715"):
        ct.equilibrium(mech)
    with pytest.raises(UnknownNameError, match="no coordinate 'B'"):
        ct.equilibrium(pendulum(), fixed=["B"])
    mech = ct.gallery.four_bar()
    mech.limit("A", lower=-0.1, upper=0.1)
    mech.limit("D", lower=2.0, upper=2.5)
    with pytest.raises(EquilibriumError, match="cannot all be closed from this start"):
        ct.equilibrium(mech)


def _leaning(mech):
    mech.motor("push", "J1", 40.0)
    mech.limit("J1", upper=1.0, name="stop")


def _idle(mech):
    """Two limits of one joint, of which neither is reached."""
    for name in ("stop", "fence"):
        mech.limit("J1", upper=3.0, name=name)


def _braked(mech):
    mech.brake("J1", torque=500.0, name="shoe")


def _shared(mech):
    _leaning(mech)
    mech.limit("J1", upper=1.0, name="fence")


@pytest.mark.parametrize(("add", "unique"), [(_leaning, True), (_idle, True), (_braked, True), (_shared, False)])
def test_reactions_are_determined_by_what_is_leant_on(add, unique):
    """One stop or brake on a pendulum is no redundant constraint, wherever it is; two at one place are."""
    mech = ct.gallery.pendulum_chain(1)
    add(mech)
    rest = ct.equilibrium(mech, {"J1": 0.7})
    assert rest.unique == unique
    assert ("are unique" in str(rest)) == unique
