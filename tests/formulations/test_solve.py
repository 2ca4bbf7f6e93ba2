"""The three solvers of M v_dot + J^T lam = f, J v_dot = eta against a dense least-squares solution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotree.formulations import solve

SOLVERS = ("index1", "projection", "voronets")


def solved(name, M, J, f, eta, tolerance=1e-10):
    v_dot, lam = np.empty(len(f)), np.empty(len(J))
    more = (np.zeros(len(f), dtype=np.bool_), np.full(len(f), -1)) if name == "voronets" else ()
    status = getattr(solve, name)(M.copy(), J.copy(), f, eta, tolerance, v_dot, lam, *more)
    return v_dot, lam, status


def problem(seed, n, m, r):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, n))
    M, J = B @ B.T + np.eye(n), rng.standard_normal((m, r)) @ rng.standard_normal((r, n))
    return M, J, rng.standard_normal(n), J @ rng.standard_normal(n)


def reference(M, J, f, eta):
    m = len(J)
    K = np.block([[M, J.T], [J, np.zeros((m, m))]])
    return np.linalg.lstsq(K, np.concatenate([f, eta]), rcond=1e-11)[0]


@pytest.mark.parametrize("name", SOLVERS)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(0, 9), st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_any_rank(name, seed, n, m, r):
    r = min(n, m, r)
    M, J, f, eta = problem(seed, n, m, r)
    v_dot, lam, rank = solved(name, M, J, f, eta)
    expected = reference(M, J, f, eta)
    assert rank == r
    assert np.allclose(v_dot, expected[:n], atol=1e-7 * (1 + np.abs(expected).max()))
    assert np.allclose(M @ v_dot + J.T @ lam, f, atol=1e-7 * (1 + np.abs(f).max() + np.abs(lam).max(initial=0)))
    assert np.allclose(J @ v_dot, eta, atol=1e-7 * (1 + np.abs(eta).max(initial=0)))


def test_index1_gives_the_multipliers_of_least_norm():
    M, J, f, eta = problem(1, 6, 5, 3)
    assert np.allclose(solved("index1", M, J, f, eta)[1], reference(M, J, f, eta)[6:], atol=1e-11)


@pytest.mark.parametrize("name", SOLVERS)
def test_rows_below_the_tolerance_are_dropped(name):
    M, J, f, _ = problem(2, 5, 2, 2)
    J = np.vstack([J, J[0] + 1e-7 * np.eye(5)[0]])
    eta = np.array([1.0, 2.0, 1.0 + 1e-7])  # true to the first rows only
    assert solved(name, M, J, f, eta, tolerance=1e-5)[2] == 2
    assert solved(name, M, J, f, eta, tolerance=1e-10)[2] == 3


@pytest.mark.parametrize("name", SOLVERS)
def test_a_coordinate_without_inertia_is_named(name):
    assert solved(name, np.diag([1.0, 0.0, 1.0]), np.zeros((0, 3)), np.ones(3), np.zeros(0))[2] == -2


def test_the_partition_takes_the_coordinates_most_across_the_constraint():
    """Unit circle at 0.1 rad: the constraint direction is nearly e1, so q1 depends on q2 [Geo Figure 3]."""
    J, dependent = np.array([[np.cos(0.1), np.sin(0.1)]]), np.zeros(2, dtype=np.bool_)
    solve.voronets(np.eye(2), J, np.zeros(2), np.zeros(1), 1e-9, np.empty(2), np.empty(1), dependent, np.full(2, -1))
    assert dependent.tolist() == [True, False]
