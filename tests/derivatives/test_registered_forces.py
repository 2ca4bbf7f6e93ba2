"""Derivatives of forces that have no closed form here: elements of registered kinds, and laws that read joints by name."""

import numpy as np
import pytest

import cotree as ct
from cotree.derivatives import functions
from tests.derivatives.differences import along_q, along_v
from tests.extending.attraction import Attraction
from tests.random_mechanisms import error

TOLERANCE = 1e-9


def three_links(cut_joint=False):
    """A revolute, a ball and a slider one after the other; with a loop closed by a revolute of a fourth link if asked for."""
    mech = ct.Mechanism("arm")
    a = mech.body("a", 1.0, (0.5, 0, 0), (0.1, 0.12, 0.15))
    b = mech.body("b", 0.7, (1.3, 0.2, 0), (0.05, 0.06, 0.07))
    c = mech.body("c", 0.4, (1.9, 0.4, 0.3), (0.02, 0.03, 0.025))
    mech.joint("A", mech.ground, a, ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.joint("B", a, b, ct.Spherical((1, 0, 0)))
    mech.joint("C", b, c, ct.Prismatic(axis=(0.6, 0.0, 0.8)))
    if cut_joint:
        mech.joint("D", mech.ground, c, ct.Revolute((2.0, 1.0, 0.5), (1, 2, 0)))
    return mech


def state(system, seed=4):
    rng = np.random.default_rng(seed)
    return (ct.displace(system, system.q0, 0.4 * rng.normal(size=system.nv)), *rng.normal(size=(2, system.nv)))


def agree(system, t=0.3):
    """Inverse dynamics along q and v, beside differences; returns what was found."""
    q, v, a = state(system)
    found = ct.inverse_dynamics_derivatives(system, q, v, a, t)
    assert error(found.dq, along_q(system, lambda x: ct.inverse_dynamics(system, x, v, a, t), q, 5e-3)) < TOLERANCE
    assert error(found.dv, along_v(lambda x: ct.inverse_dynamics(system, q, x, a, t), v, 0.05)) < TOLERANCE
    return found


@pytest.mark.parametrize("pair", [("a", "c"), ("ground", "b")])
def test_elements_of_registered_kinds(pair):
    plain, mech = three_links(), three_links()
    mech.add(Attraction("pull", pair[0], (0.1, -2.0, 0.3), pair[1], (1.2, 0.8, 0.1), 4.0, 0.6))
    found, without = agree(mech.compile()), agree(plain.compile())
    assert np.abs(found.dq - without.dq).max() > 0.01
    assert np.abs(found.dv - without.dv).max() > 0.01


LAWS = {
    "angle and rate": lambda angle, rate: -3.0 * np.sin(angle) - 0.4 * rate * abs(rate + 10.0),
    "position and velocity": lambda position, velocity, t: np.exp(0.3 * position) * velocity * t,
    "joints": lambda joints: (
        np.cos(joints["C"].position) * joints["A"].rate - 2.0 * joints["A"].angle * joints["C"].rate
    ),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("joint", ["A", "C"])
def test_laws_by_name(law, joint):
    plain, mech = three_links(), three_links()
    mech.motor("m", joint, law)
    found, without = agree(mech.compile()), agree(plain.compile())
    assert np.abs(found.dq - without.dq).max() > 1e-4
    assert np.abs(found.dv - without.dv).max() > 1e-4


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_laws_of_a_cut_joint(law):
    """The angle is measured across the joint, and the force acts along an axis that moves."""
    mech = three_links(cut_joint=True)
    mech.motor("m", "D", law)
    agree(mech.compile(cut=["D"]))


def test_joints_that_are_cut_are_read_by_name():
    mech = three_links(cut_joint=True)
    mech.motor("m", "A", lambda joints: np.sin(joints["D"].angle) + 0.2 * joints["D"].rate)
    agree(mech.compile(cut=["D"]))


def test_loads_that_read_joints_and_their_body():
    mech = three_links()
    mech.force(
        "f",
        "c",
        lambda joints, pose, omega: joints["A"].rate * pose[:3, 0] + np.cross(omega, (1.0, 0.5, 0.2)),
        (2, 0, 0),
    )
    mech.torque("m", "b", lambda omega, t: -0.3 * t * omega, frame="body")
    agree(mech.compile())


def test_forward_dynamics_has_them_too():
    mech = three_links()
    mech.add(Attraction("pull", "ground", (0.1, -2.0, 0.3), "c", (1.2, 0.8, 0.1), 4.0, 0.6))
    mech.motor("m", "A", LAWS["joints"])
    system = mech.compile()
    q, v, tau = state(system)
    found = ct.forward_dynamics_derivatives(system, q, v, tau)
    dq = along_q(system, lambda x: ct.forward_dynamics(system, x, v, tau).v_dot, q, 3e-3)
    dv = along_v(lambda x: ct.forward_dynamics(system, q, x, tau).v_dot, v, 0.05)
    assert error(found.dq, dq) < TOLERANCE
    assert error(found.dv, dv) < TOLERANCE


def rolling(law=None):
    """A wheel on a tyre, on a bushing that is stiff and in a rope, which is slack where it starts."""
    mech = ct.Mechanism("wheel")
    mech.body("wheel", 20.0, (0, 0, 0.3), (0.8, 1.2, 0.8))
    mech.joint("free", "ground", "wheel", ct.Free())
    mech.tyre("tyre", "wheel", radius=0.3, stiffness=2e5, damping=0.01, half_length=0.05)
    mech.bushing("bushing", "ground", "wheel", (0, 0, 0.3), [1e3, 2e3, 3e3, 1e4, 2e4, 3e4], [1.0] * 6)
    mech.rope("rope", "ground", (0, 0, 2.0), "wheel", (0, 0, 0.3), stiffness=1e4, length=1.7)
    if law is not None:
        mech.force_between("line", "ground", (1.0, 0, 1.0), "wheel", (0.2, 0, 0.3), law)
    return mech.compile()


def wheel_states(system):
    """Pressed onto the road and off it, at a standstill and fast, slack and taut, near the origin and far from it."""
    for k, (down, speed, far) in enumerate([(2e-3, 10.0, 0.0), (1e-7, 0.0, 0.0), (-1e-2, 3.0, 5e3), (3e-2, 40.0, 1e4)]):
        turn = np.array([0.1 * k, 1.3, -0.4 * k])
        yield (
            ct.displace(system, system.q0, [*turn, far, 0.3, -down]),
            np.array([0.1, speed, 0.2, 0.3 * speed, 0.1, 0.4]),
        )


@pytest.mark.parametrize("law", [None, lambda t: 3.0 * t, lambda length, rate: 40.0 * length**2 - rate])
def test_the_compiled_search_for_steps_finds_those_of_python(law):
    """Bit for bit where sums are taken in the same order; the elements are kinked, so that the search goes far."""
    system = rolling(law)
    n, t = system.nv, 0.4
    for q, v in wheel_states(system):
        dq, dv = np.zeros((2, n, n))
        functions.add_function_derivatives(system, q, v, t, dq, dv)
        by_q = functions._slopes(lambda x, q=q, v=v: functions.kind_forces(system, ct.displace(system, q, x), v, t), n)
        by_v = functions._slopes(lambda x, q=q, v=v: functions.kind_forces(system, q, v + x, t), n)
        assert error(-dq, by_q) < 1e-13
        assert error(-dv, by_v) < 1e-13


def test_elements_of_registered_kinds_are_differenced_in_one_compiled_call(monkeypatch):
    """A call from Python for each difference took ten milliseconds a state."""
    system = rolling(lambda t: 3.0 * t)
    monkeypatch.setattr(functions, "kind_forces", None)
    q, v = next(wheel_states(system))
    assert np.isfinite(ct.forward_dynamics_derivatives(system, q, v, t=0.2).dq).all()
