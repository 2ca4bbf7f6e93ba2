"""Mass matrix: composite bodies against K^T J K, against sums over the bodies, against numbers by hand."""

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from cotree.dynamics.closed_form import mass_matrix_closed
from tests.random_mechanisms import BodyData, cases, error

some = settings(max_examples=40, deadline=None)


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def body_inertia(body: BodyData) -> np.ndarray:
    """J = [[T + m c^ c^T, m c^], [-m c^, m I]] in the frame of the body's data."""
    R, m, c = body.pose[:3, :3], body.mass, hat(body.told(body.com))
    return np.block([[R.T @ body.inertia @ R + m * c @ c.T, m * c], [-m * c, m * np.eye(3)]])


@given(cases())
@some
def test_recursion_and_closed_form(c):
    """Composite rigid bodies and K^T J K, Geo (51)."""
    assert error(ct.mass_matrix(c.system, c.state.q), mass_matrix_closed(c.system, c.state.q)) < 1e-12


@given(cases())
@some
def test_sum_over_bodies(c):
    """sum_k J_k^T I_k J_k with each body's own Jacobian and inertia, Geo (43); welded bodies count one by one."""
    M = np.zeros((c.system.nv, c.system.nv))
    for name in c.system.body_names:
        K = ct.body_jacobian(c.system, c.state.q, name)
        M += K.T @ body_inertia(c.tree.body(name)) @ K
    assert error(ct.mass_matrix(c.system, c.state.q), M) < 1e-12


@given(cases(massless=0.4))
@some
def test_symmetric_and_definite(c):
    M = ct.mass_matrix(c.system, c.state.q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0


@given(cases())
@some
def test_columns_are_inverse_dynamics(c):
    """M e_j is the force for unit acceleration at rest, less that for none."""
    q, n = c.state.q, c.system.nv
    still = ct.inverse_dynamics(c.system, q)
    M = np.array([ct.inverse_dynamics(c.system, q, v_dot=e) - still for e in np.eye(n)]).T
    assert error(ct.mass_matrix(c.system, q), M) < 1e-12


@pytest.mark.parametrize("q2", [0.0, 0.7, np.pi / 2, -2.0])
def test_planar_double_pendulum(q2):
    """The textbook matrix of two links in a plane."""
    m1, m2, l1, r1, r2, I1, I2 = 2.0, 1.5, 0.8, 0.3, 0.5, 0.1, 0.2
    mech = ct.Mechanism(gravity=(0, -9.81, 0))
    upper = mech.body("upper", m1, (r1, 0, 0), (I1, I1, I1))
    lower = mech.body("lower", m2, (l1 + r2, 0, 0), (I2, I2, I2))
    mech.joint("shoulder", mech.ground, upper, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("elbow", upper, lower, ct.Revolute((l1, 0, 0), (0, 0, 1)))
    system = mech.compile()
    c = m2 * l1 * r2 * np.cos(q2)
    b = I2 + m2 * r2**2
    expected = [[I1 + m1 * r1**2 + b + m2 * l1**2 + 2 * c, b + c], [b + c, b]]
    assert error(ct.mass_matrix(system, [0.4, q2]), expected) < 1e-14
