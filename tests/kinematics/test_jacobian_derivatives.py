"""Derivatives of the Jacobians: by brackets, by differences, by the formulas of METHODS 4 written out."""

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from cotree.dynamics.closed_form import block_matrices, jacobian_rate, nilpotent
from cotree.lie import Ad, ad, bracket, inverse, pose
from tests.random_mechanisms import COORDINATES, ONE_DOF, cases, derivative, error, make_case

some = settings(max_examples=30, deadline=None)
both_frames = pytest.mark.parametrize("frame", ["body", "spatial"])
JACOBIAN = {"body": ct.body_jacobian, "spatial": ct.spatial_jacobian}


def along(c, f, direction):
    """Derivative of f(q) along a direction of velocities."""
    return derivative(lambda s: f(ct.displace(c.system, c.state.q, s * direction)))


@both_frames
@given(c=cases())
@some
def test_rate_by_differences(frame, c):
    body = c.a_body()
    expected = along(c, lambda q: JACOBIAN[frame](c.system, q, body), c.state.v)
    assert error(ct.jacobian_derivative(c.system, c.state.q, c.state.v, body, frame), expected) < 1e-8


@both_frames
@given(c=cases())
@some
def test_rate_by_partials(frame, c):
    body = c.a_body()
    partials = ct.theory.jacobian_partials(c.system, c.state.q, body, frame)
    assert error(ct.jacobian_derivative(c.system, c.state.q, c.state.v, body, frame), partials @ c.state.v) < 1e-12


@both_frames
@given(c=cases(max_bodies=4))
@some
def test_partials_by_differences(frame, c):
    body = c.a_body()
    found = ct.theory.jacobian_partials(c.system, c.state.q, body, frame)
    for b, direction in enumerate(np.eye(c.system.nv)):
        expected = along(c, lambda q: JACOBIAN[frame](c.system, q, body), direction)
        assert error(found[:, :, b], expected) < 1e-8


@both_frames
@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("seed", range(3))
def test_second_partials_by_differences(frame, coordinates, seed):
    c = make_case(seed, 3, ("SE3", "SO3xR3")[seed % 2], coordinates=(coordinates,))
    body = c.system.body_names[-1]
    found = ct.theory.jacobian_second_partials(c.system, c.state.q, body, frame)
    for k, direction in enumerate(np.eye(c.system.nv)):
        expected = along(c, lambda q: ct.theory.jacobian_partials(c.system, q, body, frame), direction)
        assert error(found[:, :, :, k], expected) < 1e-7


@given(c=cases(max_bodies=6, joints=ONE_DOF, branching=0.0, massless=0.0))
@some
def test_brackets_of_a_chain(c):
    """dK_ij/dq^k = [K_ij, K_ik] for j < k <= i, dJ^s_j/dq^k = [J^s_k, J^s_j] for k < j, else 0."""
    n, body = c.system.nv, c.system.body_names[-1]
    K, J = ct.body_jacobian(c.system, c.state.q, body).T, ct.spatial_jacobian(c.system, c.state.q, body).T
    dK = ct.theory.jacobian_partials(c.system, c.state.q, body)
    dJ = ct.theory.jacobian_partials(c.system, c.state.q, body, "spatial")
    for j in range(n):
        for k in range(n):
            assert error(dK[:, j, k], bracket(K[j], K[k]) if j < k else np.zeros(6)) < 1e-12
            assert error(dJ[:, j, k], bracket(J[k], J[j]) if k < j else np.zeros(6)) < 1e-12


@given(c=cases(max_bodies=6, joints=ONE_DOF, branching=0.0, massless=0.0))
@some
def test_acceleration_of_a_chain(c):
    """dV_i/dt = sum K_j q''^j + sum_{j<k} [K_j, K_k] q'^j q'^k, METHODS 4."""
    v, a, body = c.state.v, c.state.v_dot, c.system.body_names[-1]
    K = ct.body_jacobian(c.system, c.state.q, body).T
    pairs = ((j, k) for k in range(len(v)) for j in range(k))
    expected = a @ K + sum((v[j] * v[k] * bracket(K[j], K[k]) for j, k in pairs), np.zeros(6))
    assert error(ct.accelerations(c.system, c.state.q, v, a)[-1], expected) < 1e-12
    centre = c.system.mechanism.bodies[body].properties.com
    moved = np.concatenate([expected[:3], expected[3:] + np.cross(expected[:3], centre)])
    assert error(ct.accelerations(c.system, c.state.q, v, a, "com")[-1], moved) < 1e-12


@both_frames
@given(c=cases())
@some
def test_accelerations(frame, c):
    """dV/dt = J dv/dt + (dJ/dt) v, and by differences of the twists along the motion."""
    s, body = c.state, c.a_body()
    row = c.system.row_of(body)
    found = ct.accelerations(c.system, s.q, s.v, s.v_dot, frame)
    J = JACOBIAN[frame](c.system, s.q, body)
    J_dot = ct.jacobian_derivative(c.system, s.q, s.v, body, frame)
    assert error(found[row], J @ s.v_dot + J_dot @ s.v) < 1e-12

    def twists(x):
        return ct.twists(c.system, ct.displace(c.system, s.q, x * s.v), s.v + x * s.v_dot, frame)

    assert error(found, derivative(twists)) < 1e-8


@given(c=cases(max_bodies=6))
@some
def test_block_matrices(c):
    """A = (I - D)^-1 with D nilpotent, K = A H, K the links' body Jacobians, Geo (22) to (25)."""
    blocks = block_matrices(c.system, c.state.q)
    D = nilpotent(c.system, blocks)
    assert error(np.linalg.inv(np.eye(len(D)) - D), blocks.A) < 1e-11
    assert not np.linalg.matrix_power(np.abs(D) > 0.0, len(blocks.C)).any()
    assert error(blocks.K, blocks.A @ blocks.H) < 1e-13
    for body in c.system.body_names:
        row = c.system.row_of(body)
        k = int(c.system.bodies[row]["link"]) - 1
        if k >= 0:  # from the link's frame, the world's in the reference assembly, to the body's own
            x = c.system.bodies[row]["frame"]
            own = Ad(inverse(pose(x[:9].reshape(3, 3), x[9:]))) @ blocks.K[6 * k : 6 * k + 6]
            assert error(ct.body_jacobian(c.system, c.state.q, body), own) < 1e-12


@given(c=cases(max_bodies=6))
@some
def test_rate_of_the_block_matrix(c):
    """dK/dt in closed form, Geo (30), by differences."""
    _, K_dot = jacobian_rate(c.system, c.state.q, c.state.v)
    assert error(K_dot, along(c, lambda q: block_matrices(c.system, q).K, c.state.v)) < 1e-8


@given(c=cases(max_bodies=6, joints=ONE_DOF))
@some
def test_rate_of_the_block_matrix_for_one_dof_joints(c):
    """dK/dt = -A a K with a = diag(q'^i ad_Xi), Geo (30)."""
    blocks, K_dot = jacobian_rate(c.system, c.state.q, c.state.v)
    n = len(blocks.C)
    a = np.zeros((6 * n, 6 * n))
    for i in range(n):
        own = slice(6 * i, 6 * i + 6)
        a[own, own] = ad(blocks.H[own] @ c.state.v)
    assert error(K_dot, -blocks.A @ a @ blocks.K) < 1e-12
