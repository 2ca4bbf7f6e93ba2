"""Output between steps: as exact as the steps themselves, of sixth order in positions; which times may be asked for."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, ShapeError
from tests.integrate.references import by_scipy, finite, pendulum, tight


def free_body(group, coordinates="auto"):
    """Torque-free body of three different inertias, thrown, its frame off the mass centre."""
    mech = ct.Mechanism("thrown")
    body = mech.body("body", 2.0, (0.3, 0.1, -0.2), (0.3, 0.2, 0.1))
    mech.joint("free", mech.ground, body, ct.Free(coordinates=coordinates))
    return mech.compile(group=group), [1.0, 2.0, -1.5, 0.5, 1.0, 2.0]


def top(coordinates):
    mech = ct.Mechanism("top")
    body = mech.body("top", 1.0, (0.2, 0.1, 0.4), (0.05, 0.04, 0.02))
    mech.joint("pivot", mech.ground, body, ct.Spherical((0, 0, 0), coordinates=coordinates))
    return mech.compile(), [2.0, -3.0, 5.0]


CASES = {
    "free, SE3": lambda: free_body("SE3"),
    "free, SO3xR3": lambda: free_body("SO3xR3"),
    "free, quaternion": lambda: free_body("SE3", "quaternion"),
    "top, group": lambda: top("group"),
    "top, quaternion": lambda: top("quaternion"),
    "top, second": lambda: top("second"),
}


@pytest.mark.parametrize("name", CASES)
def test_order_between_the_ends_of_a_step(name):
    """One step of Dormand and Prince, asked at three places within: poses of order six, velocities of order five."""
    system, v = CASES[name]()
    errors = []
    for h in (0.2, 0.1):
        times = h * np.array([0.3, 0.5, 0.8])
        run, exact = (
            ct.simulate(system, h, v=v, step=h, method="dopri5", output=times),
            tight(system, h, v=v, output=times),
        )
        assert run.statistics["steps"] == 1
        errors.append((np.abs(run.poses() - exact.poses()).max(), np.abs(run.v - exact.v).max()))
    orders = np.log2(np.array(errors[0]) / errors[1])
    assert orders[0] > 5.5
    assert orders[1] > 4.5


@pytest.mark.parametrize("name", ["free, SE3", "free, SO3xR3", "top, group"])
def test_the_interpolant_alone(name):
    """Ends taken from a tight run, so that nothing but the quintic errs: order six, and a second route by SciPy.

    Measured between 50 and 12.5 ms: 5.93 to 5.97 for the free body, 5.59 and 5.81 for the top, where they still grow.
    """
    from cotree.integrate.driver import Driver
    from cotree.integrate.methods.dense_output import within
    from cotree.integrate.settings import Settings

    system, v = CASES[name]()
    errors = []
    for h in (0.05, 0.025, 0.0125):
        exact = tight(system, h, v=v, output=[0.0, 0.4 * h, h])
        driver = Driver(system, Settings().resolved(system), 0.0, exact.q[0], exact.v[0], exact.t, h, ())
        driver.state.clock.t_old, driver.state.clock.t_now = 0.0, h
        for which, k in (("old", 0), ("now", 2)):
            q, u, a = driver.state.at(which)
            q[:], u[:] = exact.q[k], exact.v[k]
            a[:] = ct.forward_dynamics(system, exact.q[k], exact.v[k]).v_dot
        q, u = np.empty(system.nq), np.empty(system.nv)
        within(driver.state.run, 0.4, q, u)
        errors.append(np.abs(ct.poses(system, q) - exact.poses()[1]).max())
    assert np.log2(errors[0] / errors[1]) > 5.5
    assert np.log2(errors[1] / errors[2]) > 5.5
    reference, _ = by_scipy(system, [0.0, 0.2], v=v)
    assert np.abs(ct.poses(system, reference[-1]) - tight(system, 0.2, v=v).poses()[-1]).max() < 1e-10


@pytest.mark.parametrize("name", ["four_bar", "bennett", "three_bar"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_error_between_steps_is_that_of_the_steps(name, tolerance):
    """Many times between the steps; the error against a tight run is not above that at the steps by more than a little.

    Measured: the greatest errors between steps and at them are the same within 30 percent.
    """
    mech = getattr(ct.gallery, name)()
    system, state = mech.compile(), (mech.q_start, mech.v_start)
    words = {"rtol": tolerance, "atol": tolerance}
    steps = ct.simulate(system, 1.0, *state, output="steps", **words)
    fine = ct.simulate(system, 1.0, *state, output=1001, **words)
    at_steps = np.abs(steps.poses() - tight(system, 1.0, *state, output=steps.t).poses()).max()
    between = np.abs(fine.poses() - tight(system, 1.0, *state, output=1001).poses()).max()
    assert fine.statistics["steps"] == steps.statistics["steps"] < 600
    assert between < 3 * at_steps + 10 * tolerance
    assert between < 1000 * tolerance
    assert fine.violation.max() < 1e-12
    assert fine.velocity_violation.max() < 1e-11


def test_output_of_each_step():
    system = ct.gallery.four_bar().compile()
    run = ct.simulate(system, 1.0, output="steps")
    assert len(run.t) == run.statistics["steps"] + 1
    assert (run.t[0], run.t[-1]) == (0.0, 1.0)
    again = ct.simulate(system, 1.0, output=run.t)
    assert np.abs(again.q - run.q).max() < 1e-14
    assert finite(run)


def test_many_steps_as_rows():
    """More rows than one buffer holds; several thousand, once each."""
    run = ct.simulate(pendulum(), 1.0, [0.5], step=1e-4, output="steps")
    assert len(run.t) == 10_001
    assert np.abs(run.t - 1e-4 * np.arange(10_001)).max() < 1e-10
    exact = tight(pendulum().compile(), 1.0, [0.5], output=run.t[::1000])
    assert np.abs(run.q[::1000] - exact.q).max() < 1e-9


@pytest.mark.parametrize("method", ["euler", "midpoint", "rk4", "dopri5"])
@pytest.mark.parametrize("stabilize", ["projection", "none"])
def test_times_that_are_no_multiples_of_the_step(method, stabilize):
    """Rows between fixed steps lie on the motion as well as those at steps: halving the step shows the method's order."""
    system = ct.gallery.four_bar().compile()
    times = [0.0137, 0.2222, 0.5555, 0.7]
    exact = tight(system, 0.7, output=times).q
    errors = []
    for step in (0.01, 0.005):
        run = ct.simulate(system, 0.7, step=step, method=method, output=times, stabilize=stabilize)
        assert run.t.tolist() == times
        errors.append(np.abs(run.q - exact).max())
    order = {"euler": 1, "midpoint": 2, "rk4": 4, "dopri5": 5}[method]
    assert order - 0.7 < np.log2(errors[0] / errors[1]) < order + 1.7  # some terms of Dormand and Prince are small


