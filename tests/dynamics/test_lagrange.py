"""Lagrange's equations [Geo (44), (45), (49)] from energies alone, by differences, beside inverse and forward dynamics."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct

STEP = 2e-3


def chain():
    """A hinge, a slide and a screw with inertia in all directions, and a spring."""
    mech = ct.Mechanism("chain", gravity=(1.0, -9.0, 3.0))
    mech.body("a", 2.0, (0.4, 0.1, 0.2), (0.3, 0.2, 0.2))
    mech.body("b", 1.0, (0.9, -0.2, 0.1), (0.2, 0.3, 0.2))
    mech.body("c", 1.5, (1.2, 0.3, -0.2), (0.3, 0.2, 0.4))
    mech.joint("A", mech.ground, "a", ct.Revolute((0, 0, 0.1), (0.2, 0.3, 1.0)))
    mech.joint("B", "b", "a", ct.Prismatic(axis=(1.0, 0.5, 0.2)))
    mech.joint("C", "b", "c", ct.Helical((1, 0, 0), (0, 1, 0.4), 0.3))
    mech.joint_spring("k", "A", 5.0, 0.2)
    mech.spring("s", mech.ground, (2, 0, 0), "c", (1.2, 0.3, -0.2), 20.0, 0.4)
    return mech


STATE = np.array([0.7, 0.2, -0.4]), np.array([1.1, -0.6, 2.0]), np.array([0.5, 1.5, -2.5])


def differences(f):
    """Derivative at zero, of fourth order."""
    return (8 * (f(STEP) - f(-STEP)) - (f(2 * STEP) - f(-2 * STEP))) / (12 * STEP)


def lagrangian(system, q, v):
    e = ct.energy(system, q, v)
    return e.kinetic - e.potential


def momenta(system, q, v):
    """dL/dv."""
    units = np.eye(system.nv)
    return np.array([differences(lambda s, e=e: lagrangian(system, q, v + s * e)) for e in units])


def lagrange(system, q, v, a):
    """d/dt dL/dv - dL/dq along a motion with velocity v and acceleration a."""
    rate = differences(lambda s: momenta(system, q + s * v + 0.5 * s * s * a, v + s * a))
    slope = np.array([differences(lambda s, e=e: lagrangian(system, q + s * e, v)) for e in np.eye(system.nv)])
    return rate - slope


def test_inverse_dynamics():
    system = chain().compile()
    q, v, a = STATE
    assert ct.inverse_dynamics(system, q, v, a) == pytest.approx(lagrange(system, q, v, a), rel=1e-7, abs=1e-7)
    assert ct.inverse_dynamics(system, q, v) == pytest.approx(lagrange(system, q, v, 0 * a), rel=1e-7, abs=1e-7)


def test_forward_dynamics():
    system = chain().compile()
    q, v, a = STATE
    tau = lagrange(system, q, v, a)
    assert ct.forward_dynamics(system, q, v, tau).v_dot == pytest.approx(a, rel=1e-6, abs=1e-6)


def test_runs():
    """[Geo (61), (62)]: the first-order system by articulated bodies and a Munthe-Kaas method, beside SciPy's integrator on the
    equations from mass matrix and inverse dynamics."""
    mech = chain()
    mech.torque("motor", "a", lambda t: (0.0, 0.0, 30.0 * np.sin(20.0 * t)))
    system = mech.compile()
    q, v, _ = STATE

    def rate(t, y):
        return np.concatenate(
            [y[3:], -np.linalg.solve(ct.mass_matrix(system, y[:3]), ct.inverse_dynamics(system, y[:3], y[3:], t=t))]
        )

    end = solve_ivp(rate, (0, 0.03), np.concatenate([q, v]), rtol=1e-11, atol=1e-11).y[:, -1]
    run = ct.simulate(system, 0.03, q=q, v=v, rtol=1e-10, atol=1e-10)
    assert np.concatenate([run.q[-1], run.v[-1]]) == pytest.approx(end, abs=1e-8)
