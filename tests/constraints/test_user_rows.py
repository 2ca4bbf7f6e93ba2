"""Rows given by functions of the user."""

import numpy as np
import pytest

import cotree as ct
from tests.constraints.rigs import acceleration, check_rows, four_bar, random_state, two_joints

POINT, ANCHOR = np.array([1, 0.5, 0]), np.array([0, 3, 1])


def length(t):
    return 2.8 + 0.1 * np.sin(t)


def with_user_distance(**given):
    """A distance constraint written by hand on the poses and Jacobians of the package, beside the built-in one."""
    mech = two_joints()

    def where(q):
        return ct.poses(bare, q)[2][:3] @ [*POINT, 1.0]

    def residual(q, t):
        return [np.linalg.norm(where(q) - ANCHOR) - length(t)]

    def jacobian(q):
        x = where(q)
        J = ct.spatial_jacobian(bare, q, "b1")
        e = (x - ANCHOR) / np.linalg.norm(x - ANCHOR)
        return [e @ (J[3:] - np.cross(x, J[:3].T).T)]

    bare = mech.compile()
    mech.distance("built in", "ground", ANCHOR, "b1", POINT, length)
    mech.constraint("own", jacobian, residual=residual, **given)
    return mech.compile()


@pytest.mark.parametrize("given", [{}, {"rate": lambda t: [0.1 * np.cos(t)]}])
def test_own_rows_equal_the_built_in_ones(given):
    system = with_user_distance(**given)
    q, v = random_state(system, 12)
    check_rows(system, q, v, 0.6)
    for a in (
        ct.constraint_residual(system, q, 0.6),
        *ct.constraint_jacobian(system, q, 0.6).T,
        ct.theory.constraint_rate(system, q, 0.6),
        ct.constraint_bias(system, q, v, 0.6),
    ):
        assert a[1] == pytest.approx(a[0], rel=1e-9, abs=1e-10)
    assert ct.redundant_rows(system, q, 0.6) == ("own",)
    assert "redundant in this configuration: own" in str(ct.mobility(system))


def test_given_bias_is_used():
    mech = two_joints()
    mech.constraint("own", lambda q: [[1.0, 2.0]], rate=lambda t: [3 * t], bias=lambda q, v, t: [10 * v[0] + t + q[1]])
    system = mech.compile()
    assert ct.constraint_bias(system, [0.1, 0.2], [0.3, 0.4], 2.0) == pytest.approx([5.2])
    assert ct.theory.constraint_rate(system, [0.1, 0.2], 2.0) == pytest.approx([6.0])


def test_velocity_rows_with_a_rate_of_the_configuration():
    mech = two_joints()
    mech.constraint("own", lambda q, t: np.array([np.cos(q[1]), t]), rate=lambda q, t: np.sin(q[0]) * t)
    system = mech.compile()
    q, v = random_state(system, 13)
    check_rows(system, q, v, 0.6)
    expected = -(-np.sin(q[1]) * v[1] * v[0] + v[1]) + np.cos(q[0]) * v[0] * 0.6 + np.sin(q[0])
    assert ct.constraint_bias(system, q, v, 0.6) == pytest.approx([expected], rel=1e-9)
    assert ct.constraint_residual(system, q, 0.6) == [0.0]
    assert not system.holonomic[0]


def test_a_conserved_quantity_as_a_row():
    """Zero angular momentum about the vertical: a Pfaffian row on a free arm."""
    mech = ct.Mechanism("cat", gravity=(0, 0, 0))
    for k in range(3):
        mech.body(f"b{k}", 1.0, (k, 0, 0), (0.1, 0.1, 0.2))
    mech.joint("base", "ground", "b0", ct.Revolute())
    for k in (1, 2):
        mech.joint(f"j{k}", f"b{k - 1}", f"b{k}", ct.Revolute(point=(k - 0.5, 0, 0)))
    bare = mech.compile()

    def momentum(q):
        return ct.mass_matrix(bare, q)[:1]

    mech.constraint("momentum", momentum)
    system = mech.compile()
    q, _ = random_state(system, 14)
    v = ct.consistent_velocity(system, q, [1.0, 2.0, 3.0])
    assert ct.momentum(system, q, v)[2] == pytest.approx(0.0, abs=1e-12)
    check_rows(system, q, v)
    assert not ct.theory.is_holonomic(system, q)  # three bodies turn by wriggling
    free = ct.forward_dynamics(bare, q, v).v_dot  # momentum is conserved anyway
    np.testing.assert_allclose(acceleration(system, q, v), free, atol=1e-9)


def test_rows_of_the_user_come_last_and_see_time():
    mech = four_bar()
    mech.constraint("own", lambda t: np.full((1, 3), t))
    mech.drive("motor", "A", 0.0)
    system = mech.compile(cut=["C"])
    np.testing.assert_array_equal(ct.constraint_jacobian(system, system.q0, 7.0)[-1], [7.0] * 3)


def test_a_compiled_function_will_do():
    from numba import njit

    mech = two_joints()
    mech.constraint("own", njit(lambda q, t: np.array([[1.0, q[0] * t]])))
    system = mech.compile()
    np.testing.assert_array_equal(ct.constraint_jacobian(system, np.array([0.5, 0.0]), 3.0), [[1.0, 1.5]])
