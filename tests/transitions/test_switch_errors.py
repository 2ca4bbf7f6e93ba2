"""What cannot be switched as described, with the names that the messages give."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import (
    ChoiceError,
    ConstraintError,
    DuplicateNameError,
    EventError,
    ModelError,
    MotionError,
    NotFiniteError,
    ShapeError,
    SingularError,
    SwitchError,
    UnknownNameError,
)  # fmt: skip


def mechanism():
    mech = ct.Mechanism("rig", (0, -9.81, 0))
    for k in range(3):
        mech.body(f"b{k}", 1.0, (k + 0.5, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("shoulder", "ground", "b0", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("ball", "b0", "b1", ct.Spherical((1, 0, 0)))
    mech.joint("sleeve", "b1", "b2", ct.Cylindrical((2, 0, 0), (1, 0, 0)))
    return mech


def welded():
    mech = mechanism()
    mech.body("b3", 1.0, (3, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("weld", "b2", "b3", ct.Weld())
    return mech


ABOUT_THE_MODEL = [
    (lambda m: m.lock("shoulde"), UnknownNameError, "lock.*'shoulde'.*did you mean 'shoulder'"),
    (lambda m: m.brake("elbow", 1.0), UnknownNameError, "brake.*'elbow'"),
    (lambda m: m.limit("elbow", 0, 1), UnknownNameError, "limit.*'elbow'"),
    (lambda m: m.lock("weld"), SwitchError, "lock of joint 'weld': the joint is a weld"),
    (lambda m: m.lock("shoulder", coordinate="wz"), SwitchError, "'shoulder' has one coordinate only"),
    (lambda m: m.lock("sleeve", coordinate="wy"), SwitchError, "joint 'sleeve' has several coordinates"),
    (lambda m: m.brake("sleeve", 1.0), SwitchError, "brake of joint 'sleeve'.*several coordinates; say which"),
    (lambda m: m.brake("weld", 1.0), SwitchError, "joint 'weld' is a weld"),
    (lambda m: m.limit("sleeve", 0, 1), SwitchError, "limit of joint 'sleeve'.*several coordinates"),
    (lambda m: m.brake("shoulder", -1.0), SwitchError, "brake of joint 'shoulder': torque is -1.0; it must be positive"),
    (lambda m: m.brake("shoulder", 0.0), SwitchError, "torque is 0.0"),
    (lambda m: m.brake("shoulder", "much"), ShapeError, "brake of joint 'shoulder'"),
    (lambda m: m.brake("shoulder", np.nan), NotFiniteError, "brake of joint 'shoulder'"),
    (lambda m: m.brake("shoulder", 1.0, static_ratio=0.9), SwitchError, "'shoulder': static_ratio is 0.9"),
    (lambda m: m.limit("shoulder", 1.0, -1.0), SwitchError, "'shoulder': lower is 1 and upper -1"),
    (lambda m: m.limit("shoulder", 1.0, 1.0), SwitchError, "lower must be less than upper"),
    (lambda m: m.limit("shoulder"), SwitchError, "limit of joint 'shoulder' has no bounds"),
    (lambda m: m.limit("shoulder", -np.inf, np.inf), SwitchError, "has no bounds"),
    (lambda m: m.limit("shoulder", 2**70, -(2**70)), SwitchError, "lower must be less than upper"),
    (lambda m: m.limit("shoulder", 0, restitution=1.1), SwitchError, "'shoulder': restitution is 1.1"),
    (lambda m: m.limit("shoulder", 0, restitution=-0.1), SwitchError, "restitution is -0.1"),
    (lambda m: m.lock("shoulder", at=1, when=lambda t: t), SwitchError, "'shoulder': give a time .at=. or an event"),
    (lambda m: m.lock("shoulder", when=3.0), EventError, "'shoulder': when must be a function of t, q, v or a ct.Event"),
    (lambda m: m.lock("shoulder", when=lambda x: x), EventError, "lock of joint 'shoulder', when"),
    (lambda m: m.lock("shoulder", at=2, until=1), SwitchError, "'shoulder': at is 2 s and until 1 s"),
    (lambda m: m.lock("shoulder", at=1, until=1), SwitchError, "until must be later than at"),
    (lambda m: m.lock("shoulder", at="noon"), ShapeError, "lock of joint 'shoulder'"),
    (lambda m: m.unlock("shoulder", at=1), UnknownNameError, "unlock 'shoulder': there is no lock, brake, limit or dock"),
    (lambda m: (m.lock("shoulder"), m.unlock("shouldr", at=1)), UnknownNameError, "did you mean 'shoulder'"),
    (lambda m: (m.lock("shoulder"), m.unlock("shoulder")), SwitchError, "unlock 'shoulder': say when"),
    (lambda m: m.activate("rope", at=1), UnknownNameError, "activate 'rope': no constraint"),
    (lambda m: m.activate("shoulder", at=1), UnknownNameError, "activate 'shoulder'"),
    (lambda m: m.deactivate("shouldr", at=1), UnknownNameError, "did you mean 'shoulder'"),
    (lambda m: m.deactivate("shoulder"), SwitchError, "deactivate 'shoulder': say when"),
    (lambda m: (m.drive("shoulder", "shoulder", 0.0), m.deactivate("shoulder", at=1)), SwitchError, "rename one"),
    (lambda m: m.dock("d", "b0", "b0", ct.Weld()), SwitchError, "dock 'd' connects body 'b0' with itself"),
    (lambda m: m.dock("d", "b0", "b9", ct.Weld()), UnknownNameError, "dock 'd'.*'b9'"),
    (lambda m: m.dock("d", "b0", "b2", "weld"), SwitchError, "dock 'd': 'weld' is not a joint"),
    (lambda m: m.dock("d", "b0", "b2", ct.Weld(), within=0), SwitchError, "dock 'd': within is 0"),
    (lambda m: m.dock("", "b0", "b2", ct.Weld()), ModelError, "name of a dock"),
    (lambda m: [m.dock("d", "b0", "b2", ct.Weld()) for _ in range(2)], DuplicateNameError, "dock 'd'.*exists already"),
    (lambda m: [m.brake("shoulder", x) for x in (1.0, 2.0)], DuplicateNameError, "'brake shoulder' exists already"),
    (lambda m: (m.drive("x", "shoulder", 0.0), m.lock("ball", name="x")), DuplicateNameError, "lock 'x' exists already"),
]  # fmt: skip


@pytest.mark.parametrize(("do", "error", "words"), ABOUT_THE_MODEL)
def test_descriptions(do, error, words):
    mech = welded()
    with pytest.raises(error, match=words):
        do(mech)
    assert len(mech.actions) <= 1  # nothing is left of what was refused


def test_several_names_for_locks_of_one_joint_are_no_error():
    mech = mechanism()
    mech.lock("shoulder", at=1.0, until=2.0)
    mech.lock("shoulder", at=3.0)
    mech.lock("shoulder", name="pin", at=1.5)
    mech.brake("shoulder", 1.0)
    mech.brake("shoulder", 2.0, name="second")
    assert set(mech.devices) == {"lock shoulder", "pin", "brake shoulder", "second"}


ABOUT_TRANSITIONS = [
    (["shouldr"], UnknownNameError, "activate: 'shouldr' is not a joint, .*; did you mean 'shoulder'"),
    (["weld"], SwitchError, "activate: joint 'weld' is a weld"),
    (["sleeve.wy"], SwitchError, "activate 'sleeve.wy'.*several coordinates"),
    ([np.zeros((1, 3))], ShapeError, r"activate: item 0 .*finite rows \(m, 6\)"),
    ([np.full(6, np.nan)], ShapeError, "item 0"),
    ([object()], ShapeError, "item 0"),
    (["ball.wx"], ConstraintError, "'ball.wx' is a velocity without a matching coordinate"),
]


@pytest.mark.parametrize(("activate", "error", "words"), ABOUT_TRANSITIONS)
def test_transitions(activate, error, words):
    system = welded().compile()
    with pytest.raises(error, match=words):
        ct.transition(system, system.q0, np.zeros(6), activate)


def test_forms():
    system = mechanism().compile()
    with pytest.raises(ChoiceError, match="form is 'maximal'; choose one of 'general', 'redundant', 'minimal'"):
        ct.transition(system, system.q0, np.zeros(6), ["ball"], form="maximal")


def test_a_lock_and_a_driver_that_contradict_each_other():
    """At once: a lock of what is driven; in a transition: velocities that no motion has."""
    mech = mechanism()
    mech.drive("turn", "shoulder", lambda t: 2.0 * t, rate=lambda t: 2.0, acceleration=lambda t: 0.0)
    system = mech.compile()
    v = np.array([2.0, 0, 0, 0, 0, 0])
    with pytest.raises(MotionError, match=r"(?=.*lock shoulder)(?=.*turn).*contradictory velocities"):
        ct.transition(system, system.q0, v, ["shoulder"])
    mech.lock("shoulder", at=0.1)
    with pytest.raises(SwitchError, match="deactivate the drive first"):
        ct.simulate(mech, 0.2, v=v)
    mech.deactivate("turn", at=0.15)  # too late
    run = ct.simulate(mech, 0.2, v=v)
    assert run.status == "failed"
    assert "'lock shoulder' and drive 'turn' both prescribe joint 'shoulder'" in run.message
    assert run.t[-1] <= 0.1
    mech = mechanism()
    mech.drive("turn", "shoulder", lambda t: 2.0 * t, rate=lambda t: 2.0, acceleration=lambda t: 0.0)
    mech.lock("shoulder")
    with pytest.raises(SwitchError, match="deactivate the drive first"):
        ct.simulate(mech, 0.2, v=v)


def test_a_drive_that_is_dropped_before_the_lock_is_no_contradiction():
    mech = mechanism()
    mech.drive("turn", "shoulder", lambda t: 2.0 * t, rate=lambda t: 2.0, acceleration=lambda t: 0.0)
    mech.deactivate("turn", at=0.1)
    mech.lock("shoulder", at=0.1)
    run = ct.simulate(mech, 0.2, v=[2.0, 0, 0, 0, 0, 0])
    assert run.status == "done", run.message
    assert run.q[-1, 0] == pytest.approx(0.2, abs=1e-12)
    assert run.v[-1, 0] == 0.0


def test_a_gear_that_forbids_a_lock():
    """Locked at one end, driven at the other: the run ends with what contradicts what."""
    mech = ct.gallery.planar_3r()
    mech.gear("gear", "J1", "J2", 1.0)
    mech.drive("turn", "J1", lambda t: 2.0 * t, rate=lambda t: 2.0, acceleration=lambda t: 0.0)
    for device in (lambda m: m.lock("J2", at=0.1), lambda m: m.limit("J2", upper=0.1)):
        mech.devices.clear()
        mech.actions.clear()
        device(mech)
        run = ct.simulate(mech, 0.2, q=[0.0, 0.0, 0.0], v=[2.0, 2.0, 0.0])
        assert run.status == "failed", str(run)
        assert ("contradictory velocities" if "lock" in run.message else "limit 'limit J2' is reached") in run.message
        assert "at t = " in run.message
        assert "turn" in run.message
    mech.lock("J2")
    mech.limit("J3", lower=0.0)  # leant on, beside the lock
    with pytest.raises(MotionError, match=r"contradictory velocities at t = 0 s"):
        ct.simulate(mech, 0.2, q=[0.0, 0.0, 0.0], v=[2.0, 2.0, 0.0])


def test_devices_on_what_cannot_be_measured():
    mech = mechanism()
    mech.brake("ball", 1.0, coordinate="wx")
    with pytest.raises(
        ConstraintError, match=r"brake 'brake ball.wx'.*'ball.wx' is a velocity without a matching coordinate"
    ):
        ct.simulate(mech, 0.1)
    mech = mechanism()
    mech.limit("ball", 0, 1, coordinate="wx")
    with pytest.raises(ConstraintError, match=r"limit 'limit ball.wx'"):
        ct.simulate(mech, 0.1)


def test_a_limit_of_what_is_driven():
    mech = mechanism()
    mech.drive("turn", "shoulder", lambda t: 0.0)
    mech.limit("shoulder", upper=1.0)
    with pytest.raises(
        SwitchError, match="limit 'limit shoulder' stops joint 'shoulder', which drive 'turn' prescribes"
    ):
        ct.simulate(mech, 0.1)


def test_a_start_beyond_a_stop():
    mech = mechanism()
    mech.limit("shoulder", lower=-0.5, upper=0.5)
    q = mech.compile().q0.copy()
    q[0] = 0.6
    with pytest.raises(SwitchError, match=r"limit 'limit shoulder': joint 'shoulder' is at 0.6.*between -0.5 and 0.5"):
        ct.simulate(mech, 0.1, q=q)


def test_transitions_of_a_kind_that_there_is_not():
    with pytest.raises(ChoiceError, match="transitions"):
        ct.simulate(mechanism(), 0.1, stabilize=ct.Projection(transitions="careless"))


def test_a_mass_matrix_that_is_singular_is_named():
    """A jump divides by it."""
    mech = ct.Mechanism("light")
    body = mech.body("dust", 1.0)  # a point on the axis
    mech.joint("hinge", mech.ground, body, ct.Revolute((0, 0, 0), (0, 0, 1)))
    system = mech.compile()
    with pytest.raises(SingularError, match="hinge"):
        ct.transition(system, [0.0], [1.0], ["hinge"])
