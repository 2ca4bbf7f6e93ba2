"""Two points at a distance."""

import numpy as np
import pytest

import cotree as ct
from tests.constraints.rigs import acceleration, check_rows, random_state, same_in_absolute, two_joints


def test_rows_against_differences():
    mech = two_joints()
    mech.distance("rod", "b1", (1, 0.5, 0), "b0", (0.2, 0, 0.7))
    mech.distance("rope", "b1", (1, 0.5, 0), "ground", (0, 3, 1), length=lambda t: 3.0 + 0.1 * np.sin(t))
    for kinds in ({}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"}):
        system = mech.compile(**kinds)
        q, v = random_state(system, 4)
        check_rows(system, q, v, 0.6, rows=slice(-2, None))


def test_length_is_as_assembled_unless_given():
    mech = two_joints()
    mech.distance("rod", "b1", (3, 4, 0), "ground", (0, 0, 0))
    mech.distance("rope", "b1", (3, 4, 0), "ground", (0, 0, 0), length=4.5)
    system = mech.compile()
    assert ct.constraint_residual(system, system.q0) == pytest.approx([0.0, 0.5], abs=1e-14)


def test_relative_and_absolute_coordinates_agree():
    mech = two_joints()
    mech.distance("rope", "ground", (0, 3, 1), "b1", (1, 0.5, 0), length=lambda t: 2.8 + 0.1 * np.sin(t))
    system = mech.compile()
    q = ct.assemble(system, [0.3, -0.2], t=0.6)
    v = ct.consistent_velocity(system, q, [1.0, 0.5], 0.6)
    assert np.abs(v).max() > 0.1
    same_in_absolute(mech, q, v, 0.6)


def test_pendulum_on_a_massless_rod():
    """A free point mass on a rod of length L: e . a = -v^2 / L along the rod, gravity across it."""
    mech = ct.Mechanism("bob", gravity=(0, 0, -9.81))
    mech.body("bob", 2.0, (0.6, 0, -0.8), (0.1, 0.1, 0.1))
    mech.joint("free", "ground", "bob", ct.Translation())
    mech.distance("rod", "ground", (0, 0, 0), "bob", (0.6, 0, -0.8))
    system = mech.compile()
    speed = 1.7
    a = acceleration(system, system.q0, speed * np.array([0.8, 0, 0.6]))
    e, across = np.array([0.6, 0, -0.8]), np.array([0.8, 0, 0.6])
    assert a @ e == pytest.approx(-(speed**2), rel=1e-12)
    assert a @ across == pytest.approx(-9.81 * 0.6, rel=1e-12)


def test_points_that_coincide_have_no_direction():
    mech = two_joints()
    mech.distance("rod", "b1", (1, 0, 0), "ground", (1, 0, 0), length=0.5)
    system = mech.compile()
    assert ct.constraint_residual(system, system.q0) == pytest.approx([-0.5])
    np.testing.assert_array_equal(ct.constraint_jacobian(system, system.q0), np.zeros((1, 2)))
    assert np.isfinite(ct.constraint_bias(system, system.q0, [1.0, 1.0])).all()
