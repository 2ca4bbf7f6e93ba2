"""Switching functions of laws: instants located, pieces smooth, against closed forms."""

import numba
import numpy as np
import pytest

import cotree as ct
from tests.integrate.test_law_states import INERTIA, arm

STIFFNESS, GAP, SPEED = 50.0, 0.1, 2.0


def with_play(angle, above, below):
    """A spring with play: no torque within the gap."""
    return -STIFFNESS * (angle - GAP) if above > 0.0 else -STIFFNESS * (angle + GAP) if below > 0.0 else 0.0


PLAY = {"above": lambda angle: angle - GAP, "below": lambda angle: -GAP - angle}


def crossings(count):
    """Times at which the angle passes the edges of the gap: half a gap first, then half a swing, a gap, and so on."""
    swing = np.pi / np.sqrt(STIFFNESS / INERTIA)
    return np.cumsum([GAP / SPEED, *([swing, 2 * GAP / SPEED] * count)])[:count]


def exact(t):
    """Rate of the oscillation with play."""
    root, swing = np.sqrt(STIFFNESS / INERTIA), np.pi / np.sqrt(STIFFNESS / INERTIA)
    half = swing + 2 * GAP / SPEED
    s = np.mod(t - GAP / SPEED, half)
    sign = (-1.0) ** np.floor((t - GAP / SPEED) / half)
    return np.where(t < GAP / SPEED, SPEED, sign * np.where(s < swing, SPEED * np.cos(root * s), -SPEED))


@pytest.mark.parametrize("compiled", [False, True])
def test_a_spring_with_play(compiled):
    law = ct.Law(numba.njit(with_play) if compiled else with_play, switching=PLAY)
    run = ct.simulate(arm(law), 3.0, v={"A": SPEED}, rtol=1e-11, atol=1e-11, step=ct.Adaptive(max_step=1.0), output=301)
    assert np.abs(run.v[:, 0] - exact(run.t)).max() < 1e-8
    assert run.statistics["switches_of_laws"] == np.count_nonzero(crossings(100) < 3.0)
    assert run.statistics["rejected"] < 0.1 * run.statistics["steps"]
    assert np.abs(run.energy.balance).max() < 1e-8


def test_without_switching_functions_steps_are_rejected():
    """The same law without names for its kinks: the reason why there are such names."""

    def plain(angle):
        return -STIFFNESS * (angle - np.clip(angle, -GAP, GAP))

    options = {"v": {"A": SPEED}, "rtol": 1e-11, "atol": 1e-11, "step": ct.Adaptive(max_step=1.0)}
    crept = ct.simulate(arm(plain), 3.0, **options)
    located = ct.simulate(arm(ct.Law(with_play, switching=PLAY)), 3.0, **options)
    assert crept.statistics["rejected"] > 5 * located.statistics["rejected"]


@pytest.mark.parametrize("options", [{"step": 5e-3}, {"step": 1e-3, "method": "generalized-alpha"}])
def test_fixed_steps_end_there_too(options):
    """Time-optimal motion: one switch of the torque, of which the end is known."""
    law = ct.Law(lambda side: side, switching={"side": lambda angle: 0.5 - angle})
    run = ct.simulate(arm(law), 2.0 * np.sqrt(2 * 0.5 * INERTIA), output="steps", **options)
    assert np.abs([run.q[-1, 0] - 1.0, run.v[-1, 0]]).max() < (1e-10 if "method" not in options else 1e-5)
    assert run.statistics["switches_of_laws"] == 1
    assert abs(run.t[np.argmax(run.state("servo.side") < 0.0)] - np.sqrt(2 * 0.5 * INERTIA)) < 1e-11


def test_steppers_end_there_and_go_on():
    stepper = ct.Stepper(arm(ct.Law(with_play, switching=PLAY)), step=0.01)
    stepper.reset(v={"A": SPEED})
    stepper.step(100)
    assert abs(stepper.t - 1.0) < 1e-12
    assert abs(stepper.v[0] - exact(1.0)) < 1e-4
    assert np.abs(stepper.run().energy.balance).max() < 1e-4


def test_functions_of_time_and_of_states():
    """A pulse of torque, and an integrator that stops when it is full."""
    pulse = ct.Law(
        lambda on, off: 1.0 if on > 0.0 > off else 0.0,
        switching={"on": lambda t: t - 0.1234, "off": lambda t: t - 0.3},
    )
    run = ct.simulate(arm(pulse), 1.0, step=ct.Adaptive(max_step=1.0), output=11)
    assert abs(run.v[-1, 0] - (0.3 - 0.1234) / INERTIA) < 1e-12
    full = ct.Law(
        lambda x, more: (0.0, 1.0 if more > 0.0 else 0.0), states={"x": 0.0}, switching={"more": lambda x: 0.4 - x}
    )
    run = ct.simulate(arm(full), 1.0, step=ct.Adaptive(max_step=1.0), output=11)
    assert np.abs(run.state("servo.x") - np.minimum(run.t, 0.4)).max() < 1e-11


def test_signs_at_the_start_and_where_it_starts_at_zero():
    law = ct.Law(lambda side: -0.5 * side, switching={"side": lambda angle: angle})
    run = ct.simulate(arm(law), 0.1, v={"A": -1.0})
    assert run.state("servo.side")[0] == -1.0  # it starts at zero and goes to the other side at once
    assert abs(run.v[-1, 0] - (-1.0 + 0.1 * 0.5 / INERTIA)) < 1e-12


def test_chatter_is_named():
    law = ct.Law(lambda side: -side, switching={"side": lambda rate: rate})
    run = ct.simulate(arm(law), 1.0, v={"A": 1.0})
    assert run.status == "failed"
    assert abs(run.t[-1] - INERTIA) < 0.01
    assert "switching function 'side' of motor 'servo' keeps changing its sign" in run.message
    stepper = ct.Stepper(arm(law), step=1e-2)
    stepper.reset(v={"A": 1.0})
    with pytest.raises(ct.errors.StepError, match="keeps changing its sign"):
        stepper.step(100)


def test_functions_without_numbers_are_named():
    law = ct.Law(lambda side: side, switching={"side": lambda t: None})
    with pytest.raises(
        ct.errors.ForceError, match="switching function 'side' of motor 'servo' must return one finite number"
    ):
        ct.simulate(arm(law), 0.1)
