"""`PID` in runs: against event-driven SciPy, with and without limits, sampled against a loop written by hand."""

import numpy as np
from scipy.integrate import solve_ivp

import cotree as ct
from tests.integrate.test_law_states import INERTIA, arm

TARGET, KP, KI, KD, FILTER, LIMIT, TRACKING = 0.5, 40.0, 60.0, 6.0, 0.01, 3.0, 0.5
WEIGHT = 1.0 * 0.3  # gravity of one m/s^2


def controlled(**options):
    return arm(ct.PID(TARGET, KP, KI, KD, FILTER, (-LIMIT, LIMIT), TRACKING, **options), gravity=1.0)


def wanted(x):
    return KP * (TARGET - x[0]) + KI * x[2] - KD * x[3]


def by_scipy(times):
    """Angle, rate, integral, filtered rate; restarted wherever the output meets a limit."""

    def slope(mode):
        def at(t, x):
            output = mode * LIMIT if mode else wanted(x)
            integral = TARGET - x[0] + (output - wanted(x)) / (KI * TRACKING)
            return [x[1], (output - WEIGHT * np.cos(x[0])) / INERTIA, integral, (x[1] - x[3]) / FILTER]

        return at

    def edge(side, leaves):
        def at(t, x):
            return wanted(x) - side * LIMIT

        at.terminal, at.direction = True, -side if leaves else side
        return at

    t, x, rows, found = 0.0, np.zeros(4), [], []
    mode = 1 if wanted(x) > LIMIT else 0
    while t < times[-1]:
        run = solve_ivp(
            slope(mode), (t, times[-1]), x, "DOP853", dense_output=True, rtol=1e-12, atol=1e-13,
            events=[edge(mode, True)] if mode else [edge(1, False), edge(-1, False)],
        )  # fmt: skip
        inside = times[(times >= t) & ((times < run.t[-1]) | (run.status == 0))]
        rows += [run.sol(s) for s in inside]
        found.append(run.t[-1])
        hit = next((k for k, e in enumerate(run.t_events) if len(e)), None)
        t, x = run.t[-1], run.y[:, -1]
        mode = 0 if mode or hit is None else (1, -1)[hit]
    return np.array(rows), found[:-1]


def test_limits_and_anti_windup_against_scipy():
    times = np.linspace(0.0, 2.0, 21)
    expected, instants = by_scipy(times)
    run = ct.simulate(controlled(), 2.0, output=times, rtol=1e-11, atol=1e-11)
    found = np.column_stack([run.q, run.v, run.state("servo.integral"), run.state("servo.slope")])
    assert np.abs(found - expected).max() < 1e-8
    assert run.statistics["switches_of_laws"] == len(instants) > 0
    assert np.abs(run.element("servo").force).max() == LIMIT
    assert np.abs(run.energy.balance).max() < 1e-8


def test_anti_windup_lowers_the_overshoot():
    overshoot = []
    for tracking in (0.05, 1e6):
        mech = arm(ct.PID(TARGET, 10.0, 20.0, 1.0, limits=(-0.6, 0.6), tracking=tracking))
        overshoot.append(ct.simulate(mech, 6.0).joint("A").angle.max() - TARGET)
    assert overshoot[0] < 0.5 * overshoot[1]


def test_sampled_against_a_loop_by_hand():
    period, x = 1e-2, np.zeros(4)
    for _ in range(100):
        slope = x[1] + (x[3] - x[1]) * np.exp(-period / FILTER)
        output = KP * (TARGET - x[0]) + KI * x[2] - KD * slope
        limited = np.clip(output, -LIMIT, LIMIT)
        integral = x[2] + period * (TARGET - x[0] + (limited - output) / (KI * TRACKING))
        a = limited / INERTIA
        x = np.array([x[0] + period * x[1] + 0.5 * a * period**2, x[1] + period * a, integral, slope])
    mech = arm(ct.PID(TARGET, KP, KI, KD, FILTER, (-LIMIT, LIMIT), TRACKING, period=period))
    run = ct.simulate(mech, 1.0, output=101)
    assert np.abs([run.q[-1, 0] - x[0], run.v[-1, 0] - x[1]]).max() < 1e-10


def test_targets_over_time_and_lines():
    """A slow target is followed; on a line between points the length is controlled."""
    run = ct.simulate(arm(ct.PID(lambda t: 0.1 * t, kp=400.0, kd=20.0)), 2.0)
    assert abs(run.joint("A").rate[-1] - 0.1) < 1e-3
    mech = ct.Mechanism("cart", gravity=(0, 0, 0))
    cart = mech.body("cart", mass=2.0, com=(1, 0, 0), inertia=(1, 1, 1))
    mech.joint("x", mech.ground, cart, ct.Prismatic(axis=(1, 0, 0)))
    mech.actuator("jack", mech.ground, (0, 0, 0), cart, (1, 0, 0), 1.4, kp=100.0, ki=50.0, kd=30.0)
    run = ct.simulate(mech, 10.0)
    assert abs(run.q[-1, 0] - 0.4) < 1e-3
    again = ct.io.from_json(ct.io.to_json(mech))
    assert np.array_equal(ct.simulate(again, 1.0, output=3).q, ct.simulate(mech, 1.0, output=3).q)
