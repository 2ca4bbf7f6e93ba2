"""Sampled laws: exact at their instants, held between them, in every kind of run."""

import numpy as np
import pytest

import cotree as ct
from tests.integrate.test_law_states import INERTIA, arm

PERIOD = 0.01


def pd(angle, rate):
    return 4.0 * (0.3 - angle) - 0.8 * rate


def counting(angle, total):
    return 2.0 * (0.3 - angle) + total, total + 0.1 * (0.3 - angle)


def by_recursion(law, count, period=PERIOD, states=()):
    """Angle and rate at the instants, in closed form between them."""
    angle, rate, found, kept = 0.0, 0.0, [(0.0, 0.0)], list(states)
    for _ in range(count):
        torque = law(angle, rate) if not kept else law(angle, *kept)
        if kept:
            torque, kept[0] = torque
        a = torque / INERTIA
        angle, rate = angle + rate * period + 0.5 * a * period**2, rate + a * period
        found.append((angle, rate))
    return np.array(found)


@pytest.mark.parametrize(
    "options", [{}, {"step": 3e-3}, {"method": "dop853"}, {"step": 2e-3, "method": "generalized-alpha"}]
)
def test_instants_are_exact(options):
    run = ct.simulate(arm(ct.Law(pd, period=PERIOD)), 1.0, output=101, **options)
    expected = by_recursion(pd, 100)
    assert np.abs(np.column_stack([run.q, run.v]) - expected).max() < 1e-13
    torques = [pd(*row) for row in expected]
    assert np.abs(run.state("servo.output") - torques).max() < 1e-12
    assert np.abs(run.element("servo").force - torques).max() < 1e-12
    assert np.abs(run.energy.balance).max() < 2e-8


def test_discrete_states():
    run = ct.simulate(arm(ct.Law(counting, states={"total": 0.5}, period=PERIOD)), 0.5, output=51)
    assert np.abs(np.column_stack([run.q, run.v]) - by_recursion(counting, 50, states=[0.5])).max() < 1e-13


def test_offsets_and_several_rates():
    """Each law at its own instants; the one with an offset holds its first value up to its first instant."""
    times = {"fast": [], "slow": []}

    def noted(which):
        return lambda t: times[which].append(t) or 0.0

    mech = arm(ct.Law(noted("fast"), period=0.02))
    mech.motor("slow", "A", ct.Law(noted("slow"), period=0.05, offset=0.03))
    ct.simulate(mech, 0.2)
    assert np.allclose(times["fast"], 0.02 * np.arange(11), atol=1e-14)
    assert np.allclose(times["slow"], [0.0, 0.03, 0.08, 0.13, 0.18], atol=1e-14)


@pytest.mark.parametrize("step", [1e-3, 4e-3, 0.05])
def test_steppers_stop_at_the_instants(step):
    stepper = ct.Stepper(arm(ct.Law(pd, period=PERIOD)), step=step)
    stepper.step(round(1.0 / step))
    assert abs(stepper.t - 1.0) < 1e-12
    assert np.abs([stepper.q[0], stepper.v[0]] - by_recursion(pd, 100)[-1]).max() < 1e-12
    assert abs(stepper.state("servo.output") - pd(stepper.q[0], stepper.v[0])) < 1e-12


def test_steps_are_limited_by_the_instants_alone():
    """What happens between two instants is known: no other look is needed."""
    run = ct.simulate(arm(ct.Law(pd, period=0.1)), 10.0, output=[10.0])
    assert run.statistics["steps"] <= 200
    assert "functions_every" not in run.statistics


def test_phases_and_continued_runs_keep_the_instants():
    mech = arm(ct.Law(pd, period=PERIOD))
    whole = ct.simulate(mech, 0.5)
    parts = ct.simulate(mech, 0.123).resume(0.5)
    assert np.abs(parts.q[-1] - whole.q[-1]).max() < 1e-12
    held = arm(ct.Law(pd, period=PERIOD))
    held.lock("A", at=0.2, until=0.3)
    run = ct.simulate(held, 0.5, output=51)
    assert run.status == "done"
    wanted = [pd(*row) for row in zip(run.q[:, 0], run.v[:, 0], strict=True)]
    assert np.abs(run.state("servo.output") - wanted)[(run.t > 0.31) | (run.t < 0.19)].max() < 1e-12


def test_events_within_a_period():
    mech = arm(ct.Law(pd, period=PERIOD))
    run = ct.simulate(mech, 1.0, events=[ct.Event(lambda q: q[0] - 0.1, "passes")])
    k = int(run.events[0].t / PERIOD)
    (angle, rate), t = by_recursion(pd, k)[-1], run.events[0].t - k * PERIOD
    assert abs(angle + rate * t + 0.5 * pd(angle, rate) / INERTIA * t**2 - 0.1) < 1e-12


def test_failing_samples_are_named():
    mech = arm(ct.Law(lambda t: 1.0 if t < 0.05 else np.nan, period=PERIOD))
    run = ct.simulate(mech, 0.1)
    assert run.status == "failed"
    assert "motor 'servo' must return 1 finite number" in run.message
    mech = arm(ct.Law(lambda t, x: 1.0, states={"x": 0.0}, period=PERIOD))
    with pytest.raises(ct.errors.ForceError, match="must return \\(value, next states\\)"):
        ct.simulate(mech, 0.1)
    with pytest.raises(ct.errors.StudyError, match="does not know sampled laws"):
        ct.equilibrium(arm(ct.Law(pd, period=PERIOD)))
