"""An exception in a function of the user keeps its type and says whose function it was, and when."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import EventError, ForceError
from tests.integrate.references import pendulum, point_mass


def bad(t):
    return 1.0 / (t - t)


def motor():
    mech = pendulum()
    mech.motor("speed", "hinge", bad)
    return mech, "in the function of motor 'speed' at t = 0"


def force():
    mech = pendulum()
    mech.force("push", "bob", lambda t: [bad(t), 0.0, 0.0])
    return mech, "in the function of force 'push' at t = 0"


def torque():
    mech = pendulum()
    mech.torque("twist", "bob", lambda t: [bad(t), 0.0, 0.0])
    return mech, "in the function of torque 'twist' at t = 0"


def notes(caught):
    return getattr(caught.value, "__notes__", [])


@pytest.mark.parametrize("make", [motor, force, torque])
@pytest.mark.parametrize(
    "call",
    [
        lambda s: ct.forward_dynamics(s, s.q0),
        lambda s: ct.forward_dynamics(s, s.q0, formulation="index1"),
        lambda s: ct.inverse_dynamics(s, s.q0),
        lambda s: ct.simulate(s, 1.0),
    ],
)
def test_forces(make, call):
    mech, words = make()
    with pytest.raises(ZeroDivisionError) as caught:
        call(mech.compile())
    assert notes(caught) == [words]


@pytest.mark.parametrize("which", ["jacobian", "residual", "rate", "bias"])
def test_rows(which):
    given = {"jacobian": lambda q: [[0.0, 1.0, 0.0]], "residual": lambda q: q[1], which: lambda t: bad(t)}
    mech = point_mass()
    mech.constraint("wire", **given)
    system = mech.compile()
    with pytest.raises(ZeroDivisionError) as caught:
        ct.simulate(system, 1.0)
    assert notes(caught) == [f"in the {which} of constraint 'wire' at t = 0"]
    if which == "residual":
        with pytest.raises(ZeroDivisionError) as caught:
            ct.assemble(system, system.q0)
        assert notes(caught) == ["in the residual of constraint 'wire' at t = 0"]


def test_drives():
    mech = ct.gallery.four_bar()
    mech.drive("turn", "A", bad)
    system = mech.compile(cut=["C"])
    for call in (lambda: ct.assemble(system, system.q0), lambda: ct.simulate(system, 1.0)):
        with pytest.raises(ZeroDivisionError) as caught:
            call()
        assert notes(caught) == ["in drive 'turn', its motion at t = 0"]


def test_events_and_conditions():
    with pytest.raises(ZeroDivisionError) as caught:
        ct.simulate(pendulum(), 1.0, [0.5], events=[ct.Event(bad, "noon")])
    assert notes(caught) == ["in event 'noon' at t = 0"]
    mech = pendulum()
    lock = mech.lock("hinge", when=bad)
    with pytest.raises(ZeroDivisionError) as caught:
        ct.simulate(mech, 1.0, [0.5])
    assert notes(caught) == [f"in when= of lock {lock.name!r} at t = 0"]
    mech = pendulum()
    lock = mech.lock("hinge", when=lambda t: "soon")
    with pytest.raises(EventError, match=f"when= of lock '{lock.name}' must return one number, got 'soon'"):
        ct.simulate(mech, 1.0, [0.5])


def test_later_in_a_run_and_once_only():
    error = KeyError("mine")

    def torque(t):
        if t > 0.3:
            raise error
        return 0.0

    mech = pendulum()
    mech.motor("speed", "hinge", torque)
    for _ in range(2):
        with pytest.raises(KeyError) as caught:
            ct.simulate(mech, 1.0, [0.5], step=0.1)
    assert caught.value is error
    assert len(notes(caught)) == 1
    assert notes(caught)[0].startswith("in the function of motor 'speed' at t = 0.3")


def test_wrong_shapes_name_the_element():
    mech = pendulum()
    mech.motor("speed", "hinge", lambda t: np.zeros(2))
    with pytest.raises(ForceError, match="the function of motor 'speed' must return 1 finite number, got"):
        ct.simulate(mech, 1.0)
