"""How often a run looks: pulses in functions of time, events, longest steps, times that a clock cannot tell."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, ShapeError
from cotree.integrate.events.sampling import changed, dips, looks
from tests.integrate.references import pendulum

NOWHERE = 1e308


def slider():
    mech = ct.Mechanism("slider", gravity=(0, 0, 0))
    block = mech.body("block", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("x", mech.ground, block, ct.Prismatic(axis=(1, 0, 0)))
    return mech


def pushed(function):
    mech = slider()
    mech.motor("push", "x", function)
    return mech


# -- functions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("begin", "width"), [(5.0, 0.1), (50.0, 0.1), (50.0, 1.0), (50.0, 10.0)])
def test_a_pulse_is_not_stepped_over(begin, width):
    """Impulse of 1 N s on 1 kg. Measured: 1e-6 m/s at worst."""
    mech = pushed(lambda t: 1.0 / width if begin <= t < begin + width else 0.0)
    run = ct.simulate(mech, 100.0)
    assert run.v[-1, 0] == pytest.approx(1.0, abs=1e-5)
    assert run.statistics["functions_every"] == pytest.approx(0.2)
    assert "user functions were evaluated at least every 0.2 s; shorter pulses can be missed (see ct.Adaptive)" in str(
        run
    )


@pytest.mark.parametrize("kind", ["force", "drive", "rows", "position"])
def test_any_function_of_the_user_is_looked_at(kind):
    """Once in 1/500 of the run at least, be it a force, a motion, a constraint, or a force that depends on the place."""
    seen = []

    def seen_at(t):
        seen.append(t)
        return 0.0

    mech = slider()
    if kind == "force":
        mech.force("wind", "block", lambda t: (seen_at(t), 0, 0))
    elif kind == "drive":
        mech.drive("pull", "x", seen_at)
    elif kind == "rows":
        mech.constraint(
            "own", lambda q, t: [[1.0]], residual=lambda q, t: [q[0] - seen_at(t)], rate=lambda t: [0.0],
            bias=lambda t: [0.0],
        )  # fmt: skip
    else:
        mech.motor("gate", "x", lambda q: 0.0 * seen_at(q[0]))
    ct.simulate(mech, 2.0, v=None if kind in ("drive", "rows") else [1.0])
    assert np.diff(np.unique(seen)).max() <= 0.004 * (1 + 1e-9)


def test_without_functions_steps_are_as_long_as_errors_allow():
    run = ct.simulate(slider(), 100.0, v=[1.0])
    assert run.statistics["steps"] < 20
    assert "functions" not in str(run)


@pytest.mark.parametrize("method", ["auto", "dop853", "generalized-alpha"])
def test_longest_step(method):
    run = ct.simulate(
        pendulum(), 1.0, method=method, step=ct.Adaptive(max_step=0.004), output="steps", rtol=1e-4, atol=1e-4
    )
    assert np.diff(run.t).max() <= 0.004 * (1 + 1e-9)
    assert run.settings.max_step == 0.004
    more = run.resume(1.2, output="steps")
    assert np.diff(more.t).max() <= 0.004 * (1 + 1e-9)


def test_a_longest_step_goes_before_the_rule_for_functions(tmp_path):
    mech = pushed(lambda t: 0.0)
    assert ct.simulate(mech, 100.0, step=ct.Adaptive(max_step=50.0)).statistics["steps"] < 20
    assert ct.simulate(mech, 100.0, step=ct.Adaptive(max_step=np.inf)).statistics["steps"] < 20
    run = ct.simulate(mech, 1.0, step=ct.Adaptive(max_step=0.01))
    assert run.statistics["functions_every"] == 0.01
    run.save(tmp_path / "run.h5")
    assert ct.load_run(tmp_path / "run.h5", functions={"push": lambda t: 0.0}).settings == run.settings


def test_longest_steps_that_are_none():
    for value in (0.0, -1.0, np.nan, "long", True):
        with pytest.raises(ShapeError, match="max_step is"):
            ct.simulate(slider(), 1.0, step=ct.Adaptive(max_step=value))
    with pytest.raises(ChoiceError, match="step= fixes the step size"):
        ct.simulate(slider(), 1.0, step=0.1, max_step=0.1)


def test_looks_of_both_parts_of_a_run():
    run = ct.simulate(pushed(lambda t: 0.0), 10.0).resume(15.0)
    assert run.statistics["functions_every"] == pytest.approx(0.02)


# -- events --------------------------------------------------------------------------------------------------


def test_all_roots_of_an_event_between_long_steps():
    run = ct.simulate(slider(), 100.0, v=[1.0], events=ct.Event(lambda t: np.sin(2 * np.pi * t + 0.3), "tick"))
    exact = (np.arange(1, 201) - 0.3 / np.pi) / 2
    assert [e.t for e in run.events] == pytest.approx(list(exact), abs=1e-9)
    assert run.statistics["steps"] < 20
    assert "events were checked at least every 0.2 s" in str(run)


@pytest.mark.parametrize("half", [0.5, 0.05, 0.001])
@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_two_roots_within_a_step(half, direction):
    """A gate of this width at 50 m, passed at 1 m/s: also where it is narrower than the time between looks."""
    gate = ct.Event(lambda q: (q[0] - 50.03) ** 2 - half**2, "gate", direction=direction)
    run = ct.simulate(slider(), 100.0, v=[1.0], events=gate)
    exact = [50.03 - half, 50.03 + half]
    assert [e.t for e in run.events] == pytest.approx({-1: exact[:1], 0: exact, 1: exact[1:]}[direction], abs=1e-9)


def test_a_gate_that_is_not_reached():
    run = ct.simulate(slider(), 100.0, v=[1.0], events=lambda q: (q[0] - 50.03) ** 2 + 1e-6)
    assert run.events == ()


def test_the_first_of_two_roots_ends_the_run():
    gate = ct.Event(lambda q: (q[0] - 50.0) ** 2 - 0.01, "gate", terminal=True)
    run = ct.simulate(slider(), 100.0, v=[1.0], events=[gate, lambda t: t - 50.05])
    assert (run.status, len(run.events)) == ("event", 1)
    assert run.t[-1] == pytest.approx(49.9, abs=1e-9)


def test_roots_on_closed_loops():
    """Twice a turn the crank passes the place of the gate, which is narrow; the same at fixed steps."""
    mech = ct.gallery.four_bar()
    wide = ct.simulate(
        mech, 2.0, rtol=1e-10, atol=1e-10, step=ct.Adaptive(max_step=1e-3), events=lambda q: np.sin(q[0] - 0.2)
    )
    for options in ({}, {"step": 0.01}):
        found = ct.simulate(mech, 2.0, events=lambda q: np.sin(q[0] - 0.2), **options)
        assert [e.t for e in found.events] == pytest.approx([e.t for e in wide.events], abs=1e-3)


def test_looks_within_steps():
    assert [looks(h, 0.1) for h in (1e-3, 0.3, 0.31, 50.0)] == [3, 3, 4, 500]
    assert looks(50.0, np.inf) == 3
    assert [changed(*x) for x in ((-1.0, 0.0), (0.0, 1.0), (1.0, -1.0), (1.0, 2.0))] == [True, False, True, False]
    assert dips(1.0, 0.1, 1.0)
    assert dips(-1.0, -0.1, -1.0)
    assert not dips(1.0, 0.9, 1.0)
    assert not dips(3.0, 2.0, 1.0)
    assert not dips(1.0, -0.1, 1.0)


# -- output --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("events", [(), (lambda q: np.sin(q[0] - 0.2),)])
def test_rows_of_output_do_not_change_the_motion(events):
    """Not a bit; with a function too, whose longest step does not depend on the rows."""
    mech = ct.gallery.four_bar()
    mech.motor("crank", "A", lambda t: 0.1 * np.sin(t))
    runs = [ct.simulate(mech, 1.0, output=rows, events=events) for rows in (2, 37, 201, "steps")]
    for run in runs[1:]:
        assert np.array_equal(run.q[-1], runs[0].q[-1])
        assert run.statistics["steps"] == runs[0].statistics["steps"]
        assert [e.t for e in run.events] == [e.t for e in runs[0].events]


# -- times ---------------------------------------------------------------------------------------------------


def test_steps_that_the_clock_cannot_tell():
    for step in (1e-17, 1e-15):
        with pytest.raises(ShapeError, match=r"step is .* s, too small for times near 1 s"):
            ct.simulate(ct.gallery.four_bar(), (0.5, 1.0), step=step)
    with pytest.raises(ShapeError, match="max_step is 1e-17 s, too small"):
        ct.simulate(slider(), 1.0, step=ct.Adaptive(max_step=1e-17))


def test_steps_without_number():
    with pytest.raises(ShapeError, match=r"step is 1e-12 s; a run of 10 s would take 1\.0e\+13 steps"):
        ct.simulate(slider(), 10.0, step=1e-12)
    with pytest.raises(ShapeError, match=r"a run of 1e\+06 s would take 1\.0e\+10 steps"):
        ct.simulate(slider(), 1e6, step=ct.Adaptive(max_step=1e-4))


def test_spans_beyond_numbers():
    with pytest.raises(ShapeError, match="longer than floating-point numbers can represent"):
        ct.simulate(slider(), (-NOWHERE, NOWHERE))
    with pytest.raises(ShapeError, match=r"times near 1e[+]16 s are resolved to 2 s only"):
        ct.simulate(slider(), (1e16, 1e16 + 10.0))
    run = ct.simulate(slider(), 1.0)
    with pytest.raises(
        ShapeError, match=r"the same output rate as before would need more than 1e\+08 rows; give output="
    ):
        run.resume(NOWHERE)
    with pytest.raises(ShapeError, match="output is 2147483648: too many rows of 2 numbers for the memory"):
        run.resume(2.0, output=2**31)
    with pytest.raises(ShapeError, match=r"step is .* too small for times near 1e[+]308"):
        ct.simulate(slider(), 1.0, step=0.1).resume(NOWHERE)


def test_late_times():
    """At 1e9 s the clock ticks in 1e-7 s: steps are as long as it can tell, and the motion is right."""
    mech = pendulum()
    early, late = ct.simulate(mech, 2.0, [1.0]), ct.simulate(mech, (1e9, 1e9 + 2.0), [1.0])
    assert late.q[-1] == pytest.approx(early.q[-1], abs=1e-6)
