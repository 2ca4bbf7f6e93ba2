"""Friction of joints, with stiction, Stribeck's curve and a viscous part, against event-driven integration by SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from cotree.dynamics.elements import rubbed, rubbed_slope
from cotree.errors import SwitchError

M, K, BELT = 1.3, 40.0, 0.2
CASES = {
    "stick-slip": {"coulomb": 2.0, "static": 4.0},
    "stribeck": {"coulomb": 2.0, "static": 4.0, "stribeck": 0.3, "viscous": 0.4},
}


def on_a_belt(**friction):
    """A block on a belt that moves with a constant speed, held by a spring."""
    mech = ct.Mechanism("belt", gravity=(0, 0, -9.81))
    belt = mech.body("belt", 5.0, (0, 0, -0.1), (1, 1, 1))
    block = mech.body("block", M, (0, 0, 0), (1, 1, 1))
    mech.joint("runs", mech.ground, belt, ct.Prismatic((1, 0, 0)))
    mech.joint("slides", belt, block, ct.Prismatic((1, 0, 0)))
    mech.drive("speed", "runs", lambda t: BELT * t, rate=lambda t: BELT, acceleration=lambda t: 0.0)
    mech.spring("spring", mech.ground, (-10.0, 0, 0), block, (0, 0, 0), K)
    mech.friction("slides", **friction)
    return mech


def by_scipy(times, coulomb, static, stribeck=0.0, viscous=0.0):
    """Position of the block: phases of sliding and sticking, one after the other."""

    def rubbing(u):
        more = (static - coulomb) * np.exp(-((u / stribeck) ** 2)) if stribeck else 0.0
        return coulomb + more

    t, y, sliding = 0.0, np.array([0.0, BELT]), 0
    out, slips = np.full(len(times), np.nan), 0
    while t < times[-1]:
        inside = (times >= t) & (times <= times[-1])
        if not sliding:
            gone = t + (static - K * y[0]) / (K * BELT)  # the spring's pull grows with the belt
            out[inside] = y[0] + BELT * (times[inside] - t)
            t, y, sliding, slips = gone, np.array([static / K, BELT]), -1, slips + (gone < times[-1])
            continue

        def rate(t, y, sign=sliding):
            u = y[1] - BELT
            return y[1], (-K * y[0] - sign * rubbing(u) - viscous * u) / M

        def rests(t, y):
            return y[1] - BELT

        rests.terminal, rests.direction = True, 1.0
        begin = np.array([y[0], y[1] - 1e-300])
        found = solve_ivp(
            rate, (t, times[-1] + 1.0), begin, "DOP853", rtol=1e-13, atol=1e-13, events=rests, dense_output=True
        )
        end = found.t[-1]
        inside &= times <= end
        out[inside] = found.sol(times[inside])[0]
        t, y, sliding = end, np.array([found.y[0, -1], BELT]), 0
        assert abs(K * y[0]) < static
    return out, slips


def test_stick_slip():
    case = "stick-slip"
    run = ct.simulate(on_a_belt(**CASES[case]), 4.0, v={"runs": BELT, "slides": 0.0}, rtol=1e-11, atol=1e-11, output=81)
    x, slips = by_scipy(run.t, **CASES[case])
    assert slips >= 3
    np.testing.assert_allclose(run.joint("runs").angle + run.joint("slides").angle, x, atol=1e-8)
    changes = [what for e in run.events for _, what in e.changes]
    assert changes.count("slips") == slips
    check_books(run)


def test_stribeck():
    """Sliding begins with no jump of the force, out of an unstable balance: compared from a state that slides."""
    given = CASES["stribeck"]
    mech = on_a_belt(**given)
    start = {"runs": BELT, "slides": -0.5}
    run = ct.simulate(mech, 1.5, v=start, rtol=1e-11, atol=1e-11, output=61)
    fc, fs, vs, c = (given[k] for k in ("coulomb", "static", "stribeck", "viscous"))

    def slide(sign):
        def rate(t, y):
            u = y[1] - BELT
            return y[1], (-K * y[0] - sign * (fc + (fs - fc) * np.exp(-((u / vs) ** 2))) - c * u) / M

        return rate

    def rests(t, y):
        return y[1] - BELT

    rests.terminal = True
    t, y, sign, x = 0.0, np.array([0.0, BELT - 0.5]), -1.0, np.full(len(run.t), np.nan)
    found = solve_ivp(slide(sign), (t, 1.5), y, "DOP853", rtol=1e-13, atol=1e-13, events=rests, dense_output=True)
    slid = run.t <= found.t[-1]
    x[slid] = found.sol(run.t[slid])[0]
    assert found.status == 1
    assert abs(K * found.y[0, -1]) < fs  # it sticks
    stuck = ~slid & (K * (found.y[0, -1] + BELT * (run.t - found.t[-1])) < fs)
    x[stuck] = found.y[0, -1] + BELT * (run.t[stuck] - found.t[-1])
    known = slid | stuck
    assert slid.sum() > 5
    assert stuck.sum() > 5
    position = run.joint("runs").angle + run.joint("slides").angle
    np.testing.assert_allclose(position[known], x[known], atol=1e-8)
    check_books(run)


def check_books(run):
    books = run.energy
    np.testing.assert_allclose(books.total - books.total[0], books.supplied - books.dissipated, atol=1e-8)
    assert books.dissipated[-1] > 0.1


def test_sensor_and_derivatives():
    """On a wheel that slides all the time: force, dissipation and the slope by the rate."""
    mech = ct.Mechanism("wheel")
    wheel = mech.body("wheel", 1.0, (0, 0, 0), (0.3, 0.3, 0.3))
    mech.joint("pin", mech.ground, wheel, ct.Revolute((0, 0, 0), (0, 0, 1)))
    device = mech.friction("pin", 0.2, 0.5, viscous=0.1, stribeck=0.8, name="bearing")
    run = ct.simulate(mech, 1.0, v=[4.0], rtol=1e-11, atol=1e-11, output=21)

    def torque(u):
        return 0.2 + 0.3 * np.exp(-((u / 0.8) ** 2)) + 0.1 * u

    found = solve_ivp(lambda t, y: -torque(y) / 0.3, (0.0, 1.0), [4.0], "DOP853", run.t, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.v[:, 0], found.y[0], atol=1e-8)
    np.testing.assert_allclose(run.element("bearing").torque, -torque(run.v[:, 0]), atol=1e-9)
    check_books(run)
    system, u, h = run.phases[0].system, run.v[-1], 1e-6
    d = ct.forward_dynamics_derivatives(system, run.q[-1], u)
    assert d.dv[0, 0] == pytest.approx(-(torque(u + h) - torque(u - h))[0] / (2 * h) / 0.3, rel=1e-6)
    assert device.holding == pytest.approx(0.5)


def test_files_and_mistakes(tmp_path):
    mech = on_a_belt(**CASES["stribeck"])
    mech.constraints.clear()
    ct.save(mech, tmp_path / "belt.json")
    assert ct.load(tmp_path / "belt.json").devices == mech.devices
    with pytest.raises(SwitchError, match="coulomb is 2 and static 1"):
        mech.friction("slides", 2.0, 1.0)
    with pytest.raises(SwitchError, match="viscous is -1"):
        mech.friction("slides", 2.0, viscous=-1.0)


@pytest.mark.parametrize("name", CASES)
def test_slope_of_friction_by_the_rate(name):
    """What derivatives and implicit methods take for it, against differences; at no friction there is none."""
    system = on_a_belt(**CASES[name]).compile()
    (f,) = system.elements.joint_forces[system.elements.joint_forces["friction"] == 1]
    h = 1e-5
    for given in (-2.0, 2.0):
        for rate in (-0.7, -0.2, 0.05, 0.4):
            found = (rubbed(f, given, rate + h) - rubbed(f, given, rate - h)) / (2.0 * h)
            assert abs(rubbed_slope(f, given, rate) - found) < 1e-7
    assert rubbed_slope(f, 0.0, 0.3) == 0.0
