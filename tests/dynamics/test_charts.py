"""Coordinates of rotations where they are singular: errors name the joint and its coordinates, not missing inertia."""

import numpy as np
import pytest

import cotree as ct
from cotree.engine.status import STEP_TOO_SMALL
from cotree.errors import SingularError
from cotree.integrate.driver import Driver
from cotree.integrate.settings import Settings


def top(kind, gravity=(0, 0, -9.81)):
    mech = ct.Mechanism("top", gravity=gravity)
    mech.body("a", mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.12, 0.09))
    mech.joint("S", "ground", "a", ct.Spherical(coordinates=kind))
    return mech


@pytest.mark.parametrize("formulation", ["auto", "index1", "odca"])
@pytest.mark.parametrize(
    ("kind", "q", "words"),
    [
        ("second", [0.3, np.pi / 2, 0.2], "gimbal lock"),
        ("first", [0.0, 0.0, 2 * np.pi], "has reached a full turn"),
        ("first", list(4 * np.pi * np.array([0.6, 0.0, 0.8])), "has reached a full turn"),
        ("cayley", [0.0, 0.0, 1e8], "half a turn"),
    ],
)
def test_forward_dynamics_there(kind, q, words, formulation):
    """The rotation vector of a whole turn gave accelerations of 1.8e17."""
    with pytest.raises(
        SingularError, match=rf"joint 'S' are singular here \(.*{words}.*coordinates=.group. or .quaternion"
    ):
        ct.forward_dynamics(top(kind).compile(), q, [0.1, 0.2, 0.3], formulation=formulation)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("kind", ["second", "first", "cayley", "group", "quaternion"])
def test_regular_coordinates_are_left_alone(kind, coordinates):
    system = top(kind).compile(coordinates=coordinates)
    rng = np.random.default_rng(0)
    assert np.isfinite(ct.forward_dynamics(system, system.q0, rng.normal(size=system.nv)).v_dot).all()


def test_runs_that_fail_say_why():
    """Beside gimbal lock; where nothing resists; and where the step has led to a state beyond all numbers."""
    system = top("second").compile()
    with pytest.raises(SingularError, match="gimbal lock"):
        ct.simulate(system, 1.0, q=[0.3, np.pi / 2, 0.2])
    driver = Driver(system, Settings().resolved(system), 0.0, np.zeros(3), np.zeros(3), np.array([0.0]), 1.0, ())
    assert "became infinite or NaN" in driver.failure(-1)
    driver.state.at("now").q[:] = 0.0, np.pi / 2 - 1e-3, 0.0
    assert "joint 'S' are singular here (gimbal lock" in driver.failure(-1)
    assert "gimbal lock" in driver.failure(STEP_TOO_SMALL)
    light = ct.Mechanism("light")
    light.body("a", mass=1e-30, com=(1, 0, 0), inertia=(0, 0, 0))
    light.body("b", mass=1.0, com=(2, 1, 0), inertia=(1, 1, 1))
    light.joint("A", "ground", "a", ct.Revolute((0, 0, 0), (0, 0, 1)))
    light.joint("B", "ground", "b", ct.Revolute((2, 0, 0), (0, 0, 1)))
    system = light.compile()
    driver = Driver(system, Settings().resolved(system), 0.0, np.zeros(2), np.zeros(2), np.array([0.0]), 1.0, ())
    assert driver.failure(-1).endswith("coordinate 'A' has no inertia")


@pytest.mark.parametrize("angle", [np.pi / 2, np.pi / 2 + 1e-9])
def test_consistent_velocity_there(angle):
    """It advised to add mass, or went on with rounding errors for the inertia of the lost coordinate."""
    mech = top("second")
    mech.knife_edge("blade", "a", (0, 0.1, 0.3), (1, 0, 0))
    with pytest.raises(SingularError, match="gimbal lock"):
        ct.consistent_velocity(mech.compile(), [0.3, angle, 0.2], [0.1, 0.2, 0.3])