def test_end_that_is_no_multiple_of_the_step():
    run = ct.simulate(pendulum(), 0.0355, [0.5], step=0.01)
    assert run.t[-1] == 0.0355
    assert run.statistics["steps"] == 4
    assert np.abs(run.q - tight(pendulum().compile(), 0.0355, [0.5]).q).max() < 1e-9


def test_start_time():
    """An autonomous motion does not know the time; rows begin at the start."""
    one = ct.simulate(pendulum(), 1.0, [0.5], output=11)
    other = ct.simulate(pendulum(), (5.0, 6.0), [0.5], output=11)
    assert np.abs(other.t - one.t - 5.0).max() < 1e-14
    assert np.abs(other.q - one.q).max() < 1e-12
    assert ct.simulate(pendulum(), (-1.0, 0.0)).t[0] == -1.0
    assert "5 to 6 s" in str(other)


def test_times_outside_the_run_are_left_out():
    run = ct.simulate(pendulum(), (1.0, 2.0), [0.5], output=[0.5, 1.0, 3.0, 1.5, 1.5])
    assert run.t.tolist() == [1.0, 1.5]
    assert run.q[0] == [0.5]


def test_a_run_goes_to_its_end_beyond_the_last_time():
    run = ct.simulate(pendulum(), 2.0, [0.5], output=[0.5], events=[lambda q: q[0]])
    assert run.t.tolist() == [0.5]
    assert max(e.t for e in run.events) > 1.0


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"output": "rows"}, ChoiceError, "output is 'rows'"),
        ({"output": 1}, ShapeError, "output is 1; give two"),
        ({"output": []}, ShapeError, "there is no output time between 0 and 1"),
        ({"output": [2.0]}, ShapeError, "there is no output time between 0 and 1"),
        ({"output": [0.1, np.nan]}, ShapeError, "give an array of times in seconds"),
        ({"output": object()}, ShapeError, "give an array of times in seconds"),
        ({"rtol": 0.0}, ShapeError, "rtol is 0.0; give a positive number"),
        ({"atol": np.nan}, ShapeError, "atol is nan"),
        ({"step": -0.1}, ShapeError, "step is -0.1"),
        ({"step": True}, ShapeError, "step is True"),
        ({"method": "rk4"}, ChoiceError, "method 'rk4' has no step control; give step="),
    ],
)
def test_bad_words(words, error, message):
    with pytest.raises(error, match=message):
        ct.simulate(pendulum(), 1.0, **words)


