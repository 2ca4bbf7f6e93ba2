"""What steppers refuse or say: stops that they cannot locate, clocks that stand still, starts that moved, copies."""

import copy
import pickle
import warnings

import pytest

import cotree as ct


@pytest.fixture(scope="module")
def four_bar():
    return ct.gallery.four_bar().compile()


def stopped():
    mech = ct.gallery.pendulum_chain(1)
    mech.limit(next(iter(mech.joints)), lower=-0.5, upper=0.5)
    return mech


def test_a_batch_does_not_pass_through_stops():
    with pytest.raises(ct.errors.SwitchError, match=r"ct.BatchStepper does not know stops .* \(limit 'limit"):
        ct.BatchStepper(stopped(), 0.01, count=2)
    docked = stopped()
    docked.impulse("blow", next(iter(docked.bodies)), (0.0, 1.0, 0.0), at=0.5)
    with pytest.raises(ct.errors.SwitchError, match=r"does not know impulses, timed devices of mechanism"):
        ct.Stepper(docked, 0.01)


def test_steps_that_the_clock_cannot_tell(four_bar):
    with pytest.raises(ct.errors.StepError, match=r"step is 0.001 s, too small for times near 1e\+17 s"):
        ct.Stepper(four_bar, 1e-3, t_start=1e17)
    stepper = ct.Stepper(four_bar, 1e-3, t_start=100.0)
    with pytest.raises(ct.errors.StepError, match="too small"):
        stepper.reset(t=1e15)
    stepper.step()
    assert stepper.t == pytest.approx(100.001, abs=1e-12)


def test_starts_that_moved_are_said_without_a_run(four_bar):
    with pytest.warns(ct.errors.RunWarning, match="the start was moved"):
        stepper = ct.Stepper(four_bar, 1e-3, q=[0.5, 0.0, 0.0])
    with pytest.warns(
        ct.errors.RunWarning, match="1 of 2 members did not start as asked, the first is 1: the start was moved"
    ):
        ct.BatchStepper(four_bar, 1e-3, q=[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stepper.reset(q={"A": 0.5})
        ct.BatchStepper(four_bar, 1e-3, q=[stepper.q, four_bar.q0])


def test_copies_of_steppers(four_bar):
    stepper = ct.Stepper(four_bar, 1e-3)
    stepper.set(torque={"A": 1.0})
    stepper.step(3)
    other = copy.deepcopy(stepper)
    stepper.step(5)
    other.step(5)
    assert other.t == stepper.t
    assert (other.q == stepper.q).all()
    with pytest.raises(ct.errors.StepError, match="a stepper holds memory of this process and cannot be pickled"):
        pickle.dumps(stepper)
    batch = ct.BatchStepper(four_bar, 1e-3, count=2)
    for copied in (copy.deepcopy, copy.copy, pickle.dumps):
        with pytest.raises(ct.errors.StepError, match="a batch of steppers holds memory of this process"):
            copied(batch)


def test_output_times_outside_the_run_are_said():
    mech = ct.gallery.pendulum_chain(1)
    with pytest.warns(ct.errors.RunWarning, match="1 of the 2 output times are not between 0 and 1 s, and have no row"):
        run = ct.simulate(mech, 1.0, output=[0.5, 2.0])
    assert [w.kind for w in run.warnings] == ["input"]
    with pytest.raises(ct.errors.UntrustedRunError, match="output times"):
        ct.simulate(mech, 1.0, output=[-1.0, 0.5]).trusted()
    with pytest.warns(ct.errors.RunWarning, match="1 of the 3 output times"):
        ct.simulate_many(mech, 1.0, q=[[0.1], [0.2]], output=[0.5, 1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = ct.simulate(mech, 1.0, output=[0.1 * k for k in range(11)])  # 0.1 * 10 is not above 1
        assert len(first.t) == 11
        past_by_rounding = ct.simulate(mech, 0.3, output=[0.1, 0.2, 0.1 + 0.2])
        assert past_by_rounding.t[-1] == 0.3
        whole = first.resume(2.0, output=[0.1 * k for k in range(21)])
    assert len(whole.t) == 21
    assert [w.kind for w in first.resume(2.0, output=[1.5, 3.0]).noted] == ["input"]
