"""Studies that know the mechanism as it is compiled name what acts beside it in runs."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import StudyWarning

DOWN = [-np.pi / 2]


def pendulum():
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    mech.body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, "rod", ct.Revolute((0, 0, 0), (0, 0, 1)))
    return mech


def test_friction_and_locks_are_named():
    rubbing = pendulum()
    rubbing.friction("A", coulomb=0.1, viscous=0.3)
    with pytest.warns(
        StudyWarning, match=r"ct.linearize leaves out brakes of mechanism 'pendulum' \(brake 'friction A'\): it"
    ):
        ct.linearize(rubbing, q=DOWN)
    with pytest.warns(
        StudyWarning, match=r"ct.steady_motion leaves out brakes of mechanism 'pendulum' \(brake 'friction A'\)"
    ):
        ct.steady_motion(rubbing, q={"A": -1.5})
    locked = pendulum()
    locked.lock("A", at=0.5)
    with pytest.warns(StudyWarning, match=r"leaves out locks, timed devices of mechanism 'pendulum' \(lock 'lock A'\)"):
        ct.linearize(locked, q=DOWN, t=1.0)
    driven = pendulum()
    driven.drive("d", "A", -np.pi / 2)
    driven.activate("d", at=2.0)
    for t in (0.0, 3.0):  # it is not among the equations at any time
        with pytest.warns(StudyWarning, match=r"leaves out switched constraints .* \(drive 'd'\)"):
            ct.linearize(driven, q=DOWN, t=t)
    released = pendulum()
    released.drive("d", "A", -np.pi / 2)
    released.deactivate("d", at=2.0)
    with pytest.warns(StudyWarning, match=r"leaves out switched constraints .* \(drive 'd'\)"):
        ct.linearize(released, q=DOWN, t=3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ct.linearize(released, q=DOWN, t=1.0)


def test_what_does_not_act_is_not_named():
    mech = pendulum()
    mech.limit("A", lower=-3.0)
    mech.lock("A", at=0.5)
    mech.joint_damper("d", "A", 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        damped = ct.linearize(mech, q=DOWN)
    assert damped.eigenvalues.real.max() < -0.1


def test_stops_that_the_state_is_at_are_named():
    mech = pendulum()
    mech.motor("push", "A", 20.0)
    mech.limit("A", lower=-2.0, upper=1.0, name="stop")
    rest = ct.equilibrium(mech)
    with pytest.warns(StudyWarning, match=r"ct.linearize leaves out stops of mechanism 'pendulum' \(limit 'stop'\)"):
        ct.linearize(mech, rest.q)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ct.linearize(mech, rest.q - 1e-3)
