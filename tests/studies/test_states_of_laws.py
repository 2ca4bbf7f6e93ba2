"""States of laws at rest and in small motions: integrals, lags, controllers, against formulas and against runs."""

import numpy as np
import pytest
from scipy.linalg import expm

import cotree as ct
from cotree.errors import EquilibriumError, StudyError, UnknownNameError

G, MASS, LENGTH, INERTIA = 9.81, 2.0, 0.5, 0.1
KP, KI, KD, AIM = 40.0, 30.0, 6.0, 0.4


def pendulum(law):
    mech = ct.Mechanism("pendulum")
    rod = mech.body("rod", MASS, (0, 0, -LENGTH), (INERTIA,) * 3)
    mech.joint("A", mech.ground, rod, ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.motor("servo", "A", law)
    return mech


def integrating(ki=KI):
    def law(angle, rate, integral):
        return KP * (AIM - angle) + ki * integral - KD * rate, AIM - angle

    return ct.Law(law, states={"integral": 0.0})


def test_a_controller_with_an_integral_holds_its_aim():
    found = ct.equilibrium(pendulum(integrating()))
    weight = MASS * G * LENGTH * np.sin(AIM)
    assert abs(found.q[0] - AIM) < 1e-10
    assert abs(found.law_states["servo.integral"] - weight / KI) < 1e-9
    assert found.stable
    assert found.others == (found,)


def test_its_small_motions_are_those_of_the_formula():
    for ki, stable in ((KI, True), (2000.0, False)):
        mech = pendulum(integrating(ki))
        rest = ct.equilibrium(mech)
        found = ct.linearize(mech, rest.q, law_states=rest.law_states, outputs=["A", "servo.integral"])
        J, k = INERTIA + MASS * LENGTH**2, MASS * G * LENGTH * np.cos(AIM)
        A = np.array([[0.0, 1.0, 0.0], [-(KP + k) / J, -KD / J, ki / J], [-1.0, 0.0, 0.0]])
        assert found.states == ("A", "A.rate", "servo.integral")
        assert found.steady
        assert np.abs(found.A - A).max() < 1e-8 * np.abs(A).max()
        assert np.array_equal(found.C, [[1, 0, 0], [0, 0, 1]])
        assert rest.stable == stable == (np.linalg.eigvals(A).real.max() < 0.0)
    assert not ct.linearize(mech).steady  # at the start of a run the integral is zero


def test_what_is_held_does_not_count_as_unstable():
    """An upright link that `fixed` holds, and one below it under the controller."""
    mech = pendulum(integrating())
    post = mech.body("post", 1.0, (1, 0, 0.5), (0.1,) * 3)
    mech.joint("P", mech.ground, post, ct.Revolute((1, 0, 0), (0, 1, 0)))
    assert ct.equilibrium(mech, fixed=["P"]).stable
    assert not ct.equilibrium(mech).stable


def test_a_lag_of_an_actuator():
    law = ct.Law(lambda angle, torque: (torque, (KP * (AIM - angle) - torque) / 0.05), states={"torque": 1.0})
    mech = pendulum(law)
    mech.joint_damper("oil", "A", 5.0)
    found = ct.equilibrium(mech)
    (q,) = found.q
    assert abs(KP * (AIM - q) - MASS * G * LENGTH * np.sin(q)) < 1e-9
    assert abs(found.law_states["servo.torque"] - KP * (AIM - q)) < 1e-9


def test_loops_against_a_run():
    """A four-bar held by an integrating motor: small departures grow as expm(A t) says."""
    mech = ct.gallery.four_bar()
    mech.joint_damper("oil", "A", 3.0)
    mech.motor("servo", "A", integrating())
    rest = ct.equilibrium(mech)
    system = mech.compile()
    found = ct.linearize(system, rest.q, law_states=rest.law_states)
    assert found.steady
    assert found.A.shape == (3, 3)
    step, start, t = 1e-5, rest.law_states["servo.integral"], 0.4
    law = ct.Law(integrating().function, states={"integral": start + step})
    moved = ct.gallery.four_bar()
    moved.joint_damper("oil", "A", 3.0)
    moved.motor("servo", "A", law)
    run = ct.simulate(moved, t, rest.q, rtol=1e-11, atol=1e-13, output=2)
    name = found.states[0]
    got = [run.q[-1, system.q_index(name)] - rest.q[system.q_index(name)], run.v[-1, system.v_index(name)]]
    got.append(run.state("servo.integral")[-1] - start)
    expected = expm(found.A * t) @ [0.0, 0.0, step]
    assert np.abs(got - expected).max() < 1e-4 * np.abs(expected).max()


def test_a_law_between_two_points():
    """Elements of registered kinds read states of laws as well."""
    mech = ct.Mechanism("cart", gravity=(0, 0, 0))
    cart = mech.body("cart", 2.0, (1, 0, 0), (1, 1, 1))
    mech.joint("rail", mech.ground, cart, ct.Prismatic((1, 0, 0)))
    pull = ct.Law(lambda length, s: (-5.0 * s, (length - 1.0 - s) / 0.2), states={"s": 0.0})
    mech.force_between("line", mech.ground, (0, 0, 0), cart, (1, 0, 0), pull)
    found = ct.linearize(mech)
    sign = np.sign(found.A[1, 2])
    assert np.abs(found.A - [[0, 1, 0], [0, 0, sign * 2.5], [5.0, 0, -5.0]]).max() < 1e-8


def test_refusals():
    mech = pendulum(integrating())
    with pytest.raises(UnknownNameError, match=r"no state 'servo.integal' of a law.*servo.integral"):
        ct.linearize(mech, law_states={"servo.integal": 1.0})
    with pytest.raises(StudyError, match="give a dict by names"):
        ct.linearize(mech, law_states=[1.0])
    with pytest.raises(StudyError, match="from one start only"):
        ct.equilibrium(mech, starts=3)
    sampled = pendulum(ct.Law(lambda angle: -angle, period=0.01))
    for study in (ct.equilibrium, ct.steady_motion):
        with pytest.raises(StudyError, match=f"{study.__name__} does not know sampled laws .*'servo'"):
            study(sampled)
    clock = pendulum(ct.Law(lambda angle, x: (-angle, 1.0), states={"x": 0.0}))
    with pytest.raises(EquilibriumError, match=r"'servo.x' has a rate of 1\b"):
        ct.equilibrium(clock)
    stopped = pendulum(ct.Law(lambda angle, x: (5.0, -x), states={"x": 0.0}))
    stopped.limit("A", lower=-0.1, upper=0.1)
    with pytest.raises(StudyError, match="rests against"):
        ct.equilibrium(stopped)


def test_along_a_run_states_are_those_of_the_run():
    """A law whose stiffness is its state."""
    mech = pendulum(ct.Law(lambda angle, k: (-k * angle, 50.0), states={"k": 10.0}))
    run = ct.simulate(mech, 0.4, q=[0.2], output=3)
    found = ct.linearize_along(run)
    J = INERTIA + MASS * LENGTH**2
    expected = [-(10.0 + 50.0 * t + MASS * G * LENGTH * np.cos(q)) / J for t, q in zip(run.t, run.q[:, 0], strict=True)]
    assert np.abs(np.array([x.A[1, 0] for x in found]) - expected).max() < 1e-6
    with pytest.raises(StudyError, match="linearize_along does not know sampled laws"):
        ct.linearize_along(ct.simulate(pendulum(ct.Law(lambda angle: -angle, period=0.01)), 0.1, output=3))
