"""Steppers with contacts, limits, brakes and locks, against runs that locate when these act."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, StudyError, SwitchError, UnknownNameError
from tests.contact.scenes import ball


def pendulum() -> ct.Mechanism:
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    body = mech.body("body", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, body, ct.Revolute((0, 0, 0), (0, 0, 1)))
    return mech


def four_bar() -> ct.Mechanism:
    return ct.gallery.four_bar()


DEVICES = {
    "limit": (pendulum, lambda mech: mech.limit("A", lower=-1.0, upper=0.5, restitution=0.5), 1.5),
    "brake": (pendulum, lambda mech: mech.brake("A", torque=3.0, static_ratio=1.2), 3.0),
    "viscous brake": (pendulum, lambda mech: mech.brake("A", torque=1.0, viscous=0.3), 1.0),
    "brake in a loop": (four_bar, lambda mech: mech.brake("A", torque=0.2), 1.0),
    "limit in a loop": (four_bar, lambda mech: mech.limit("A", lower=-1.0, upper=1.0), 1.0),
    "lock": (pendulum, lambda mech: mech.lock("A"), 0.1),
}


@pytest.mark.parametrize("which", DEVICES)
def test_steps_come_to_the_run_that_locates_what_acts(which):
    build, add, t_end = DEVICES[which]
    mech = build()
    add(mech)
    exact = ct.simulate(mech, t_end, v={"A": 0.0}, output=2)
    errors = []
    for step in (4e-3, 1e-3):
        stepper = ct.Stepper(mech, step, v={"A": 0.0})
        stepper.step(round(t_end / step))
        errors.append(np.abs(stepper.q - exact.q[-1]).max())
    assert errors[0] < 3e-2
    assert errors[1] < 0.6 * errors[0] or errors[1] < 1e-7


def test_a_brake_that_holds_holds_exactly():
    mech = pendulum()
    mech.brake("A", torque=20.0)
    stepper = ct.Stepper(mech, 1e-3)
    stepper.step(1000)
    assert stepper.q[0] == 0.0
    assert stepper.v[0] == 0.0


def test_readings_resets_and_copies():
    stepper = ct.Stepper(ball(height=0.01, friction=0.3), 1e-3)
    assert stepper.settings.method == "moreau-jean"
    assert stepper.contact("floor").state[0] == "open"
    stepper.step(200)
    floor = stepper.contact("floor")
    assert floor.state[0] == "stick"
    np.testing.assert_allclose(floor.force[0], (0, 0, -9.81), atol=1e-9)
    np.testing.assert_allclose(floor.point[0, 2], 0.0, atol=1e-9)
    other = copy.deepcopy(stepper)
    stepper.step(5)
    other.step(5)
    assert np.array_equal(stepper.q, other.q)
    run = stepper.run()
    assert len(run.impacts) == 1
    assert run.contact("floor").state[-1] == "stick"
    assert run.energy.balance[-1] == pytest.approx(0.0, abs=1e-9)
    for source in (run, stepper):
        with pytest.raises(StudyError, match="are not known at instants"):
            _ = source.point("ball").acceleration
    with pytest.raises(StudyError, match="are not known at instants"):
        _ = stepper.v_dot
    assert run.point("ball").velocity[-1] == pytest.approx(0.0, abs=1e-6)
    assert not run.warnings
    stepper.reset()
    assert stepper.contact("floor").state[0] == "open"


def test_inputs_push_what_sticks():
    mech = ct.Mechanism("slider", gravity=(0, 0, -9.81))
    body = mech.body("body", 1.0, (0, 0, 0), (0.01,) * 3, shape=ct.Sphere((0, 0, 0), 0.1))
    mech.joint("P", mech.ground, body, ct.Planar((0, 0, 0), (0, 1, 0)))
    mech.contact("floor", mech.ground, ct.Plane((0, 0, -0.1), (0, 0, 1)), body, None, friction=0.5)
    stepper = ct.Stepper(mech, 1e-3)
    name = next(n for n in stepper.inputs if ".w" in n)
    stepper.set(torque={name: 0.2})
    stepper.step(10)
    assert stepper.contact("floor").state[0] == "stick"
    assert stepper.v.any()


def test_what_steppers_do_not_step_through():
    mech = pendulum()
    mech.limit("A", lower=-1.0)
    with pytest.raises(ChoiceError, match="'rk4' does not step through contacts, brakes and limits"):
        ct.Stepper(mech, 1e-3, method="rk4")
    mech = pendulum()
    mech.brake("A", torque=1.0, at=0.5)
    with pytest.raises(SwitchError, match="does not know timed devices"):
        ct.Stepper(mech, 1e-3)
    mech = four_bar()
    mech.limit("A", upper=4.0)
    cut = mech.compile(cut=["A"])
    with pytest.raises(SwitchError, match="steps do not count its turns"):
        ct.Stepper(cut, 1e-3)
    with pytest.raises(UnknownNameError, match="no contact 'floor'"):
        ct.Stepper(pendulum(), 1e-3).contact("floor")
