"""Prescribed joint motions: on tree joints and on cut ones, in relative and absolute coordinates."""

import numpy as np
import pytest

import cotree as ct
from tests.constraints.rigs import (
    acceleration,
    arm,
    check_rows,
    four_bar,
    random_state,
    same_in_absolute,
    to_absolute,
    two_joints,
)


def swing(t):
    return 0.2 + 0.3 * np.sin(2.0 * t)


def swing_rate(t):
    return 0.6 * np.cos(2.0 * t)


def swing_acceleration(t):
    return -1.2 * np.sin(2.0 * t)


@pytest.mark.parametrize("given", [(), ("rate",), ("acceleration",), ("rate", "acceleration")])
def test_rows_of_a_driver_of_the_tree(given):
    functions = {"rate": swing_rate, "acceleration": swing_acceleration}
    mech = two_joints()
    mech.drive("motor", "j1", swing, **{name: functions[name] for name in given})
    system = mech.compile()
    q, v = random_state(system, 1)
    check_rows(system, q, v, t=0.7)
    assert ct.constraint_residual(system, q, 0.7) == pytest.approx([q[1] - swing(0.7)], abs=1e-15)
    np.testing.assert_array_equal(ct.constraint_jacobian(system, q, 0.7), [[0.0, 1.0]])
    assert ct.theory.constraint_rate(system, q, 0.7) == pytest.approx([swing_rate(0.7)], rel=1e-10)
    assert ct.constraint_bias(system, q, v, 0.7) == pytest.approx([swing_acceleration(0.7)], rel=1e-9)


def test_a_number_is_held():
    mech = two_joints()
    mech.drive("hold", "j0", 0.25)
    system = mech.compile()
    q, v = random_state(system, 2)
    assert ct.constraint_residual(system, q, 5.0) == pytest.approx([q[0] - 0.25])
    assert ct.theory.constraint_rate(system, q, 5.0) == 0.0
    assert ct.constraint_bias(system, q, v, 5.0) == 0.0


def test_driven_four_bar_moves_as_prescribed():
    mech = four_bar()
    mech.drive("motor", "A", swing)
    system, t = mech.compile(cut=["C"]), 0.4
    q = ct.assemble(system, system.q0, t=t)
    v = ct.consistent_velocity(system, q, np.zeros(system.nv), t)
    i = system.velocity_index("A")
    assert q[i] == pytest.approx(swing(t), abs=1e-12)
    assert v[i] == pytest.approx(swing_rate(t), abs=1e-10)
    assert acceleration(system, q, v, t)[i] == pytest.approx(swing_acceleration(t), abs=1e-8)
    same_in_absolute(mech, q, v, t, cut=["C"])


def test_driver_on_a_cut_joint_is_the_driver_of_the_tree():
    mech = four_bar()
    mech.drive("motor", "A", swing)
    tree, cut, t = mech.compile(cut=["C"]), mech.compile(cut=["A"]), 0.4
    q = ct.assemble(tree, tree.q0, t=t)
    x = ct.assemble(cut, cut.q0, t=t)
    poses = {name: ct.poses(tree, q)[tree.row_of(name)] for name in tree.body_names}
    for name, pose in poses.items():
        np.testing.assert_allclose(ct.poses(cut, x)[cut.row_of(name)], pose, atol=1e-9)
    v = ct.consistent_velocity(cut, x, np.zeros(cut.nv), t)
    check_rows(cut, x, v, t)


JOINTS = {
    "revolute": ct.Revolute(point=(0.5, 0.2, 0.1), axis=(1, 2, -1)),
    "prismatic": ct.Prismatic(axis=(1, 2, -1)),
    "helical": ct.Helical(point=(0.5, 0.2, 0.1), axis=(1, 2, -1), pitch=0.05),
}


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("turns", [0.0, 3.0])
def test_coordinate_of_a_cut_joint(kind, turns, group):
    mech = arm(ct.Revolute(axis=(0, 1, 2)), JOINTS[kind])
    t, place = 0.7, 2 * np.pi * turns
    mech.drive("motor", "j1", lambda t: place + swing(t))
    relative, absolute = mech.compile(), mech.compile("absolute", group=group)
    q, v = np.array([0.4, place + swing(t) + 0.1]), np.array([0.7, -1.3])
    x, u = to_absolute(relative, absolute, q, v)
    assert ct.constraint_residual(absolute, x, t)[-1] == pytest.approx(0.1, abs=1e-12)
    assert ct.constraint_jacobian(absolute, x, t)[-1] @ u == pytest.approx(-1.3, abs=1e-12)
    check_rows(absolute, x, u, t, rows=[-1])
    q[1], v[1] = place + swing(t), swing_rate(t)
    same_in_absolute(mech, q, v, t)


@pytest.mark.parametrize(("coordinate", "value"), [("wz", 0.3), ("vz", -0.2)])
def test_one_coordinate_of_a_cylindrical_joint(coordinate, value):
    mech = arm(ct.Revolute(axis=(0, 1, 2)), ct.Cylindrical(point=(0.5, 0.2, 0.1), axis=(1, 2, -1)))
    mech.drive("motor", "j1", lambda t: value + t, coordinate=coordinate)
    relative = mech.compile()
    i = relative.velocity_index(f"j1.{coordinate}")
    q, v = np.array([0.4, 0.6, 0.7]), np.array([0.7, -1.3, 0.4])
    q[i], v[i] = value, 1.0
    check_rows(relative, q, v)
    same_in_absolute(mech, q, v)


def test_driver_of_a_joint_that_points_against_the_tree():
    mech = ct.Mechanism()
    mech.body("a", 1, (1, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("j", "a", "ground", ct.Revolute(axis=(0, 0, 1)))
    mech.drive("motor", "j", swing)
    q = np.array([swing(0.3)])
    same_in_absolute(mech, q, [swing_rate(0.3)], 0.3)


def test_two_springs_of_time_leave_the_tree_its_other_motion():
    """A driven base: the second joint feels the prescribed acceleration of the first."""
    mech = two_joints()
    mech.drive("motor", "j0", swing)
    system, t = mech.compile(), 0.9
    q, v = np.array([swing(t), 0.5]), np.array([swing_rate(t), 0.8])
    M, h = ct.mass_matrix(system, q), ct.inverse_dynamics(system, q, v)
    expected = (-h[1] - M[1, 0] * swing_acceleration(t)) / M[1, 1]
    assert acceleration(system, q, v, t) == pytest.approx([swing_acceleration(t), expected], rel=1e-8)


def test_names_and_kinds_of_rows():
    mech = four_bar()
    mech.constraint("own", lambda q: np.ones((2, len(q))), rows=2)
    mech.drive("motor", "A", 0.0)
    mech.knife_edge("blade", "rocker", (0, 0, 0), (0, 0, 1))
    system = mech.compile(cut=["C"])
    assert system.constraint_names == ("C[0]", "C[1]", "motor", "blade", "own[0]", "own[1]")
    assert system.n_constraints == 6
    np.testing.assert_array_equal(system.holonomic, [True, True, True, False, False, False])
    assert len(ct.constraint_residual(system, system.q0, regularized=False)) == 9
    text = str(system)
    assert "drive 'motor': 1 constraint equation, holonomic" in text
    assert "constraint 'own': 2 constraint equations, non-holonomic" in text
