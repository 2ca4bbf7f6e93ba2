"""What happens at one instant is all done: several actions of one event, events of the user's, what a jump sets off."""

import numpy as np
import pytest

import cotree as ct
from tests.integrate.switching_rigs import TIGHT, G, Y, Z, arm, block, books_close, pendulum, wheel, words


def at_half(q):
    return q[0] + 0.5


def falls(*locks, other=None, events=(), t_end=0.5, **options):
    """An arm of three bars that falls; locks: (joint, event)."""
    mech = arm((1.0, 0.7, 0.5))
    for joint, when in locks:
        mech.lock(joint, when=when)
    if other is not None:
        other(mech)
    return ct.simulate(mech, t_end, events=events, **TIGHT, **options)


@pytest.mark.parametrize(
    "second", [at_half, ct.Event(at_half), lambda q: q[0] + 0.5, lambda q: 3.0 * q[0] + 1.5, lambda q: q[0] < -0.5]
)
def test_all_actions_of_an_instant_are_done(second):
    run = falls(("j2", at_half), ("j3", second))
    one = falls(other=lambda m: [m.lock(j, at=run.switches[0].t) for j in ("j2", "j3")])
    assert [len(s.changes) for s in run.switches] == [2]
    assert run.switches[0].names == ("lock j2", "lock j3")
    assert run.q[-1] == pytest.approx(one.q[-1], abs=1e-8)
    books_close(run)


def test_what_lets_go_comes_first():
    """A lock is exchanged for a drive of the same joint: in the other order they would contradict each other."""
    mech = wheel()
    mech.motor("spin", "axle", 2.0)
    mech.body("other", 1.0, (1, 0, 0), (4.0, 4.0, 4.0))
    mech.joint("shaft", "ground", "other", ct.Revolute((1, 0, 0), Z))
    mech.drive("hold", "shaft", 0.0)
    mech.activate("hold", when=lambda t: t - 0.5)
    mech.lock("shaft", until=0.5)
    run = ct.simulate(mech, 1.0, **TIGHT)
    assert run.status == "done", run.message
    assert words(run)[1:] == [("lock shaft", "unlocks"), ("hold", "is activated")]


def test_events_of_the_instant_of_a_switch_are_recorded_once():
    seen = [ct.Event(at_half, "a"), ct.Event(lambda q: 7.0 * q[0] + 3.5, "b"), ct.Event(lambda q: q[0] < -0.5, "c")]
    run = falls(("j2", at_half), ("j3", lambda q: 2.0 * q[0] + 1.0), events=seen)
    assert [e.name for e in run.events] == ["a", "b", "c", "lock j2, lock j3"]
    assert len({e.t for e in run.events}) == 1


def test_lambdas_of_one_name_are_told_apart():
    """The run ends with one of two lambdas; the other, which changes its sign soon after, is still seen by resume."""
    events = [ct.Event(lambda q: q[0] + 0.3, "f", terminal=True), ct.Event(lambda q: q[0] + 0.3001, "f")]
    run = ct.simulate(arm((1.0,)), 1.0, events=events, **TIGHT)
    assert run.resume(0.5, events=events).events[1].q[0] == pytest.approx(-0.3001)


def test_a_terminal_event_at_a_switch_ends_the_run_behind_it():
    end = ct.Event(lambda q: 2.0 * q[0] + 1.0, "end", terminal=True)
    run = falls(("j2", at_half), events=[end])
    whole = falls(("j2", at_half))
    assert run.status == "event"
    assert run.topology(run.t[-1]) == ("lock j2",)
    assert run.v[-1][1] == 0.0
    assert np.diff(run.t).min() > 0.0
    assert run.energy.lost[-1] == pytest.approx(run.switches[0].energy_loss)
    assert abs(run.energy.balance).max() < 1e-9
    more = run.resume(0.5)
    assert more.q[-1] == pytest.approx(whole.q[-1], abs=1e-8)
    assert words(more) == [("lock j2", "locks")]