@pytest.mark.parametrize("t_end", [0.0, -1.0, np.inf, None, "late", (1.0, 1.0), (0.0, "late")])
def test_bad_end(t_end):
    with pytest.raises(ShapeError, match="t_end is"):
        ct.simulate(pendulum(), t_end)


def braked():
    """A pendulum that is driven and damped."""
    mech = pendulum()
    (joint,) = mech.joints
    mech.motor("push", joint, lambda t, rate: 1.5 * np.cos(3.0 * t) - 0.1 * rate)
    mech.joint_damper("oil", joint, damping=0.4)
    return mech.compile()


def test_order_of_the_work_between_the_ends_of_a_step():
    """Of one step of Dormand and Prince, from its start: at three places within."""
    system, errors = braked(), []
    for h in (0.2, 0.1):
        times = h * np.array([0.0, 0.3, 0.5, 0.8])
        run = ct.simulate(system, h, v=[2.0], step=h, method="dopri5", output=times)
        exact = tight(system, h, v=[2.0], output=times)
        assert run.statistics["steps"] == 1
        errors.append(
            [np.abs(getattr(run.energy, x) - getattr(exact.energy, x)).max() for x in ("supplied", "dissipated")]
        )
    assert min(errors[1]) > 1e-13
    assert np.log2(np.array(errors[0]) / errors[1]).min() > 4.8


def test_rows_of_a_step_do_not_depend_on_each_other():
    """What rows of a step share belongs to that step alone."""
    system, times = braked(), np.array([0.0, 0.03, 0.07, 0.11, 0.16, 0.19, 0.2])
    options = {"v": [2.0], "step": 0.1, "method": "dopri5"}
    run = ct.simulate(system, 0.2, output=times, **options)
    for k, t in enumerate(times):
        alone = ct.simulate(system, 0.2, output=[t], **options)
        assert alone.energy.supplied[-1] == run.energy.supplied[k]
        assert alone.energy.dissipated[-1] == run.energy.dissipated[k]


def test_shares_integrate_polynomials():
    """Of degree four, from the start of a step to any place in it."""
    from cotree.integrate.methods.dense_output import NODES, share

    for n in range(5):
        for theta in (0.0, 0.2, 0.7, 1.0):
            total = sum(share(k, theta) * x**n for k, x in enumerate(NODES))
            assert abs(total - theta ** (n + 1) / (n + 1)) < 1e-14
    assert np.allclose([share(k, 1.0) for k in range(5)], [0, 5 / 18, 8 / 18, 5 / 18, 0], atol=1e-14)
