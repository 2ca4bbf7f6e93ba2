"""Steps from Python: the bits of `simulate`, inputs, copies, sensors, runs."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ForceError, ShapeError, StepError, SwitchError, UnknownNameError

H = 1e-3


def pendulum(torque=None):
    mech = ct.Mechanism("pendulum", gravity=(0, 0, -9.81))
    mech.body("rod", 2.0, (0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    mech.joint("P", "ground", "rod", ct.Revolute((0, 0, 0), (0, 1, 0)))
    if torque is not None:
        mech.motor("m", "P", torque)
    return mech


@pytest.mark.parametrize("method", ["rk4", "euler", "generalized-alpha"])
@pytest.mark.parametrize("name", ["four_bar", "heavy_top"])
def test_the_same_bits_as_simulate(method, name):
    mech = getattr(ct.gallery, name)()
    run = ct.simulate(mech, 0.1, step=H, method=method, output="steps")
    stepper = ct.Stepper(mech, H, method)
    for n in (1, 0, 42, 57):
        stepper.step(n)
    assert len(run.t) == 101
    np.testing.assert_array_equal(stepper.run().q, run.q)
    np.testing.assert_array_equal(stepper.run().v, run.v)
    np.testing.assert_array_equal(stepper.run().work, run.work)
    np.testing.assert_array_equal(stepper.q, run.q[-1])
    assert stepper.t == pytest.approx(0.1, abs=1e-14)


def test_a_torque_along_a_joint_is_a_motor():
    """Also along a joint that is cut, and set again while it moves."""
    for joint in ("A", "C"):
        free = ct.Stepper(ct.gallery.four_bar().compile(cut=["C"]), H)
        q, v = None, None
        for k, torque in enumerate((3.0, -1)):
            mech = ct.gallery.four_bar()
            mech.motor("m", joint, torque)
            given = ct.simulate(mech.compile(cut=["C"]), (0.05 * k, 0.05 * (k + 1)), q, v, step=H)
            q, v = given.q[-1], given.v[-1]
            free.set(torque={joint: torque})
            free.step(50)
        np.testing.assert_allclose(free.q, q, atol=1e-12)
        run = free.run()
        np.testing.assert_array_equal(run.element(f"{joint} torque").force[[0, 49, 50, 100]], [3.0, 3.0, -1.0, -1.0])
        assert np.abs(run.energy.balance).max() < 1e-9
        assert run.element(f"{joint} torque").work[49] == pytest.approx(run.energy.supplied[49], abs=1e-9)


def test_inputs_of_the_mechanism():
    mech = pendulum(1.5)
    mech.force("push", "rod", (0, 0, 1.0), (1, 0, 0))
    stepper = ct.Stepper(mech, H)
    assert stepper.inputs == ("P", "push", "m")
    stepper.set(torque={"m": 0.25}, force={"push": (0.0, 0.0, 2 * 9.81 * 0.5 + 0.25)})
    stepper.step(100)
    np.testing.assert_allclose(stepper.q, 0.0, atol=1e-6)
    run = stepper.run()
    np.testing.assert_array_equal(run.element("m").force, 0.25)
    np.testing.assert_array_equal(run.element("push").force[:, 2], 10.06)
    assert run.system.elements.constants.shape == stepper.system.elements.constants.shape


def test_sensors_of_the_present_state():
    stepper = ct.Stepper(ct.gallery.four_bar(), H, v={"A": 1.0})
    stepper.step(100)
    stepper.set(torque={"A": 5.0})
    now = ct.measure(stepper.run().system, stepper.q, stepper.v, stepper.t)
    assert stepper.joint("A").acceleration == pytest.approx(float(now.joint("A").acceleration), rel=1e-9)
    np.testing.assert_allclose(stepper.reaction("B").force, now.reaction("B").force, rtol=1e-9)
    assert stepper.element("A torque").force == 5.0
    found = ct.forward_dynamics(stepper.system, stepper.q, stepper.v, [5.0, 0.0, 0.0])
    np.testing.assert_allclose(stepper.v_dot, found.v_dot, rtol=1e-9)
    before = stepper.q
    _ = stepper.sensors.reactions
    stepper.step()
    assert not np.array_equal(before, stepper.q)


def test_copies_go_their_own_ways():
    stepper = ct.Stepper(ct.gallery.four_bar(), H, v={"A": 1.0})
    stepper.set(torque={"A": 1.0})
    stepper.step(30)
    other = stepper.copy()
    stepper.step(20)
    other.step(20)
    np.testing.assert_array_equal(stepper.q, other.q)
    np.testing.assert_array_equal(stepper.run().work, other.run().work)
    other.set(torque={"A": -4.0, "B": 0.1})
    other.step()
    stepper.step()
    assert not np.array_equal(stepper.v, other.v)
    assert len(other.run().t) == len(stepper.run().t) == 52


def test_it_begins_anew():
    stepper = ct.Stepper(ct.gallery.four_bar(), H)
    stepper.set(torque={"A": 1.0})
    stepper.step(300)  # more rows than there is room for at first
    assert len(stepper.run().t) == 301
    stepper.reset({"A": 0.3}, {"A": 2.0}, 1.0)
    assert (stepper.t, stepper.joint("A").angle, stepper.joint("A").rate) == (1.0, 0.3, 2.0)
    assert len(stepper.run().t) == 1
    stepper.step(5)
    fresh = ct.Stepper(ct.gallery.four_bar(), H, q={"A": 0.3}, v={"A": 2.0}, t_start=1.0)
    fresh.step(5)
    np.testing.assert_array_equal(stepper.q, fresh.q)
    assert "at t = 1.005 s" in repr(stepper)


def test_functions_are_called_and_their_errors_raised():
    stepper = ct.Stepper(pendulum(lambda t, v: -2.0 * v[0] if t < 0.0105 else 1.0 / 0.0), H)
    with pytest.raises(ZeroDivisionError):
        stepper.step(100)
    assert stepper.t == pytest.approx(0.010)
    with pytest.raises(ForceError, match="given by a function"):
        stepper.set(torque={"m": 1.0})


def test_what_is_refused():
    mech = pendulum()
    stepper = ct.Stepper(mech, H)
    for n in (1.0, -1, "two", None, True):
        with pytest.raises(ShapeError, match="whole number of steps"):
            stepper.step(n)
    stepper.step(np.int64(2))
    with pytest.raises(ArgumentError, match="by name"):
        stepper.set(torque=2.0)
    with pytest.raises(UnknownNameError, match="no input 'Q'"):
        stepper.set(torque={"Q": 1.0})
    with pytest.raises(UnknownNameError, match="name one of its coordinates"):
        ct.Stepper(ct.gallery.heavy_top(), H).set(torque={next(iter(ct.gallery.heavy_top().joints)): 1.0})
    for wrong in (np.nan, float("nan"), (1, 2), "x"):
        with pytest.raises(ForceError, match="takes 1 finite number"):
            stepper.set(torque={"P": wrong})
    with pytest.raises(StepError, match="keeps no rows"):
        ct.Stepper(mech, H, record=False).run()
    with pytest.raises(ShapeError, match="step is None"):
        ct.Stepper(mech, None)
    mech.brake("P", 1.0, name="b", at=0.5)
    with pytest.raises(SwitchError, match=r"timed devices of mechanism 'pendulum' \(brake 'b'\)"):
        ct.Stepper(mech, H)


def test_a_step_that_fails():
    mech = pendulum()
    mech.joint_spring("k", "P", 1e9)
    stepper = ct.Stepper(mech, 0.1, q={"P": 1.0})
    with pytest.raises(StepError, match="take a smaller step"):
        stepper.step(1000)
    assert np.isfinite(stepper.q).all()