def test_a_jump_of_the_velocity_is_an_event():
    """A ball that bounces: its velocity changes sign in the impact, without passing zero, and then at the top."""
    mech = block(2.0, (0, -G, 0), Y)
    mech.limit("slide", lower=-1.0, restitution=0.8)
    fall = np.sqrt(2 / G)
    run = ct.simulate(mech, 1.5, events=[ct.Event(lambda v: v[0], "turns")], **TIGHT)
    turns = [e for e in run.events if e.name == "turns"]
    assert [e.t for e in turns] == pytest.approx([fall, 1.8 * fall, 2.6 * fall, 3.24 * fall], abs=1e-8)
    end = ct.simulate(mech, 1.5, events=[ct.Event(lambda v: v[0], "turns", terminal=True)], **TIGHT)
    assert end.status == "event"
    assert end.t[-1] == pytest.approx(fall, abs=1e-8)
    assert end.v[-1][0] == pytest.approx(0.8 * np.sqrt(2 * G))
    assert end.resume(1.5).q[-1] == pytest.approx(run.q[-1], abs=1e-9)


def test_a_jump_of_the_velocity_sets_off_a_lock():
    mech = block(2.0, (0, -G, 0), Y)
    mech.limit("slide", lower=-1.0, restitution=0.8)
    mech.lock("slide", when=ct.Event(lambda v: v[0] - 1.0, direction=1))
    run = ct.simulate(mech, 1.5, **TIGHT)
    assert run.status == "done", run.message
    (hit,) = run.switches
    assert hit.t == pytest.approx(np.sqrt(2 / G), abs=1e-8)
    assert hit.changes == (("limit slide", "rebounds from its lower stop"), ("lock slide", "locks"))
    assert hit.energy_loss == pytest.approx(2.0 * G)
    assert hit.impulses["limit slide"] + hit.impulses["lock slide"] == pytest.approx([2.0 * np.sqrt(2 * G)])
    assert run.q[-1] == pytest.approx([-1.0], abs=1e-9)


def test_an_event_that_locks_does_not_unlock_at_the_same_root():
    """One function for both: its next root lets go again."""

    def bottom(q):
        return q[0]

    mech = pendulum()
    mech.body("wheel", 1.0, (1, 0, 0), (1, 1, 1))
    mech.joint("axle", "ground", "wheel", ct.Revolute((1, 0, 0), Z))
    mech.lock("axle", when=bottom)
    mech.unlock("axle", when=bottom)
    run = ct.simulate(mech, 3.0, q=[1.0, 0.0], v=[0.0, 1.0], **TIGHT)
    assert [w for _, w in words(run)[:3]] == ["locks", "unlocks", "locks"]
    assert np.diff([s.t for s in run.switches]).min() > 0.5


@pytest.mark.parametrize("kind", [bool, np.bool_, lambda x: np.array([x])])
def test_a_condition_is_an_event(kind):
    """True and False in place of a number: found where they change, as exactly as a root."""
    root = falls(("j2", at_half)).switches[0]
    run = falls(("j2", lambda q: kind(q[0] < -0.5)))
    assert [s.t for s in run.switches] == pytest.approx([root.t], abs=1e-12)
    rises = falls(events=[ct.Event(lambda q: kind(q[0] < -0.5), "below", direction=1)])
    assert [e.t for e in rises.events] == pytest.approx([root.t], abs=1e-9)
    falling = falls(events=[ct.Event(lambda q: kind(q[0] < -0.5), "below", direction=-1)])
    assert falling.events == ()


def test_a_condition_that_is_true_already_is_warned_of():
    mech = arm((1.0,))
    mech.lock("j1", when=lambda q: q[0] < 1.0)
    with pytest.warns(ct.errors.RunWarning, match="lock 'lock j1'.*true at the start"):
        run = ct.simulate(mech, 0.1)
    assert run.switches == ()
    assert [w.kind for w in run.noted] == ["events"]
    other = arm((1.0,))
    other.lock("j1", when=ct.Event(lambda q: q[0] < 1.0, direction=1))
    assert ct.simulate(other, 0.1).noted == ()


def test_a_function_that_goes_from_minus_one_to_one_is_no_condition():
    """The values at the ends of the only step are those of a condition; the root is in between all the same."""
    mech = block()
    run = ct.simulate(mech, 1.0, v=[2.0], step=1.0, events=[ct.Event(lambda q: q[0] - 1.0, "middle")])
    assert [e.t for e in run.events] == pytest.approx([0.5], abs=1e-12)
