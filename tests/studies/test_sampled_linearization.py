"""Small motions with sampled laws: against formulas, and against differences of runs over a period."""

import numpy as np
import pytest
from scipy.linalg import expm

import cotree as ct
from cotree.errors import StudyError

G, MASS, LENGTH, INERTIA = 9.81, 2.0, 0.5, 0.1
J, WEIGHT = INERTIA + MASS * LENGTH**2, MASS * G * LENGTH


def pendulum(law, period=0.02, offset=0.0, states=None, name="servo", mech=None):
    if mech is None:
        mech = ct.Mechanism("pendulum")
        rod = mech.body("rod", MASS, (0, 0, -LENGTH), (INERTIA,) * 3)
        mech.joint("A", mech.ground, rod, ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.motor(name, "A", ct.Law(law, period=period, offset=offset, states=states or {}))
    return mech


def held(seconds):
    """Motion of the pendulum and of the torque that it is held with: exp of (angle, rate, torque)."""
    return expm(np.array([[0, 1, 0], [-WEIGHT / J, 0, 1 / J], [0, 0, 0]]) * seconds)


def test_a_sampled_pd_law_against_the_formula():
    """Gains at which a continuous law is stable, and the sampled one with the longer period is not."""
    kp, kd = 40.0, 12.0
    for period, stable in ((0.02, True), (0.15, False)):
        found = ct.linearize(pendulum(lambda angle, rate: -kp * angle - kd * rate, period))
        E = held(period)
        A = E[:2, :2] + E[:2, 2:] @ [[-kp, -kd]]
        assert found.period == period
        assert found.states == ("A", "A.rate")
        assert found.steady
        assert np.abs(found.A - A).max() < 1e-9
        assert np.abs(found.B - E[:2, 2:]).max() < 1e-9
        assert (np.abs(found.eigenvalues).max() < 1.0) == stable
        assert np.allclose(np.exp(found.exponents * period), found.eigenvalues)
        assert found.to_scipy().dt == period
        assert f"from one instant to the next, {period:g} s apart" in str(found)
    at = found.frequency_response([2.0])
    z = np.exp(2j * np.pi * 2.0 * period)
    assert np.allclose(at.response[0], np.linalg.solve(z * np.eye(2) - A, E[:2, 2:]))
    assert found.frequency_response().frequencies.max() <= 0.5 / period * (1 + 1e-12)


def test_states_of_a_sampled_law():
    """A discrete integral: s' = s + T (aim - angle), about the position that it holds."""
    kp, ki, kd, aim, T = 40.0, 60.0, 6.0, 0.4, 0.05

    def law(angle, rate, s):
        return kp * (aim - angle) - kd * rate + ki * s, s + T * (aim - angle)

    mech = pendulum(law, T, states={"s": 0.0})
    found = ct.linearize(mech, [aim], law_states={"servo.s": WEIGHT * np.sin(aim) / ki})
    E = expm(np.array([[0, 1, 0], [-WEIGHT * np.cos(aim) / J, 0, 1 / J], [0, 0, 0]]) * T)
    A = np.block([[E[:2, :2] + E[:2, 2:] @ [[-kp, -kd]], E[:2, 2:] * ki], [np.array([[-T, 0.0]]), np.eye(1)]])
    assert found.states == ("A", "A.rate", "servo.s")
    assert found.steady
    assert np.abs(found.A - A).max() < 1e-9
    assert not ct.linearize(mech, [aim]).steady


def test_two_periods_and_an_offset():
    """A fast law for the rate and a slow one for the angle, which reads half a fast period later."""
    kp, kd, fast = 30.0, 5.0, 0.01
    mech = pendulum(lambda rate: -kd * rate, fast, name="rate")
    pendulum(lambda angle: -kp * angle, 3 * fast, offset=0.5 * fast, name="angle", mech=mech)
    found = ct.linearize(mech)
    assert abs(found.period - 3 * fast) < 1e-15
    assert found.states == ("A", "A.rate", "rate.output")
    E, half = np.zeros((4, 4)), np.zeros((4, 4))  # angle, rate, two torques
    flow = np.zeros((4, 4))
    flow[0, 1], flow[1] = 1.0, [-WEIGHT / J, 0, 1 / J, 1 / J]
    E, half = expm(flow * fast), expm(flow * 0.5 * fast)
    slow, quick = np.eye(4), np.eye(4)
    slow[3], quick[2] = [-kp, 0, 0, 0], [0, -kd, 0, 0]
    total = half @ quick @ E @ quick @ E @ quick @ half @ slow
    assert np.abs(found.A - total[:3, :3]).max() < 1e-9


def test_a_loop_against_runs():
    """A four-bar with a sampled law with a state: what runs of one period make of small departures."""
    T, step = 0.1, 1e-4

    def law(angle, rate, s):
        return -20.0 * np.sin(angle) - 2.0 * rate + 3.0 * s, 0.5 * s + 0.2 * angle

    def build(s):
        mech = ct.gallery.four_bar()
        mech.joint_damper("oil", "A", 1.0)
        mech.motor("servo", "A", ct.Law(law, period=T, states={"s": s}))
        return mech.compile()

    system, still = build(0.0), ct.gallery.four_bar()
    still.motor("servo", "A", lambda angle: -20.0 * np.sin(angle) + 1.2 * angle)  # s = 0.4 angle does not change
    q = ct.equilibrium(still).q
    s = 0.4 * q[system.q_index("A")]
    found = ct.linearize(system, q, law_states={"servo.s": s})
    k = system.v_index(found.states[0])
    assert found.steady

    def after(x):
        begin = q.copy()
        begin[k] += x[0]
        begin = ct.assemble(system, begin, fixed=[found.states[0]])
        v = ct.consistent_velocity(system, begin, {found.states[0]: x[1]})
        run = ct.simulate(build(s + x[2]), T, begin, v, output=2, rtol=1e-12, atol=1e-13)
        following = 0.5 * (s + x[2]) + 0.2 * begin[system.q_index("A")]
        return np.array([run.q[-1, k], run.v[-1, k], following])

    columns = [(after(step * e) - after(-step * e)) / (2 * step) for e in np.eye(3)]
    assert found.A.shape == (3, 3)
    assert np.abs(found.A - np.array(columns).T).max() < 1e-5 * np.abs(found.A).max()


def test_periods_without_a_common_multiple():
    mech = pendulum(lambda angle: -angle, 0.01, name="one")
    pendulum(lambda rate: -rate, 0.01 * np.sqrt(2.0), name="two", mech=mech)
    with pytest.raises(StudyError, match="no common multiple"):
        ct.linearize(mech)
    mech = pendulum(lambda angle: -angle, 0.01, name="one")
    pendulum(lambda rate: -rate, 9.99, name="two", mech=mech)
    assert ct.linearize(mech).period == pytest.approx(9.99)
    mech = pendulum(lambda angle: -angle, 1.0, name="one")
    for k, period in enumerate((0.999, 0.997, 0.991)):
        pendulum(lambda rate: -rate, period, name=f"more {k}", mech=mech)
    with pytest.raises(StudyError, match="more than 10000 instants"):
        ct.linearize(mech)
