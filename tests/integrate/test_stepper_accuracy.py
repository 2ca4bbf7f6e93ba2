"""The estimated error where something other than the step size ends the steps: inputs of a stepper, sampled laws."""

import warnings

import numpy as np
import pytest

import cotree as ct


def arm(law=None):
    mech = ct.Mechanism("arm", gravity=(0, -9.81, 0))
    link = mech.body("link", mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.03, 0.03))
    mech.joint("A", mech.ground, link, ct.Revolute((0, 0, 0), (0, 0, 1)))
    if law is not None:
        mech.motor("servo", "A", law)
    return mech


def stepped(step, each, mech=None, name="A"):
    stepper = ct.Stepper(mech or arm(), step=step)
    for k in range(150):
        stepper.set(torque={name: 2.0 * np.sin(0.14 * k)})
        stepper.step(each)
    return stepper.run()


@pytest.mark.parametrize("name", ["A", "servo"])
def test_inputs_of_a_stepper_act_at_their_instants_in_the_second_run(name):
    mech = arm(0.0 if name == "servo" else None)
    run, fine = stepped(0.02, 1, mech, name), stepped(0.005, 4, mech, name)
    true = np.abs(run.q - fine.q[::4]).max()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert true / 3.0 < run.accuracy.angle < 3.0 * true
    assert "inputs were set between its steps; run.accuracy estimates" in str(run)


def test_loads_that_were_set_act_at_their_instants_too():
    mech = arm()
    mech.force("push", "link", (0.0, 0.0, 0.0), point=(0.6, 0, 0))
    runs = []
    for each in (1, 4):
        stepper = ct.Stepper(mech, step=0.02 / each)
        for k in range(150):
            stepper.set(force={"push": (0.0, 5.0 * np.sin(0.14 * k), 0.0)})
            stepper.step(each)
        runs.append(stepper.run())
    true = np.abs(runs[0].q - runs[1].q[::4]).max()
    assert true / 3.0 < runs[0].accuracy.angle < 3.0 * true


OPTIONS = {"fixed steps": {"step": 0.1}, "adaptive steps": {"rtol": 1e-3, "atol": 1e-3}}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_steps_that_end_where_a_law_is_sampled_are_halved(options):
    """Steps of twice the size, or ten times the tolerance, would be the same ones, and their difference nothing."""
    mech = arm()
    mech.pid("servo", "A", target=0.5, kp=1.0, kd=0.01, period=0.1)
    run = ct.simulate(mech, 3.0, output=31, **options)
    true = np.abs(run.q - ct.simulate(mech, 3.0, output=31, rtol=1e-11, atol=1e-11).q).max()
    assert true / 3.0 < run.accuracy.angle < 3.0 * true
    assert "estimated by a second run with half the step" in str(run)


def test_a_start_in_degrees_is_noticed_by_a_stepper():
    with pytest.warns(ct.errors.RunWarning, match="looks like degrees"):
        stepper = ct.Stepper(arm(), step=0.01, q={"A": 90})
    with pytest.warns(ct.errors.RunWarning, match="looks like degrees"):
        assert [w.kind for w in stepper.run().warnings] == ["input"]
    with pytest.warns(ct.errors.RunWarning, match="looks like degrees"):
        stepper.reset(q=[45.0])


def test_a_controller_with_numbers_is_not_called_a_user_function():
    mech = arm()
    mech.pid("servo", "A", target=0.5, kp=40.0, kd=6.0)
    assert "user functions" not in str(ct.simulate(mech, 0.1))
    mech.motor("more", "A", lambda t: 0.1 * t)
    assert "user functions" in str(ct.simulate(mech, 0.1))
