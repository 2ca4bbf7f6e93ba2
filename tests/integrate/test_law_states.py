"""Laws with states of their own: against SciPy, in every method, formulation and kind of coordinates, phases and steppers."""

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct

INERTIA = 0.2
START = 0.1


def arm(law, gravity=0.0):
    mech = ct.Mechanism("arm", gravity=(0, -gravity, 0))
    link = mech.body("link", mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.11, 0.11))
    mech.joint("A", mech.ground, link, ct.Revolute(point=(0, 0, 0), axis=(0, 0, 1)))
    mech.motor("servo", "A", law)
    return mech


def lagging(angle, rate, integral, torque):
    """PI controller behind an actuator with a lag."""
    error = 0.3 - angle
    wanted = 4.0 * error + 2.0 * integral - 0.8 * rate
    return torque, (error, (wanted - torque) / 0.05)


def law(function=lagging):
    return ct.Law(function, states={"integral": START, "torque": 0.0})


def reference(times):
    def slope(t, x):
        angle, rate, integral, torque = x
        value, rates = lagging(angle, rate, integral, torque)
        return [rate, value / INERTIA, *rates]

    return solve_ivp(slope, (0, times[-1]), [0, 0, START, 0], "DOP853", times, rtol=1e-12, atol=1e-13).y.T


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        ({"rtol": 1e-11, "atol": 1e-11}, 1e-10),
        ({"method": "dop853"}, 1e-9),
        ({"step": 1e-3}, 1e-9),
        ({"step": 1e-3, "method": "commutator-free4"}, 1e-9),
        ({"step": 1e-3, "method": "crouch-grossman3"}, 1e-6),
        ({"step": 1e-3, "method": "generalized-alpha"}, 5e-5),
    ],
)
def test_every_method_agrees_with_scipy(options, bound):
    run = ct.simulate(arm(law()), 1.0, output=11, **options)
    found = np.column_stack([run.q, run.v, run.state("servo.integral"), run.state("servo.torque")])
    assert np.abs(found - reference(run.t)).max() < bound
    assert np.abs(run.energy.balance).max() < max(1e-8, bound)


def test_tolerances_hold_the_states():
    """A state that nothing but its own error limits."""
    mech = arm(ct.Law(lambda t, x: (0.0, np.cos(40.0 * t)), states={"x": 0.0}))
    errors = []
    for tolerance in (1e-5, 1e-9):
        run = ct.simulate(mech, 1.0, rtol=tolerance, atol=tolerance, step=ct.Adaptive(max_step=1.0))
        errors.append(np.abs(run.state("servo.x") - np.sin(40.0 * run.t) / 40.0).max())
    assert errors[0] < 1e-4
    assert errors[1] < 1e-8


def test_stiff_states_in_generalized_alpha():
    """A lag of a tenth of the step: an explicit rule for the state would explode."""
    mech = arm(ct.Law(lambda t, x: (0.0, (np.sin(t) - x) / 1e-4), states={"x": 0.0}))
    run = ct.simulate(mech, 1.0, step=1e-3, method="generalized-alpha")
    assert np.abs(run.state("servo.x") - np.sin(run.t))[1:].max() < 2e-3


def closed(**options):
    """A four-bar with a controller behind a lag on the joint that may be cut."""
    mech = ct.gallery.four_bar()
    mech.motor("servo", "D", law())
    return mech.compile(**options)


@pytest.fixture(scope="module")
def closed_run():
    return ct.simulate(closed(cut=["B"]), 0.5, rtol=1e-11, atol=1e-11, output=6)


@pytest.mark.parametrize("formulation", ["index1", "projection", "voronets", "odca"])
def test_formulations_agree(formulation, closed_run):
    run = ct.simulate(closed(cut=["B"]), 0.5, rtol=1e-10, atol=1e-10, formulation=formulation, output=6)
    assert run.status == "done"
    assert np.abs(run.states - closed_run.states).max() < 1e-8
    assert np.abs(run.q - closed_run.q).max() < 1e-8
    assert np.abs(run.energy.balance).max() < 1e-8


@pytest.mark.parametrize("options", [{"cut": ["D"]}, {"coordinates": "absolute"}])
def test_coordinates_agree(options, closed_run):
    run = ct.simulate(closed(**options), 0.5, rtol=1e-10, atol=1e-10, output=6)
    assert np.abs(run.states - closed_run.states).max() < 1e-8
    assert np.abs(run.states[-1] - run.states[0]).max() > 0.01


def test_compiled_and_plain_laws_agree():
    runs = [ct.simulate(arm(law(f)), 1.0, output=6) for f in (lagging, numba.njit(lagging))]
    assert np.abs(runs[0].states - runs[1].states).max() < 1e-12
    one = numba.njit(lambda angle, x: (x, 0.5 - angle))
    runs = [ct.simulate(arm(ct.Law(f, states={"x": 0.0})), 1.0, output=6) for f in (one, one.py_func)]
    assert np.abs(runs[0].states - runs[1].states).max() < 1e-12


