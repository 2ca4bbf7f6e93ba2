"""The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): stability of its upright ride.

The nonlinear model's accelerations, with the constraints solved, are differentiated by central differences, twice extrapolated
(error of fourth order), at steps of 1e-3 rad or rad/s. The paper prints 14 to 15 digits; rounding in the accelerations, about
1e-13 of 100 rad/s^2, over 1e-3 and the extrapolation's error leave 1e-9 of the largest entry, and so of the eigenvalues.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

import cotree as ct
from cotree.gallery.bicycles import REAR
from tests.reference.published import figures

BIKE = figures("bicycle")
LEAN, SPIN, STEER = 0, 6, 7  # among the velocities
RIGHT = np.array([1.0, -1.0])  # lean about +x is to the right, steering about the upward axis to the left


@pytest.fixture(scope="module")
def system():
    return ct.gallery.bicycle().compile()


def accelerations(system, speed, x, formulation="auto"):
    """(lean'', steer'') at x = (lean, steer, lean', steer'), to first order; pitch and height follow from the contacts."""
    lean, steer = x[0], -x[1]
    q = np.array([np.cos(lean / 2), np.sin(lean / 2), *np.zeros(6), steer, 0.0])
    q = ct.assemble(system, q, fixed=["steer"])
    J = ct.constraint_jacobian(system, q)
    chosen = np.eye(system.nv)[[LEAN, STEER, SPIN]]
    v = np.linalg.solve(np.vstack([J, chosen]), [*np.zeros(len(J)), x[2], -x[3], speed / REAR])
    return RIGHT * ct.forward_dynamics(system, q, v, formulation=formulation).v_dot[[LEAN, STEER]]


def linearised(system, speed, h=1e-3, **words):
    """(4, 4) matrix of x' = A x."""
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    for k, e in enumerate(np.eye(4)):
        one, two = (
            (accelerations(system, speed, s * e, **words) - accelerations(system, speed, -s * e, **words)) / (2 * s)
            for s in (h, 2 * h)
        )
        A[2:, k] = (4 * one - two) / 3
    return A


def published(speed):
    M, C1, K0, K2 = (np.array(BIKE[n]) for n in ("M", "C1", "K0", "K2"))
    lower = -np.linalg.solve(M, np.hstack([BIKE["g"] * K0 + speed**2 * K2, speed * C1]))
    return np.vstack([np.eye(4)[2:], lower])


def eigenvalues(A):
    return np.sort_complex(np.linalg.eigvals(A))


def test_published_eigenvalues(system):
    expected = np.sort_complex([complex(*z) for z in BIKE["eigenvalues"]])
    assert np.abs(eigenvalues(linearised(system, BIKE["speed"])) - expected).max() < 1e-9
    assert np.abs(eigenvalues(published(BIKE["speed"])) - expected).max() < 1e-12  # the paper agrees with itself


@pytest.mark.parametrize("speed", [0.0, 2.0, 5.0, 9.0])
def test_published_matrices(system, speed):
    A = published(speed)
    assert np.abs(linearised(system, speed) - A).max() < 1e-9 * np.abs(A).max()


@pytest.mark.parametrize("formulation", ["index1", "projection", "voronets", "odca"])
def test_formulations(system, formulation):
    A = published(5.0)
    assert np.abs(linearised(system, 5.0, formulation=formulation) - A).max() < 1e-9 * np.abs(A).max()


def growth(system, speed, oscillating):
    """Greatest real part among the eigenvalues that oscillate, or among those that do not."""
    z = eigenvalues(linearised(system, speed))
    return z.real[(np.abs(z.imag) > 1e-6) == oscillating].max()


def test_weave_and_capsize_speed(system):
    """Between them it rides by itself."""
    weave = brentq(lambda v: growth(system, v, True), 4.0, 4.6, xtol=1e-10)
    capsize = brentq(lambda v: growth(system, v, False), 5.5, 6.5, xtol=1e-10)
    assert weave == pytest.approx(BIKE["weave_speed"], abs=1e-8)
    assert capsize == pytest.approx(BIKE["capsize_speed"], abs=1e-8)


def lean_of(run):
    """Angle of the frame's left-hand axis above the level."""
    return np.arcsin(run.poses()[:, run.system.row_of("frame"), 2, 1])


def test_it_catches_itself_and_keeps_its_energy():
    """From 4.6 m/s and 0.5 rad/s of lean, as in the paper's Figure 4: after five seconds it hardly leans any more."""
    run = ct.simulate(ct.gallery.bicycle(), 5.0, rtol=1e-10, atol=1e-10)
    lean = lean_of(run)
    assert np.abs(lean).max() > 0.05
    assert np.abs(lean[run.t > 4.0]).max() < 0.3 * np.abs(lean).max()
    assert np.abs(run.energy.balance).max() < 1e-6
    assert run.velocity_violation.max() < 1e-10


def test_it_falls_when_slow():
    run = ct.simulate(ct.gallery.bicycle(speed=2.0, lean_rate=0.05), 2.0)
    assert np.abs(lean_of(run)).max() > 0.5


def test_small_motions_follow_the_linear_equations():
    """Two seconds at 5 m/s from 1e-4 rad/s: to second order in the lean."""
    run = ct.simulate(ct.gallery.bicycle(5.0, 1e-4), 2.0, rtol=1e-12, atol=1e-14, output=21)
    z, S = np.linalg.eig(published(5.0))
    c = np.linalg.solve(S, [0, 0, 1e-4, 0])
    expected = ((S * c) @ np.exp(np.outer(z, run.t))).real
    assert np.abs(lean_of(run) - expected[0]).max() < 1e-9
    assert np.abs(-run.q[:, 1 + STEER] - expected[1]).max() < 1e-9
    assert np.abs(expected[0]).max() > 1e-5
