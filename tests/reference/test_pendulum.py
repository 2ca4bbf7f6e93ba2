"""IFToMM benchmark A01: a point mass on a massless rod, released level, against elliptic functions.

Tolerances: the figures are exact to rounding; a run at 1e-12 is to be that good after ten seconds up to the growth of its own
errors, about a thousand steps; with the default 1e-8 the benchmark's own criterion is used, energy to 5e-5 J.
"""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import cotree as ct
from tests.reference.published import figures, place, table

A01 = figures("pendulum")
START = (-A01["L"], 0.0, 0.0)


def pendulum():
    mech = ct.Mechanism("A01", (0, -A01["g"], 0))
    mech.body("bob", A01["m"], START, (0, 0, 0))
    mech.joint("hinge", mech.ground, "bob", ct.Revolute((0, 0, 0), (0, 0, 1)))
    return mech


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_table(method):
    words = {"step": 1e-4, "method": "rk4"} if method == "rk4" else {"rtol": 1e-12, "atol": 1e-12}
    rows = table(A01)
    run = ct.simulate(pendulum(), 10.0, output=rows["t"], **words)
    expected = np.stack([rows["x"], rows["y"]], axis=1)
    assert place(run, "bob", START)[:, :2] == pytest.approx(expected, abs=1e-9)


def test_energy_with_the_default_tolerance():
    run = ct.simulate(pendulum(), 10.0)
    assert np.abs(run.energy.total - run.energy.total[0]).max() < A01["energy_tolerance"]


def test_the_table_is_the_closed_form():
    rows, w = table(A01), np.sqrt(A01["g"] / A01["L"])
    _, cn, dn, _ = ellipj(w * rows["t"], 0.5)
    phi = 2 * np.arcsin(-np.sin(np.pi / 4) * cn / dn)
    assert np.sin(phi) == pytest.approx(rows["x"], abs=1e-12)
    assert -np.cos(phi) == pytest.approx(rows["y"], abs=1e-12)
    assert A01["period"] == pytest.approx(4 * ellipk(0.5) / w, rel=1e-14)


def test_period():
    """It comes back to where it was let go, at rest."""
    run = ct.simulate(pendulum(), A01["period"], rtol=1e-12, atol=1e-12)
    assert place(run, "bob", START)[-1] == pytest.approx(START, abs=1e-10)
    assert run.v[-1, 0] == pytest.approx(0.0, abs=1e-9)
