"""SymPy's four-bar: matrices of the constrained Kane equations, printed to 13 to 16 digits.

Row 1 is the equation of motion of the independent speed u1, rows 2 and 3 the closure of the loop, differentiated twice. Drawn
at the printed angles, so that q = 0 here is q there. The angles close the loop to about 1e-13, which bounds all comparisons.
"""

import numpy as np
import pytest

import cotree as ct
from tests.reference.published import figures

KANE = figures("sympy_fourbar")
P = KANE["parameters"]
MASSES, FORCING = np.array(KANE["mass_check"]), np.array(KANE["forcing_check"])
RATES = np.array(KANE["u"])
Z = (0.0, 0.0, 1.0)


def corners():
    """(4, 3): ends of the bars."""
    at, out = np.array([P["l1"] / 2, 0.0, 0.0]), []
    for length, angle in zip((P["l2"], P["l3"], P["l4"]), np.cumsum(KANE["q"]), strict=True):
        out.append(at)
        at = at + length * np.array([np.cos(angle), np.sin(angle), 0.0])
    return [*out, at]


def four_bar():
    mech, points = ct.Mechanism("SymPy's four-bar", (0, 0, 0)), corners()
    above = mech.ground
    for k, length in enumerate((P["l2"], P["l3"], P["l4"])):
        a, b = points[k], points[k + 1]
        J = P["rho"] * length**3 / 12
        bar = mech.body(f"link{k + 2}", P["rho"] * length, (a + b) / 2, (J, J, J))
        mech.joint(f"q{k + 1}", above, bar, ct.Revolute(a, Z))
        above = bar
    mech.joint("closing", mech.ground, above, ct.Revolute(points[3], Z))
    return mech.compile(cut=["closing"])


def test_the_angles_close_the_loop():
    assert corners()[3] == pytest.approx((-P["l1"] / 2, 0, 0), abs=1e-12)


def test_rows_of_the_loop():
    """Same row space, and the printed rates are admissible."""
    J = ct.constraint_jacobian(four_bar(), np.zeros(3))
    projectors = [np.linalg.pinv(X) @ X for X in (J, MASSES[1:])]
    assert np.abs(projectors[0] - projectors[1]).max() < 1e-11
    assert np.abs(J @ RATES).max() < 1e-12


def test_reduced_mass_matrix():
    """n^T M with n the motion per unit of u1."""
    system = four_bar()
    J = ct.constraint_jacobian(system, np.zeros(3))
    n = np.array([1.0, *np.linalg.solve(J[:, 1:], -J[:, 0])])
    assert n @ ct.mass_matrix(system, np.zeros(3)) == pytest.approx(MASSES[0], rel=1e-11)
    bias = ct.inverse_dynamics(system, np.zeros(3), RATES, np.zeros(3))
    assert -n @ bias == pytest.approx(FORCING[0], rel=1e-10)


@pytest.mark.parametrize("formulation", ["auto", "index1", "projection", "voronets", "odca"])
def test_accelerations(formulation):
    found = ct.forward_dynamics(four_bar(), np.zeros(3), RATES, formulation=formulation).v_dot
    assert found == pytest.approx(np.linalg.solve(MASSES, FORCING), abs=1e-12)
