"""Events: roots found in time, in the right order and direction, on trees and loops; those that end a run; bad functions."""

import numba
import numpy as np
import pytest
from scipy.special import ellipk

import cotree as ct
from cotree.errors import ChoiceError, EventError
from tests.integrate.references import finite, pendulum, point_mass

AMPLITUDE = 2.0
QUARTER = np.sqrt(1 / 9.81) * ellipk(np.sin(AMPLITUDE / 2) ** 2)  # of the period, pendulum of 1 m
FINE = {"rtol": 1e-11, "atol": 1e-11}


def passing(q):
    return q[0]


@numba.njit
def passing_compiled(q):
    return q[0]


def swing(events, t_end=10.0, **words):
    return ct.simulate(pendulum(), t_end, [AMPLITUDE], events=events, **{**FINE, **words})


@pytest.mark.parametrize("function", [passing, passing_compiled])
def test_times_of_passing_the_vertical(function):
    """Odd multiples of the quarter period, elliptic integrals. Measured: 2e-11 s."""
    run = swing(function)
    found = [e.t for e in run.events]
    exact = QUARTER * np.arange(1, 100, 2)
    exact = exact[exact < 10.0]
    assert len(found) == len(exact) > 5
    assert np.abs(found - exact).max() < 1e-9
    assert all(abs(e.q[0]) < 1e-12 for e in run.events)
    assert {e.name for e in run.events} == {function.__name__}
    assert run.status == "done"


def test_event_states_are_states_of_the_motion():
    run = swing(passing)
    speed = np.sqrt(2 * 9.81 * (1 - np.cos(AMPLITUDE)))
    assert [abs(e.v[0]) for e in run.events] == pytest.approx([speed] * len(run.events), abs=1e-8)
    assert [np.sign(e.v[0]) for e in run.events] == [(-1) ** (k + 1) for k in range(len(run.events))]


@pytest.mark.parametrize("direction", [-1, 1])
def test_directions(direction):
    both, one = swing(passing), swing(ct.Event(passing, "one way", direction=direction))
    kept = [e.t for e in both.events if np.sign(e.v[0]) == direction]
    assert len(kept) >= 2
    assert [e.t for e in one.events] == pytest.approx(kept, abs=1e-12)


def test_events_do_not_change_the_motion():
    assert np.array_equal(swing(()).q, swing([passing, lambda v: v[0]]).q)


@pytest.mark.parametrize("output", [None, "steps", [0.2, 5.0], [5.0, 6.0]])
def test_a_terminal_event_ends_the_run_in_its_state(output):
    event = ct.Event(passing, "down", terminal=True, direction=1)
    run = swing(event, output=output)
    (e,) = run.events
    assert run.status == "event"
    assert run.t[-1] == e.t == pytest.approx(3 * QUARTER, abs=1e-9)
    assert np.array_equal(run.q[-1], e.q)
    assert np.array_equal(run.v[-1], e.v)
    assert np.all(np.diff(run.t) > 0)
    assert finite(run)
    assert "'down'" in run.message
    assert "down" in str(run)
    assert run.energy.balance == pytest.approx(0.0, abs=1e-8)


def test_work_up_to_a_terminal_event():
    """A constant force does its work over the way gone: at x = 0.5 with 3 N, 1.5 J."""
    for words in ({}, {"step": 0.05}):
        mech = point_mass()
        mech.force("push", "point", (3.0, 0, 0))
        run = ct.simulate(mech, 2.0, events=[ct.Event(lambda q: q[0] - 0.5, "there", terminal=True)], **words)
        assert run.energy.supplied[-1] == pytest.approx(1.5, abs=1e-9)
        assert run.energy.kinetic[-1] == pytest.approx(1.5, abs=1e-9)


@pytest.mark.parametrize("words", [{}, {"step": 0.1}, {"step": 0.1, "method": "euler"}])
def test_several_in_one_step(words):
    """Steady motion, x = t: at 0.52, 0.51, 0.53 in one step, given in another order, in the order of their times."""
    levels = (0.52, 0.51, 0.53)
    events = [ct.Event(lambda q, x=x: q[0] - x, f"at {x}") for x in levels]
    run = ct.simulate(point_mass(), 1.0, v=[1, 0, 0], events=events, **words)
    assert [(e.name, e.index) for e in run.events] == [("at 0.51", 1), ("at 0.52", 0), ("at 0.53", 2)]
    assert [e.t for e in run.events] == pytest.approx(sorted(levels), abs=1e-13)
    events[0] = ct.Event(events[0].function, "end", terminal=True)
    run = ct.simulate(point_mass(), 1.0, v=[1, 0, 0], events=events, **words)
    assert [e.name for e in run.events] == ["at 0.51", "end"]  # nothing behind the end
    assert run.t[-1] == pytest.approx(0.52, abs=1e-13)


