"""The recorded switches of the planar 3R against SciPy and textbook equations: none of it by the package."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.gallery.test_switching import mass_matrix_3r

DATA = json.loads(Path(__file__).with_name("data_planar_3r.json").read_text())
MASS, G = 6.75, 9.81
REACH = np.array([[0.5, 0, 0], [1, 0.5, 0], [1, 1, 0.5]])  # mass centres along the bars
SUM = np.tril(np.ones((3, 3)))  # angles against the world, of relative ones


def generalized_force(q, v):
    """Gravity and centrifugal forces, which are simple in the angles against the world."""
    angle, rate = SUM @ q, SUM @ v
    coupling = MASS * REACH.T @ REACH * np.sin(angle[:, None] - angle)
    return SUM.T @ (-coupling @ rate**2 - MASS * G * REACH.sum(axis=0) * np.cos(angle))


def fall(t, t_end, q, v, locked):
    free = [k for k in range(3) if f"J{k + 1}" not in locked]

    def rates(_, y):
        q, v = y[:3], y[3:]
        v_dot = np.zeros(3)
        v_dot[free] = np.linalg.solve(mass_matrix_3r(q)[np.ix_(free, free)], generalized_force(q, v)[free])
        return np.concatenate([v, v_dot])

    y = solve_ivp(rates, (t, t_end), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return y[:3], y[3:]


def switched(q, v, locked, consistent):
    """Free rates such that the momenta of the free joints stay, by blocks instead of multipliers; or rates set to zero."""
    free = [k for k in range(3) if f"J{k + 1}" not in locked]
    after, M = np.zeros(3), mass_matrix_3r(q)
    after[free] = np.linalg.solve(M[np.ix_(free, free)], (M @ v)[free]) if consistent else v[free]
    return after


@pytest.mark.parametrize("kind", ["consistent", "naive"])
def test_recorded_switches(kind):
    t, q, v, locked = 0.0, np.array(DATA["q_start"]), np.array(DATA["v_start"]), []
    for record in DATA[kind]["switches"]:
        q, v = fall(t, record["t"], q, v, locked)
        t, locked = record["t"], record["locked"]
        after, M = switched(q, v, locked, kind == "consistent"), mass_matrix_3r(q)
        found = {"q": q, "v_before": v, "v_after": after, "momenta_before": M @ v, "momenta_after": M @ after,
                 "kinetic_before": v @ M @ v / 2, "kinetic_after": after @ M @ after / 2}  # fmt: skip
        for key, value in found.items():
            assert value == pytest.approx(record[key], rel=1e-8, abs=1e-8), key
        v = after
    q, v = fall(t, DATA["t_end"], q, v, locked)
    assert q == pytest.approx(DATA[kind]["q_end"], rel=1e-7, abs=1e-7)
    assert v == pytest.approx(DATA[kind]["v_end"], rel=1e-7, abs=1e-7)


def test_what_the_switches_cost():
    """Consistent: free momenta stay, energy falls by dv^T M dv / 2. Naive: 16 and 28 % vanish, then 84 % appear."""
    for record in DATA["consistent"]["switches"]:
        M, dv = mass_matrix_3r(record["q"]), np.subtract(record["v_after"], record["v_before"])
        assert record["momenta_after"][0] == pytest.approx(record["momenta_before"][0], rel=1e-13)
        assert record["kinetic_before"] - record["kinetic_after"] == pytest.approx(dv @ M @ dv / 2, rel=1e-9)
        J = np.eye(3)[[int(name[1:]) - 1 for name in record["locked"]]]
        assert pytest.approx(-J.T @ record["impulse"], abs=1e-10) == M @ dv
    first, second = DATA["naive"]["switches"]
    assert 1 - first["momenta_after"][0] / first["momenta_before"][0] == pytest.approx(0.158, abs=1e-3)
    assert 1 - first["kinetic_after"] / first["kinetic_before"] == pytest.approx(0.282, abs=1e-3)
    assert second["kinetic_after"] / second["kinetic_before"] == pytest.approx(1.84, abs=1e-2)
    first = DATA["consistent"]["switches"][0]
    assert 1 - first["kinetic_after"] / first["kinetic_before"] == pytest.approx(0.0038, abs=1e-4)