def test_forces_on_bodies_and_between_points():
    """A thruster that builds up, and a line whose pull lags behind its length, against SciPy."""
    mech = ct.Mechanism("cart", gravity=(0, 0, 0))
    cart = mech.body("cart", mass=2.0, com=(1, 0, 0), inertia=(1, 1, 1))
    mech.joint("x", mech.ground, cart, ct.Prismatic(axis=(1, 0, 0)))
    mech.force("thrust", cart, ct.Law(lambda t, u: ((u, 0.0, 0.0), (1.0 - u) / 0.3), states={"u": 0.0}))
    pull = ct.Law(lambda length, s: (-5.0 * s, (length - 1.0 - s) / 0.2), states={"s": 0.0})
    mech.force_between("line", mech.ground, (0, 0, 0), cart, (1, 0, 0), pull)
    run = ct.simulate(mech, 2.0, rtol=1e-10, atol=1e-10, output=5)

    def slope(t, y):
        x, v, u, s = y
        return [v, (u - 5.0 * s) / 2.0, (1.0 - u) / 0.3, (x - s) / 0.2]

    expected = solve_ivp(slope, (0, 2), np.zeros(4), "DOP853", run.t, rtol=1e-12, atol=1e-13).y.T
    assert np.abs(np.column_stack([run.q, run.v, run.states]) - expected).max() < 1e-8
    assert run.system.state_names == ("thrust.u", "line.s")
    assert np.abs(run.energy.balance).max() < 1e-8


def test_phases_keep_the_states():
    """A lock that closes and opens: the states go on, and the law integrates its error meanwhile."""
    mech = arm(ct.Law(lambda angle, x: (x, 0.5 - angle), states={"x": 0.0}))
    mech.lock("A", at=0.3, until=0.6)
    run = ct.simulate(mech, 1.0, rtol=1e-10, atol=1e-10, output=101)
    x, angle = run.state("servo.x"), run.joint("A").angle
    held = (run.t >= 0.3) & (run.t <= 0.6)
    assert np.ptp(angle[held]) < 1e-12
    slopes = np.diff(x[held]) / np.diff(run.t[held])
    assert np.abs(slopes - (0.5 - angle[held][0])).max() < 1e-9
    assert np.abs(np.diff(x)).max() < 0.01  # no jump at the switches
    assert np.abs(run.energy.balance).max() < 1e-8
    assert abs(run.element("servo").work[-1] - run.work[-1, 0]) < 1e-7


def test_runs_go_on_with_the_states():
    mech = arm(law())
    whole, half = (ct.simulate(mech, t, rtol=1e-10, atol=1e-10) for t in (1.0, 0.5))
    more = half.resume(1.0)
    assert more.states.shape == (len(more.t), 2)
    assert np.abs(more.states[-1] - whole.states[-1]).max() < 1e-9


def test_steppers_take_the_same_steps():
    mech = arm(law())
    stepper = ct.Stepper(mech, step=1e-3)
    stepper.step(200)
    run = ct.simulate(mech, 0.2, step=1e-3)
    assert np.abs(stepper.states - run.states[-1]).max() < 1e-15
    assert stepper.state("servo.integral") == stepper.states[0]
    twin = stepper.copy()
    twin.step(10)
    assert twin.states[0] != stepper.states[0]
    stepper.set(torque={"A": 0.5})  # goes on with another system
    stepper.step(10)
    assert np.abs(stepper.states - twin.states).max() < 1e-2
    assert np.abs(stepper.run().states[200] - run.states[-1]).max() < 1e-15
    stepper.reset()
    assert stepper.states.tolist() == [START, 0.0]


def test_sensors_know_the_states():
    run = ct.simulate(arm(law()), 1.0, rtol=1e-10, atol=1e-10)
    assert np.abs(run.element("servo").force - run.state("servo.torque")).max() < 1e-15
    assert np.abs(run.joint("A").acceleration - run.state("servo.torque") / INERTIA).max() < 1e-12
    assert abs(run.element("servo").work[-1] - run.work[-1, 0]) < 1e-8
    with pytest.raises(ct.errors.UnknownNameError, match=r"no law in system 'arm' has a state 'servo.integrl'"):
        run.state("servo.integrl")
    with pytest.raises(ct.errors.ShapeError, match="known in runs and steppers only"):
        ct.measure(run.system, run.q[0], run.v[0]).state("servo.integral")


def test_results_files_and_tables_keep_the_states(tmp_path):
    pytest.importorskip("h5py")
    run = ct.simulate(arm(law()), 0.2, output=6)
    assert np.array_equal(run.to_xarray()["state"].sel(law_state="servo.torque"), run.state("servo.torque"))
    assert np.array_equal(run.to_dataframe()["state[servo.integral]"], run.state("servo.integral"))
    run.save(tmp_path / "run.h5")
    again = ct.load_run(tmp_path / "run.h5", functions={"lagging": law()})
    assert np.array_equal(again.states, run.states)
    assert np.array_equal(again.state("servo.integral"), run.state("servo.integral"))


def test_single_evaluations_take_the_start_values():
    system = arm(law()).compile()
    assert ct.forward_dynamics(system, [0.1], [0.0]).v_dot == 0.0
    direct = arm(ct.Law(lambda x: (x, 0.0), states={"x": 3.0})).compile()
    assert abs(ct.forward_dynamics(direct, [0.1], [0.0]).v_dot[0] - 3.0 / INERTIA) < 1e-12


def test_studies_of_whole_motions_refuse_states():
    with pytest.raises(ct.errors.StudyError, match=r"does not know laws with states .*motor 'servo'"):
        ct.sensitivities(arm(law()), 0.1, start=["A"])


@pytest.mark.parametrize("returned", [1.0, (1.0,), (1.0, 2.0), (1.0, (1.0, np.nan))])
def test_laws_that_return_no_rates_are_named(returned):
    run_of = arm(ct.Law(lambda t: returned, states={"a": 0.0, "b": 0.0}))
    with pytest.raises(
        ct.errors.ForceError, match=r"motor 'servo' has 2 states \(a, b\) and must return \(value, rates\)"
    ):
        ct.simulate(run_of, 0.1)
