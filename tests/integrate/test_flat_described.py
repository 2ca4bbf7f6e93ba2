"""Parallelograms described in their flat configuration, in absolute coordinates, with fixed steps: each step that comes near
it asks for loops closed as well as can be, more than the Newton steps allowed may give."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from cotree.integrate.driver import Driver
from cotree.integrate.settings import Settings
from cotree.integrate.stabilization.projection import project

INERTIA = 0.25 + 0.1 + 1.5 * 0.25 + 0.1 + 2.0
WEIGHT = 9.81 * (0.5 + 0.75 + 2.0)


def flat(own_frames, angle=0.0):
    """Cranks of 1 m with masses of 1 and 1.5 kg, coupler of 2 m and 2 kg; own_frames: bodies described about their mass
    centres, which makes the mass matrix diagonal."""
    d, A, B = np.array([np.cos(angle), np.sin(angle), 0.0]), np.zeros(3), np.array([2.0, 0.0, 0.0])
    mech = ct.Mechanism("parallelogram", gravity=(0, -9.81, 0))
    where = {"a": (1.0, A + d / 2, 0.1), "c": (2.0, B / 2 + d, 0.2), "b": (1.5, B + d / 2, 0.1)}
    for name, (mass, com, inertia) in where.items():
        pose = np.eye(4)
        pose[:3, 3] = com if own_frames else 0.0
        mech.body(name, mass, np.zeros(3) if own_frames else com, (inertia,) * 3, pose=pose)
    z = (0, 0, 1)
    mech.joint("A", "ground", "a", ct.Revolute(A, z))
    mech.joint("P", "a", "c", ct.Revolute(A + d, z))
    mech.joint("Q", "c", "b", ct.Revolute(B + d, z))
    mech.joint("B", "b", "ground", ct.Revolute(B, z))
    return mech.compile(coordinates="absolute")


def turning(system, rate):
    """Velocity of the parallelogram in the reference: both cranks turn, the coupler does not."""
    twists = np.array([ct.twists(system, system.q0, e, "spatial").ravel() for e in np.eye(system.nv)]).T
    wanted = np.zeros((4, 6))
    for name, x in {"a": (0, 0, 1, 0, 0, 0), "c": (0, 0, 0, 0, 1, 0), "b": (0, 0, 1, 0, -2, 0)}.items():
        wanted[system.row_of(name)] = rate * np.array(x)
    return np.linalg.lstsq(twists, wanted.ravel(), rcond=None)[0]


def angle_error(run, rate):
    exact = solve_ivp(
        lambda t, y: [y[1], -WEIGHT / INERTIA * np.cos(y[0])], (0, run.t[-1]), [0, rate], "DOP853", run.t, rtol=1e-11,
        atol=1e-11,
    ).y[0]  # fmt: skip
    C = run.poses()[:, run.system.row_of("a")]
    return np.abs(np.angle(np.exp(1j * (np.arctan2(C[:, 1, 0], C[:, 0, 0]) - exact)))).max()


@pytest.mark.parametrize(("own_frames", "rate"), [(False, 1.3), (True, 3.0)])
@pytest.mark.parametrize("words", [{}, {"stabilize": "partition"}, {"formulation": "odca"}])
def test_fixed_steps(words, own_frames, rate):
    """Measured: 3e-7 rad or less. When the Newton steps of a projection ran out, its velocities were corrected with factors
    in place of the mass matrix and the Jacobian: no inertia, or 3e-6 rad off; with held independent coordinates 2e-4."""
    system = flat(own_frames)
    run = ct.simulate(system, 3.0, v=turning(system, rate), step=1e-3, output=61, **words)
    assert run.status == "done", run.message
    assert angle_error(run, rate) < 1e-6
    assert np.abs(run.energy.balance).max() < 1e-5
    assert run.warnings == ()


@pytest.mark.parametrize("own_frames", [False, True])
def test_projections_that_run_out(own_frames):
    """Velocities are corrected with the terms of the configuration that the last Newton step leads to; for one or two of
    these starts all Newton steps are used up."""
    system = flat(own_frames)
    v = turning(system, 1.3)
    driver = Driver(system, Settings(step=1e-3).resolved(system), 0.0, system.q0, v, np.array([0.0]), 1.0, ())
    for s in np.geomspace(1e-5, 1e-1, 200):
        q, w = ct.displace(system, system.q0, s * v), v.copy()
        near = driver.state.near
        near.careful, near.certified, near.dependent_rows = True, -1, False
        assert project(driver.state.run, 0.0, 0.0, q, w) == 17
        assert np.abs(ct.constraint_jacobian(system, q) @ w).max() < 1e-12
