"""Steady motions against formulas: a governor, a top, the benchmark bicycle in a curve."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import EquilibriumError
from tests.studies.test_linearization import K0, K2

G = 9.81


def governor():
    """A point mass on a hinged arm that turns about the vertical."""
    mech = ct.Mechanism("governor")
    hub = mech.body("hub", 1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    arm = mech.body("arm", 0.5, (0.3, 0, -0.4), (0, 0, 0))
    mech.joint("spin", mech.ground, hub, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("fold", hub, arm, ct.Revolute((0, 0, 0), (0, 1, 0)))
    return mech


@pytest.mark.parametrize("rates", [{"spin": 6.0}, {"spin": 6.0, "fold": 0.0}])
def test_governor(rates):
    found = ct.steady_motion(governor(), v=rates)
    angle = np.arctan2(0.3, 0.4) - found.q[1]
    assert abs(np.cos(angle) - G / (0.5 * 6.0**2)) < 1e-9
    assert np.allclose(found.v, [6.0, 0.0], atol=1e-9)
    assert found.stable
    assert np.allclose(found.reactions["fold"][3:], [-0.5 * 36.0 * 0.5 * np.sin(angle), 0, 0.5 * G], atol=1e-6)


def test_swing_is_no_steady_motion():
    """At the bottom of its swing a pendulum has no acceleration, but will have."""
    mech = ct.Mechanism("pendulum")
    mech.joint("A", mech.ground, mech.body("rod", 1.0, (0, 0, -1), (0, 0, 0)), ct.Revolute((0, 0, 0), (0, 1, 0)))
    with pytest.raises(EquilibriumError, match="no steady motion was found near this state"):
        ct.steady_motion(mech, v={"A": 1.0})


@pytest.mark.parametrize("speed", [3.0, 6.0])
def test_bicycle_leans_into_a_curve(speed):
    """For a small steering angle held by a driver: (g K0 + v^2 K2) (lean, steer) has no moment about the track."""
    steer = 1e-3
    mech = ct.gallery.bicycle(speed=speed, lean_rate=0.0)
    mech.drive("handlebar", "steer", steer)
    system = mech.compile()
    wheel = float(mech.v_start[system.v_index("rear hub")])
    found = ct.steady_motion(system, v={"rear hub": wheel})
    K = G * K0 + speed**2 * K2
    lean = -K[0, 1] / K[0, 0] * steer
    up = ct.poses(system, found.q)[system.row_of("frame")][:3, 2]
    assert found.left < 1e-8
    assert abs(abs(np.arcsin(np.hypot(up[0], up[1]))) - abs(lean)) < 5e-3 * abs(lean)
    yaw = np.linalg.norm(found.v[:3])
    assert yaw > 0.1 * steer * speed


def driven_governor(law):
    mech = governor()
    mech.joint_damper("air", "spin", 0.2)
    mech.joint_damper("oil", "fold", 0.3)
    mech.motor("engine", "spin", law)
    return mech


def integrating(rate, integral):
    return 4.0 * (6.0 - rate) + 5.0 * integral, 6.0 - rate


def test_an_engine_with_an_integral_holds_its_speed():
    """The speed is that which the law asks for, the integral what the air takes; a long run settles there."""
    mech = driven_governor(ct.Law(integrating, states={"integral": 0.0}))
    found = ct.steady_motion(mech, v=[5.0, 0.0])
    assert abs(found.v[0] - 6.0) < 1e-9
    assert abs(np.cos(np.arctan2(0.3, 0.4) - found.q[1]) - G / (0.5 * 6.0**2)) < 1e-9
    assert abs(found.law_states["engine.integral"] - 0.2 * 6.0 / 5.0) < 1e-9
    assert found.stable
    assert len(found.eigenvalues) == 5
    run = ct.simulate(mech, 60.0, v=[5.0, 0.0], output=2)
    assert abs(run.q[-1, 1] - found.q[1]) < 1e-6
    assert abs(run.v[-1, 0] - found.v[0]) < 1e-6
    assert abs(run.state("engine.integral")[-1] - found.law_states["engine.integral"]) < 1e-6


def test_an_engine_at_its_limit():
    """A controller that asks for more than it may give: the limit holds, and the speed is what the air leaves."""
    mech = governor()
    mech.joint_damper("air", "spin", 0.2)
    mech.joint_damper("oil", "fold", 0.3)

    def law(rate, lag, full):
        asked = lag if full < 0.0 else 1.5
        return asked, (4.0 * (20.0 - rate) - lag) / 0.1

    def over(lag):
        return lag - 1.5

    mech.motor("engine", "spin", ct.Law(law, states={"lag": 0.0}, switching={"full": over}))
    found = ct.steady_motion(mech, v=[6.0, 0.0])
    assert abs(found.v[0] - 1.5 / 0.2) < 1e-8
    assert abs(found.law_states["engine.lag"] - 4.0 * (20.0 - 7.5)) < 1e-6


def test_a_state_that_never_rests():
    mech = driven_governor(ct.Law(lambda rate, clock: (0.2 * rate, 1.0), states={"clock": 0.0}))
    with pytest.raises(EquilibriumError, match=r"the state 'engine.clock' of a law still changes by 1 per second"):
        ct.steady_motion(mech, v={"spin": 6.0})


def test_a_relay_that_switches_to_and_fro():
    """Full torque one way takes the speed beyond where it turns round, and back."""
    law = ct.Law(lambda slow, s: (3.0 * slow, -s), states={"s": 0.0}, switching={"slow": lambda rate: 6.0 - rate})
    with pytest.raises(EquilibriumError, match="laws switch to and fro"):
        ct.steady_motion(driven_governor(law), v=[6.5, 0.0])


@pytest.mark.parametrize("begin", [0.0, 0.3])
def test_drives_that_turn_evenly(begin):
    """A governor whose spin is a function of time: the arm is where it hangs free at that speed, g = w^2 l cos(angle)."""
    mech = ct.Mechanism("governor", gravity=(0, 0, -9.81))
    mech.body("hub", 1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    mech.body("arm", 0.5, (0.3, 0, -0.4), (0, 0, 0))
    mech.joint("spin", "ground", "hub", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("fold", "hub", "arm", ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.drive("motor", "spin", lambda t: begin + 6.0 * t)
    steady, angle = ct.steady_motion(mech), np.arccos(9.81 / (36.0 * 0.5))
    assert abs(steady.q[1] - (np.arctan(0.75) - angle)) < 1e-8
    assert np.abs(np.abs(steady.eigenvalues.imag) - 6.0 * np.sin(angle)).max() < 1e-6
