"""The thin rolling disc of SymPy (1.14, physics/mechanics/tests/test_kane.py, test_rolling_disc, BSD-3-Clause).

3-1-2 angles yaw, lean, spin; u the angular velocity in the lean frame; inertia m r^2 (1/4, 1/2, 1/4):
    u1' = (6 u2 u3 r - u3^2 r tan q2 + 4 g sin q2) / (5 r),  u2' = -2 u1 u3 / 3,  u3' = u1 (-2 u2 + u3 tan q2);
upright it is stable for u2^2 > g / (3 r). The equations are exact; tolerances are those of the two integrations at 1e-11.
(Accelerations alone: tests/constraints/test_rolling.py. Steady circles: tests/integrate/test_rolling_disk.py.)
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from tests.descriptions import same_state
from tests.reference.published import place

R, G = 0.5, 9.81
LEAN, SPIN, YAW_RATE = 0.3, 6.0, 0.8


def by_sympy(times, lean, u):
    """Rows (yaw, lean, spin, u1, u2, u3, x, y) with the contact at (x, y); kinematics of the 3-1-2 angles."""

    def rates(t, y):
        yaw, lean, _, u1, u2, u3 = y[:6]
        tan, sin, cos = np.tan(lean), np.sin(lean), np.cos(lean)
        yaw_dot, spin_dot = u3 / cos, u2 - u3 * tan
        return [
            yaw_dot, u1, spin_dot,
            (6 * u2 * u3 * R - u3**2 * R * tan + 4 * G * sin) / (5 * R), -2 * u1 * u3 / 3, u1 * (-2 * u2 + u3 * tan),
            R * spin_dot * np.cos(yaw), R * spin_dot * np.sin(yaw),  # the contact runs along the heading
        ]  # fmt: skip

    return solve_ivp(rates, (0, times[-1]), [0, lean, 0, *u, 0, 0], "DOP853", times, rtol=1e-12, atol=1e-12).y.T


def axis_and_centre(y):
    """(k, 3) each."""
    yaw, lean = y[:, 0], y[:, 1]
    c, s, cl, sl = np.cos(yaw), np.sin(yaw), np.cos(lean), np.sin(lean)
    axis = np.stack([-s * cl, c * cl, sl], axis=1)
    up = np.stack([s * sl, -c * sl, cl], axis=1)
    return axis, np.stack([y[:, 6], y[:, 7], 0 * yaw], axis=1) + R * up


@pytest.mark.parametrize(
    "choice", [{}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"}, {"group": "SO3xR3"}]
)
def test_five_seconds(choice):
    mech = ct.gallery.rolling_disk(R, lean=LEAN, spin=SPIN, yaw_rate=YAW_RATE)
    system, times = mech.compile(**choice), np.linspace(0, 5, 26)
    state = same_state(system, mech.compile(), mech.q_start, mech.v_start)
    run = ct.simulate(system, 5.0, *state, output=times, rtol=1e-11, atol=1e-11)
    y = by_sympy(times, LEAN, (0.0, SPIN, YAW_RATE))
    axis, centre = axis_and_centre(y)
    assert np.abs(run.poses()[:, 1, :3, 1] - axis).max() < 1e-8
    assert np.abs(place(run, "disk", (0, 0, R)) - centre).max() < 1e-8
    w = np.array([ct.twists(system, q, v, "spatial")[1, :3] for q, v in zip(run.q, run.v, strict=True)])
    assert np.einsum("ki,ki->k", w, axis) == pytest.approx(y[:, 4], abs=1e-7)
    assert np.ptp(y[:, 1]) > 0.2  # it did lean to and fro


@pytest.mark.parametrize("formulation", ["index1", "projection", "voronets", "odca"])
def test_formulations(formulation):
    times = [0.0, 1.0, 2.0]
    run = ct.simulate(ct.gallery.rolling_disk(R), 2.0, output=times, rtol=1e-11, atol=1e-11, formulation=formulation)
    axis, centre = axis_and_centre(by_sympy(times, 0.3, (0.0, 6.0, 0.0)))
    assert np.abs(run.poses()[:, 1, :3, 1] - axis).max() < 1e-8
    assert np.abs(place(run, "disk", (0, 0, R)) - centre).max() < 1e-8


@pytest.mark.parametrize(("factor", "falls"), [(0.9, True), (1.1, False)])
def test_critical_spin(factor, falls):
    """A lean of 1e-4 stays below 1e-2 above the critical spin, and grows beyond it below."""
    spin = factor * np.sqrt(G / (3 * R))
    run = ct.simulate(ct.gallery.rolling_disk(R, lean=1e-4, spin=spin), 5.0, output=101)
    assert (np.abs(run.poses()[:, 1, 2, 1]).max() > 1e-2) == falls
