"""Sensitivities through switches that have several causes, or one that is not what it looks like."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, StudyError
from tests.studies.test_sensitivities import compared

HIGH = {"J1": 2.0, "J2": 0.2}


def chain():
    return ct.gallery.pendulum_chain(2)


def pair():
    """Two equal pendulums that know nothing of each other."""
    mech = ct.Mechanism("pair", gravity=(0, -9.81, 0))
    for k in (1, 2):
        mech.body(f"bob{k}", 1.0, (1.0, 0, k), (0.01, 0.01, 0.02))
        mech.joint(f"J{k}", "ground", f"bob{k}", ct.Revolute((0, 0, k), (0, 0, 1)))
    return mech


def test_brake_that_slides_to_the_other_side():
    """It comes to rest and turns without sticking, which a run does not note as a switch; the acceleration jumps."""
    mech = pair()
    mech.brake("J1", torque=3.0, name="shoe")
    found = compared(mech, 2.0, ["shoe.torque", "bob1.mass"], ["J1", "J1.rate"], {"J1": 0.1}, start=["J1"])
    assert len(found.run.phases) == 2
    assert not any("stick" in what for s in found.run.switches for _, what in s.changes)


def test_brake_that_turns_between_times():
    mech = chain()
    mech.brake("J2", torque=0.5, name="shoe", at=0.3, until=0.8)
    compared(
        mech, 1.0, ["shoe.at", "shoe.until", "shoe.torque"], ["J1", "J2"], HIGH, {"J1": 0.3, "J2": 1.0}, start=["J2"]
    )


def test_brake_that_sticks_because_a_lock_closes():
    """The condition sets the switch off, not the rest of the brake, which is its consequence."""
    mech = chain()
    mech.brake("J2", torque=0.5, name="shoe")
    mech.lock("J2", when=lambda q: q[0] - 0.7, name="latch", until=1.2)
    found = compared(mech, 1.5, ["shoe.torque"], ["J1", "J2"], HIGH, start=["J1"])
    assert [("latch", "locks"), ("shoe", "sticks")] in [list(s.changes) for s in found.run.switches]


def test_of_two_conditions_the_one_that_is_met():
    mech = chain()
    mech.lock("J2", when=lambda t, q: t - 30.0 + q[0], name="latch")
    mech.lock("J2", when=lambda q: q[0] - 0.7, name="latch")
    compared(mech, 1.5, ["gravity.y"], ["J1", "J2"], HIGH, start=["J1", "J2"])


def _stops(mech):
    for k in (1, 2):
        mech.limit(f"J{k}", lower=-1.0, restitution=0.5, name=f"stop{k}")


def _locks_at_a_time(mech):
    for k in (1, 2):
        mech.lock(f"J{k}", at=0.3, name=f"stop{k}")


def _locks_at_a_place(mech):
    mech.lock("J1", when=lambda q: q[0] + 0.7, name="stop1")
    mech.lock("J2", when=lambda q: q[1] + 0.7, name="stop2")


def _brakes(mech):
    for k in (1, 2):
        mech.brake(f"J{k}", torque=3.0, name=f"stop{k}")


@pytest.mark.parametrize("add", [_stops, _locks_at_a_time, _locks_at_a_place, _brakes])
def test_two_causes_at_one_instant_are_refused(add):
    """What shifts one of them does not shift the other, and what is between differs on either side."""
    mech = pair()
    add(mech)
    given = {"parameters": ["stop1.at"]} if add is _locks_at_a_time else {"start": ["J1"]}
    with pytest.raises(StudyError, match="'stop1' and 'stop2' act at the same instant"):
        ct.sensitivities(mech, 1.5, {"J1": 0.1, "J2": 0.1}, **given)


def test_causes_that_shift_together_are_one():
    mech = pair()
    _locks_at_a_time(mech)
    found = compared(mech, 0.5, ["bob1.mass"], ["J1", "J2"], {"J1": 0.1, "J2": 0.1}, start=["J1"])
    assert len(found.run.switches) == 1


def test_jumps_one_after_the_other_are_refused():
    """The joint rebounds from its stop, and the rate behind that locks it at once."""
    mech = pair()
    mech.limit("J1", lower=-0.8, restitution=0.5, name="stop")
    mech.lock("J1", when=lambda v: v[0] - 0.2, name="latch")
    with pytest.raises(StudyError, match="'stop, latch' act one after the other"):
        ct.sensitivities(mech, 0.6, {"J1": 0.0}, start=["J1"])


def test_starts_at_which_velocities_jump_are_refused():
    for add in (lambda m: m.limit("J1", lower=0.5, name="it"), lambda m: m.lock("J1", at=0.0, name="it")):
        mech = chain()
        add(mech)
        with pytest.raises(StudyError, match="'it' makes velocities jump at the start"):
            ct.sensitivities(mech, 0.5, {"J1": 0.5}, {"J1": -1.0}, start=["J2.rate"])


def test_phases_of_no_length_are_refused():
    """A rebound locks the second joint, which sends the first one into its stop again."""
    mech = chain()
    mech.limit("J1", lower=0.8, restitution=0.5, name="stop")
    mech.lock("J2", when=lambda v: v[0] - 0.2, name="latch")
    with pytest.raises(StudyError, match=r"at the instant of a switch, t = 0\.4877"):
        ct.sensitivities(mech, 0.6, {"J1": 2.0, "J2": 0.1}, start=["J1"])


def test_loads_that_break_depend_on_parameters_in_no_known_way():
    mech = chain()
    mech.lock("J2", at=0.0, name="pin", breaks_at=5.0)
    compared(mech, 0.8, [], ["J1", "J2"], HIGH, start=["J1"])
    with pytest.raises(StudyError, match=r"'pin' breaks at t = .*'gravity\.y' is not known"):
        ct.sensitivities(mech, 0.8, HIGH, parameters=["gravity.y"])


def test_the_static_ratio_of_a_curve_is_refused():
    """Along Stribeck's curve sliding friction depends on it too; its derivative was zero."""
    mech = chain()
    mech.friction("J2", coulomb=2.0, static=2.6, stribeck=0.1, name="dry")
    with pytest.raises(ArgumentError, match="'dry' changes with it is not known"):
        ct.parameter_derivatives(mech, [0.9, 0.2], [1.0, 0.1], ["dry.static_ratio"])
    assert np.isfinite(ct.parameter_derivatives(mech, [0.9, 0.2], [1.0, 0.1], ["dry.torque"]).v_dot).all()
