"""What a mechanism accepts, keeps and shows."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import MissingAttributeError

from .builders import four_bar, pendulum


def test_names_do_as_well_as_bodies_and_joints():
    by_object, by_name = pendulum(), ct.Mechanism("pendulum")
    bob = by_name.body("bob", 2, (0.5, 0, 0), (0.1, 0.2, 0.2))
    pivot = by_name.joint("pivot", by_name.ground, bob, ct.Revolute((0, 0, 0), (0, 1, 0)))
    for mech, body, joint in ((by_object, "bob", "pivot"), (by_name, bob, pivot)):
        mech.spring("s", body, (1, 0, 0), mech.ground if body is bob else "ground", (0, 0, 1), 30, 0.5, 2)
        mech.force("f", body, (1, 2, 3), (0, 0, 1))
        mech.torque("m", body, (0, 1, 0), frame="body")
        mech.joint_spring("k", joint, 4.0, rest=0.1)
        mech.joint_damper("d", joint, 0.3)
        mech.motor("t", joint, 0.7)
    first, second = by_object.compile(), by_name.compile()
    assert ct.forward_dynamics(first, [0.3], [0.2]).v_dot == ct.forward_dynamics(second, [0.3], [0.2]).v_dot
    assert (
        ct.forward_dynamics(first, [0.3], [0.2]).v_dot != ct.forward_dynamics(pendulum().compile(), [0.3], [0.2]).v_dot
    )


def test_what_the_methods_return_is_what_is_kept():
    mech = pendulum()
    assert mech.spring("s", "bob", (1, 0, 0), "ground", (0, 0, 1), 30) is mech.springs["s"]
    assert mech.force("f", "bob", (1, 2, 3)) is mech.loads["f"]
    assert mech.torque("m", "bob", (0, 1, 0)) is mech.loads["m"]
    assert mech.motor("t", "pivot", 0.7) is mech.joint_forces["t"]
    assert mech.body("b", 1, (0, 0, 0)) is mech.bodies["b"]
    assert mech.joint("j", "bob", "b", ct.Weld()) is mech.joints["j"]


def test_defaults_of_a_body():
    body = ct.Mechanism().body("speck", 0.5)
    assert np.array_equal(body.properties.com, np.zeros(3))
    assert np.array_equal(body.properties.inertia, np.zeros((3, 3)))
    assert body.frame is None


def test_a_force_acts_at_the_mass_centre_unless_told_otherwise():
    assert np.array_equal(pendulum().force("f", "bob", (1, 2, 3)).point, (0.5, 0, 0))


def test_the_users_arrays_are_copied():
    com, inertia, gravity = np.array([1.0, 0, 0]), np.eye(3), np.array([0, 0, -1.0])
    mech = ct.Mechanism(gravity=gravity)
    body = mech.body("b", 1, com, inertia)
    com[:], inertia[:], gravity[:] = 7.0, 7.0, 7.0
    assert np.array_equal(body.properties.com, (1, 0, 0))
    assert np.array_equal(body.properties.inertia, np.eye(3))
    assert np.array_equal(mech.gravity, (0, 0, -1))


def test_reprs():
    mech = four_bar()
    assert repr(mech) == "<Mechanism 'four-bar': 3 bodies, 4 joints>"
    assert repr(mech.bodies["coupler"]) == "<Body 'coupler', 2 kg>"
    assert repr(mech.joints["B"]) == "<Revolute 'B': crank -> coupler>"
    assert repr(mech.compile()) == "<System 'four-bar': 3 bodies, nq 3, nv 3, 1 loops>"


def test_gravity_points_down_by_default():
    assert np.array_equal(ct.Mechanism().gravity, (0, 0, -9.81))


def test_a_system_does_not_change_with_its_mechanism():
    mech = pendulum()
    system = mech.compile()
    before = ct.forward_dynamics(system, [0.3]).v_dot
    mech.body("late", 5, (1, 1, 1), (1, 1, 1))
    mech.joint("late", "bob", "late", ct.Revolute((1, 0, 0)))
    mech.motor("push", "pivot", 100.0)
    assert ct.forward_dynamics(system, [0.3]).v_dot == before
    assert system.body_names == ("bob",)
    assert "late" not in str(system)
    assert ct.forward_dynamics(mech.compile(), [0.3, 0.0]).v_dot[0] != pytest.approx(before[0])


@pytest.mark.parametrize(("name", "hint"), [
    ("Revolut", "did you mean 'Revolute'?"),
    ("mass_matrx", "did you mean 'mass_matrix'?"),
    ("kinematic", "did you mean 'kinematics'?"),
    ("mechanism", "did you mean 'Mechanism'?"),
    ("qqq", "dir(cotree)"),
])  # fmt: skip
def test_unknown_names_of_the_package(name, hint):
    with pytest.raises(AttributeError, match="module 'cotree' has no attribute") as caught:
        getattr(ct, name)
    assert type(caught.value) is MissingAttributeError
    assert caught.value.name == name
    assert repr(name) in str(caught.value)
    assert hint in str(caught.value)
    assert not hasattr(ct, name)