def test_two_events_at_one_time():
    events = [ct.Event(lambda q: q[0] - 0.5, "one"), ct.Event(lambda t: t - 0.5, "two", terminal=True)]
    run = ct.simulate(point_mass(), 1.0, v=[1, 0, 0], events=events, step=0.2)
    assert {e.name for e in run.events} == {"one", "two"}
    assert run.t[-1] == pytest.approx(0.5, abs=1e-13)


@pytest.mark.parametrize("level", [0.5, 0.1, 1.0])
def test_a_root_where_a_step_ends_counts_once(level):
    """Steps of 1/8 by the midpoint rule are exact in binary, and x = t: a value of zero is met at 0.5 and 1.0."""
    run = ct.simulate(point_mass(), 1.0, v=[1, 0, 0], step=0.125, method="midpoint", events=[lambda q: q[0] - level])
    assert [e.t for e in run.events] == pytest.approx([level], abs=1e-13)


@pytest.mark.parametrize("terminal", [False, True])
def test_a_root_at_the_very_start_is_no_event(terminal):
    """A motion may start on the root that ended the one before."""
    run = ct.simulate(pendulum(), 3.0, [0.0], [1.0], events=[ct.Event(passing, terminal=terminal)], **FINE)
    half = np.pi * np.sqrt(1 / 9.81)  # of the period, a little more for 0.3 rad
    assert run.events[0].t == pytest.approx(half, rel=0.01)
    assert len(run.events) == (1 if terminal else 2)


def test_a_function_with_a_jump():
    run = ct.simulate(point_mass(), 1.0, v=[1, 0, 0], events=[lambda q: 1.0 if q[0] > 0.3 else -1.0], step=0.25)
    assert [e.t for e in run.events] == pytest.approx([0.3], abs=1e-12)


def test_on_a_loop_the_end_is_closed():
    """Four-bar: the crank comes to a given angle. The state of the event satisfies the loop."""
    system = ct.gallery.four_bar().compile(cut=["C"])
    a = system.velocity_index("A")
    level = ct.simulate(system, 0.5, output=[0.37], **FINE).q[0, a]
    run = ct.simulate(system, 2.0, events=[ct.Event(lambda q: q[a] - level, "there", terminal=True)], **FINE)
    assert run.t[-1] == pytest.approx(0.37, abs=1e-9)
    assert run.violation[-1] < 1e-12
    assert run.velocity_violation[-1] < 1e-12
    assert run.status == "event"


@pytest.mark.parametrize("stabilize", ["none", "baumgarte", "projection", "partition"])
def test_on_the_parallelogram_at_constant_rate(stabilize):
    """The crank turns at 3 rad/s: every 0.7 rad counted from 0.35."""
    system = ct.gallery.parallelogram(0.6).compile(cut=["C"])
    a, v = system.velocity_index("A"), np.zeros(3)
    for name, rate in (("A", 3.0), ("B", -3.0), ("D", 3.0)):
        v[system.velocity_index(name)] = rate
    run = ct.simulate(
        system, 0.7, v=v, events=[lambda q: np.sin(np.pi * (q[a] - 0.35) / 0.7)], stabilize=stabilize, **FINE
    )
    assert [e.t for e in run.events] == pytest.approx([0.35 / 3, 1.05 / 3, 1.75 / 3], abs=1e-9)


def test_events_of_a_driven_system_know_the_time():
    mech = pendulum()
    mech.drive("turn", "hinge", lambda t: t**2)
    run = ct.simulate(mech, (-1.0, 1.0), q=[1.0], events=[lambda t, q: q[0] - 0.25 + 0 * t], **FINE)
    assert [e.t for e in run.events] == pytest.approx([-0.5, 0.5], abs=1e-9)


