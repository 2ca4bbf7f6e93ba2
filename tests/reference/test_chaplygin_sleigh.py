"""Chaplygin's sleigh and its closed form in hyperbolic functions (Neimark and Fufaev; Bloch).

Tolerance: the closed form is exact, the figures of the file are rounded at 1e-15, x and y a quadrature to about 1e-13; what is
left is the integrator's 1e-11 a step.
"""

import numpy as np
import pytest

import cotree as ct
from tests.reference.published import figures, place, table, velocity

SLEIGH = figures("chaplygin_sleigh")
m, I, a = SLEIGH["m"], SLEIGH["I"], SLEIGH["a"]
CHOICES = {
    "relative": {},
    "absolute": {"coordinates": "absolute"},
    "absolute SO3xR3": {"coordinates": "absolute", "group": "SO3xR3"},
}


def sleigh():
    return ct.gallery.chaplygin_sleigh(mass=m, inertia=I, ahead=a)


def motion(choice, times, **words):
    """The blade's own frame is the world's at the start: in any coordinates the twist is (0, 0, w0, v0, 0, 0)."""
    system = sleigh().compile(**CHOICES[choice])
    w0, v0 = SLEIGH["w0"], SLEIGH["v0"]
    v = [w0, v0, 0.0] if choice == "relative" else [0.0, 0.0, w0, v0, 0.0, 0.0]
    return ct.simulate(system, times[-1], v=v, output=times, **words)


def closed_form(t, v0, w0):
    """(v, w, theta)."""
    about = I + m * a * a
    E = 0.5 * m * v0**2 + 0.5 * about * w0**2
    V, W = np.sqrt(2 * E / m), np.sqrt(2 * E / about)
    k, s0 = m * a * V / about, np.arctanh(v0 / V)
    gd = lambda s: 2 * np.arctan(np.tanh(s / 2))  # noqa: E731
    return V * np.tanh(k * t + s0), W / np.cosh(k * t + s0), W / k * (gd(k * t + s0) - gd(s0))


@pytest.mark.parametrize("formulation", ["index1", "projection", "voronets", "odca"])
@pytest.mark.parametrize("choice", CHOICES)
def test_table(choice, formulation):
    rows = table(SLEIGH)
    run = motion(choice, rows["t"], rtol=1e-11, atol=1e-11, formulation=formulation)
    R = run.poses()[:, 1, :3, :3]
    forward = np.einsum("ki,ki->k", velocity(run, "sleigh", (0, 0, 0)), R[:, :, 0])
    turning = run.v[:, 0 if choice == "relative" else 2]
    where = place(run, "sleigh", (0, 0, 0))
    assert forward == pytest.approx(rows["v"], abs=1e-9)
    assert turning == pytest.approx(rows["omega"], abs=1e-9)
    assert R[:, :2, 0] == pytest.approx(np.stack([np.cos(rows["theta"]), np.sin(rows["theta"])], axis=1), abs=1e-9)
    assert where[:, :2] == pytest.approx(np.stack([rows["x"], rows["y"]], axis=1), abs=1e-8)


def test_the_table_is_the_closed_form():
    rows = table(SLEIGH)
    found = closed_form(rows["t"], SLEIGH["v0"], SLEIGH["w0"])
    for name, value in zip(("v", "omega", "theta"), found, strict=True):
        assert value == pytest.approx(rows[name], abs=1e-14)


@pytest.mark.parametrize("v0", [0.4, -0.9])
def test_it_ends_straight_ahead(v0):
    """Thirty seconds: also from backward it turns round, keeps all its energy, and all is forward in the end."""
    run = ct.simulate(sleigh(), 30.0, q=np.zeros(3), v=[1.5, v0, 0.0], rtol=1e-11, atol=1e-11)
    v, w, theta = closed_form(run.t, v0, 1.5)
    assert run.v[:, 1] == pytest.approx(v, abs=1e-8)
    assert run.v[:, 0] == pytest.approx(w, abs=1e-8)
    assert run.q[:, 0] == pytest.approx(theta, abs=1e-7)
    assert run.v[-1, 0] < 1e-2
    assert run.v[-1, 1] > 0.999 * np.sqrt(2 * run.energy.kinetic[0] / m)