def test_an_event_on_the_last_row_of_a_buffer():
    """Rows of single steps are kept in buffers of 4096."""
    run = ct.simulate(
        point_mass(), 5.0, v=[1, 0, 0], step=1e-3, output="steps", events=[lambda t: t - 4.0945, lambda t: t - 4.0955]
    )
    assert [e.t for e in run.events] == pytest.approx([4.0945, 4.0955], abs=1e-9)
    assert len(run.t) == 5001
    assert np.abs(run.t - 1e-3 * np.arange(5001)).max() < 1e-9
    assert np.abs(run.q[:, 0] - run.t).max() < 1e-9


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: ct.Event(3.0, "three"), EventError, "event 'three' needs a function"),
        (lambda: ct.Event(lambda x: x), EventError, "takes one or more of the parameters t, q, v"),
        (lambda: ct.Event(passing, direction=2), ChoiceError, "event 'passing': direction is 2"),
        (lambda: swing([4]), EventError, "needs a function"),
        (lambda: swing(lambda q: np.nan), EventError, "must return one number, got nan at t = 0"),
        (lambda: swing(lambda q: [1.0, 2.0]), EventError, "must return one number"),
        (lambda: swing(lambda q: "down"), EventError, "must return one number, got 'down'"),
        (lambda: swing(lambda t: np.nan if t > 0.5 else 1.0), EventError, "must return one number, got nan at t = 0.5"),
    ],
)
def test_bad_events(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_what_an_event_raises_reaches_the_caller():
    error = ZeroDivisionError("mine")

    def bad(t):
        if t > 0.5:
            raise error
        return 1.0

    with pytest.raises(ZeroDivisionError) as caught:
        swing(bad)
    assert caught.value is error


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_a_function_that_is_zero_at_the_start_counts_from_its_next_root_on(direction):
    """The rate of a pendulum that is let go is zero at every half period; at the start it has changed no sign."""
    run = swing(ct.Event(lambda v: v[0], "turns", direction=direction), t_end=9.0 * QUARTER)
    exact = 2 * QUARTER * np.arange(1, 5)
    exact = exact if direction == 0 else exact[0::2] if direction == 1 else exact[1::2]
    assert [e.t for e in run.events] == pytest.approx(exact, abs=1e-8)


def test_a_run_that_an_event_has_ended_goes_on_from_it():
    """The function is zero there, up to rounding: it is not met twice."""
    stop = ct.Event(passing, "down", terminal=True)
    run = swing(stop)
    for k in range(1, 6):
        assert run.status == "event"
        assert run.t[-1] == pytest.approx((2 * k - 1) * QUARTER, abs=1e-8)
        run = run.resume(10.0, events=stop)


def test_conditions_that_are_told_as_numbers_are_reported():
    """From 0 to 1 no sign changes; as True and False, or with other numbers, it is a condition like any other."""

    def found(function):
        run = ct.simulate(point_mass(), 1.0, v=[1.0, 0.0, 0.0], events=[ct.Event(function, "far")])
        return len(run.events), [w.kind for w in run.warnings]

    assert found(lambda q: float(q[0] > 0.5)) == (0, ["events"])
    assert found(lambda q: q[0] > 0.5) == (1, [])
    assert found(lambda q: 1.0 if q[0] > 0.5 else -1.0) == (1, [])
    assert found(lambda q: 0.0) == (0, [])
    assert found(lambda q: q[0]) == (0, [])
    mech = point_mass()
    mech.lock(next(iter(mech.joints)), when=lambda q: int(q[0] > 0.5))
    assert [w.kind for w in ct.simulate(mech, 1.0, v=[1.0, 0.0, 0.0]).warnings] == ["events"]


@pytest.mark.parametrize(
    ("function", "exact"), [(lambda t: np.sin(20 * np.pi * t + 0.3), 2000), (lambda t: 0.503 < t % 1.0 < 0.51, 200)]
)
def test_roots_of_a_function_of_time_that_were_missed_are_reported(function, exact):
    """Looked at 500 times in 100 s, in step with the function or hardly ever in a pulse."""
    run = ct.simulate(point_mass(), 100.0, v=[1.0, 0.0, 0.0], events=[ct.Event(function, "quick")])
    assert len(run.events) < 0.5 * exact
    (found,) = run.warnings
    assert found.kind == "events"
    assert f"and {len(run.events)} were found; use step=ct.Adaptive(max_step=...)" in str(found)


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_roots_that_were_found_raise_no_doubt(direction):
    words = {"v": [1.0, 0.0, 0.0]}
    both = [ct.Event(lambda t: np.sin(2 * np.pi * t + 0.3), "slow", direction=direction), lambda t: t > 7.3]
    run = ct.simulate(point_mass(), (0.5, 20.5), events=both, **words)
    assert len(run.events) == (41 if direction == 0 else 21)
    assert run.warnings == ()
    last = ct.Event(lambda t: np.sin(2 * np.pi * t + 0.3), "slow", terminal=True)
    assert ct.simulate(point_mass(), (0.5, 20.5), events=last, **words).warnings == ()


@pytest.mark.parametrize(
    ("waves", "options", "missed"),
    [
        (7.0, {}, False),
        (20.0, {}, True),
        (200.0, {}, True),
        (20.0, {"step": 0.05}, False),
        (200.0, {"step": 0.05}, True),
    ],
)
def test_events_that_happen_as_often_as_they_are_looked_at(waves, options, missed):
    """A point passes waves / pi marks a metre in 100 m; looked at are 500 times, or three times a step."""
    for direction in (0, 1):
        marks = ct.Event(lambda q: np.sin(waves * q[0] + 0.1), "mark", direction=direction)
        run = ct.simulate(point_mass(), 100.0, v=[1.0, 0.0, 0.0], events=marks, **options)
        exact = int((100.0 * waves + 0.1) / np.pi) // (1 + direction)
        assert (len(run.events) < exact) == missed
        said = [str(w) for w in run.warnings if w.kind == "events"]
        assert len(said) == missed
        assert all("event 'mark' happened" in text and "others may have been missed" in text for text in said)
