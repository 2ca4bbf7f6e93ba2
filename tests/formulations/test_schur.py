"""The fast way through M v_dot + J^T lam = f, J v_dot = eta, and what it falls back on, against dense NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cotree as ct
from cotree.formulations.linalg import (
    least_direction,
    lu,
    normalize,
    pivoted_qr,
    put_trial_vector,
    solve_lu,
    solve_lu_transposed,
)
from cotree.formulations.schur import (
    by_independent_rows,
    by_pivoting,
    cholesky_by_rows,
    invert_diagonal,
    put_starts,
    solve_down,
    solve_up,
)
from tests.random_mechanisms import make_case

SEEDS = st.integers(0, 2**32 - 1)
some = settings(max_examples=60, deadline=None)


def tree_sparse(rng, bodies):
    """Mass matrix of a random tree at a random state: zero between coordinates that are on no common path to ground."""
    case = make_case(int(rng.integers(2**32)), bodies, massless=0.0)
    return ct.mass_matrix(case.system, case.state.q)


def sparse_rows(rng, m, n):
    """(m, n) rows, each with a few entries anywhere and at least one."""
    J = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.4)
    J[np.arange(m), rng.permutation(n)[:m] if m <= n else rng.integers(n, size=m)] += 1.5
    return J


def by_numpy(M, J, f, eta):
    """(v_dot, lam, condition) of the whole index-1 system; lam of least norm where rows depend."""
    n, m = len(M), len(J)
    K = np.block([[M, J.T], [J, np.zeros((m, m))]])
    if np.linalg.matrix_rank(J) < m:
        x = np.linalg.lstsq(K, np.concatenate([f, eta]), rcond=1e-12)[0]
        return x[:n], x[n:], 1e3
    return *np.split(np.linalg.solve(K, np.concatenate([f, eta])), [n]), np.linalg.cond(K)


def fast(M, J, f, eta, tolerance=1e-9, only_pivoting=False):
    """(v_dot, lam, rank, least) as `acceleration` goes about it: by independent rows, and by pivoting where that gives up."""
    L, A, v_dot, lam = M.copy(), J.copy(), np.empty(len(M)), np.empty(len(J))
    rank, least = by_independent_rows(L, A, f, eta, v_dot, lam)
    if only_pivoting:
        L, A = np.linalg.cholesky(M), weighed(M, J)
        v_dot, rank = np.linalg.solve(L, f), gives_up(M, J)
    assert agree(np.tril(L) @ np.tril(L).T, M)
    if rank == gives_up(M, J):
        rank, least = by_pivoting(L, A, eta, tolerance, v_dot, lam, -1), None
    return v_dot, lam, rank, least


def gives_up(M, J):
    """The status by which `by_independent_rows` says that rows depend."""
    return -len(J) - len(M) - 1


def weighed(M, J):
    """J L^-T with M = L L^T."""
    return np.ascontiguousarray(np.linalg.solve(np.linalg.cholesky(M), J.T).T)


def agree(x, y, condition=0.0):
    return np.abs(x - y).max(initial=0.0) <= max(1e-10, 1e-14 * condition) * max(1.0, np.abs(y).max(initial=0.0))


# -- the equations -------------------------------------------------------------------------------------------


@some
@given(SEEDS, st.integers(1, 9), st.floats(0.0, 0.7))
def test_independent_rows(seed, bodies, part):
    rng = np.random.default_rng(seed)
    M = tree_sparse(rng, bodies)
    n = len(M)
    J = sparse_rows(rng, int(part * n), n)
    f, eta = rng.standard_normal(n), rng.standard_normal(len(J))
    exact_v_dot, exact_lam, condition = by_numpy(M, J, f, eta)
    for only_pivoting in (False, True):
        v_dot, lam, rank, _ = fast(M, J, f, eta, only_pivoting=only_pivoting and len(J) > 0)
        assert rank == len(J)
        assert agree(v_dot, exact_v_dot, condition)
        assert agree(lam, exact_lam, condition)


@some
@given(SEEDS, st.integers(2, 9), st.integers(1, 4))
def test_dependent_rows(seed, bodies, more):
    """Combinations of rows, in any order: acceleration and constraint forces are those of NumPy's least squares."""
    rng = np.random.default_rng(seed)
    M = tree_sparse(rng, bodies)
    n = len(M)
    own = sparse_rows(rng, max(1, n // 2), n)
    mixed = rng.permutation(len(own) + more)
    J = (np.vstack([np.eye(len(own)), rng.standard_normal((more, len(own)))]) @ own)[mixed]
    f, eta = rng.standard_normal(n), J @ rng.standard_normal(n)
    v_dot, lam, rank, least = fast(M, J, f, eta, 1e-9)
    exact_v_dot, exact_lam, condition = by_numpy(M, J, f, eta)
    assert rank == np.linalg.matrix_rank(own) == len(own)
    assert least is None  # the fast way has recognised them
    condition = max(condition, np.linalg.cond(M) * np.linalg.cond(own))
    assert agree(v_dot, exact_v_dot, condition)
    assert agree(J.T @ lam, J.T @ exact_lam, condition)
    assert np.count_nonzero(lam) <= rank  # carried by the rows that pivoting chose


@pytest.mark.parametrize("spoil", ["zero", "twice", "short", "close"])
def test_what_the_fast_way_leaves_to_pivoting(spoil):
    rng = np.random.default_rng(7)
    M = tree_sparse(rng, 6)
    J = sparse_rows(rng, 4, len(M))
    J[2] = {"zero": 0.0 * J[2], "twice": -2.0 * J[1], "short": 1e-7 * J[2], "close": J[1] + 1e-5 * J[2]}[spoil]
    eta, f = J @ rng.standard_normal(len(M)), rng.standard_normal(len(M))
    L, A, v_dot, lam = M.copy(), J.copy(), np.empty(len(M)), np.empty(4)
    status, least = by_independent_rows(L, A, f, eta, v_dot, lam)
    assert (status, least) == (gives_up(M, J), 0.0)
    assert np.allclose(np.tril(L) @ np.tril(L).T, M, atol=1e-13 * np.abs(M).max())
    assert np.allclose(A @ np.tril(L).T, J, atol=1e-12)
    assert np.allclose(np.tril(L) @ v_dot, f, atol=1e-12)
    rank = by_pivoting(L, A, eta, 1e-9, v_dot, lam, -1)
    assert np.allclose(np.tril(L) @ np.tril(L).T, M, atol=1e-13 * np.abs(M).max())  # who asks for norms needs it
    assert rank == (3 if spoil in ("zero", "twice") else 4)
    assert np.allclose(J @ v_dot, eta, atol=1e-10)
    assert np.allclose(M @ v_dot + J.T @ lam, f, atol=1e-7 if rank == 4 else 1e-10)


def test_a_coordinate_without_inertia_is_named():
    M = np.diag([1.0, 2.0, 0.0])
    status, _ = by_independent_rows(M, np.ones((1, 3)), np.ones(3), np.ones(1), np.empty(3), np.empty(1))
    assert status == -3


# -- factors that skip zeros ---------------------------------------------------------------------------------


@some
@given(SEEDS, st.integers(1, 10))
def test_factors_and_triangular_solves(seed, bodies):
    rng = np.random.default_rng(seed)
    M = tree_sparse(rng, bodies)
    n = len(M)
    first, L = np.empty(n, np.int64), np.where(np.arange(n)[:, None] < np.arange(n), np.nan, M)  # never looks above
    put_starts(L, first)
    assert all(first[i] == i or (M[i, first[i]] != 0.0 and not M[i, : first[i]].any()) for i in range(n))
    assert cholesky_by_rows(L, first) == 0
    exact, factor = np.linalg.cholesky(M), L.copy()
    invert_diagonal(factor)
    assert np.allclose(np.tril(factor), exact, atol=1e-12 * np.abs(exact).max())
    start = int(rng.integers(n + 1))
    b = np.where(np.arange(n) < start, 0.0, rng.standard_normal(n))
    b[rng.integers(n) :] = 0.0
    x = b.copy()
    end = solve_down(L, first, x, start)
    assert agree(exact @ x, b, np.linalg.cond(exact))
    assert not x[:start].any()
    assert not x[end:].any()
    assert end == start or x[end - 1] != 0.0
    y = x.copy()
    solve_up(L, first, y)
    assert agree(exact.T @ y, x, np.linalg.cond(exact))


def test_rows_without_a_positive_pivot_are_named():
    A = np.array([[1.0, 0.0, 0.0], [0.0, 4.0, 0.0], [1.0, 2.0, 2.0]])
    first = np.empty(3, np.int64)
    put_starts(A, first)
    assert first.tolist() == [0, 1, 0]
    assert cholesky_by_rows(A, first) == 3  # 2 - 1 - 1


def test_zeros_that_arise_by_cancellation():
    """L = [[1, ., ., .], [1, 1, ., .], [0, 1, 1, .], [1, 0, 0, 1]]: from (1, 1, 0, 0) the second and third entry cancel."""
    L = np.array([[1.0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1]])
    first = np.array([0, 0, 1, 0])
    x = np.array([1.0, 1.0, 0.0, 0.0])
    assert solve_down(L, first, x, 0) == 4
    assert x.tolist() == [1.0, 0.0, 0.0, -1.0]
    x = np.array([1.0, 1.0, 0.0, 1.0])
    assert solve_down(L, first, x, 0) == 1  # all that follows has cancelled
    assert x.tolist() == [1.0, 0.0, 0.0, 0.0]
    M, J = L @ L.T, np.array([[1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
    f, eta = np.array([1.0, -2.0, 3.0, 0.5]), np.array([0.3, -0.7])
    v_dot, lam, rank, _ = fast(M, J, f, eta)
    exact = by_numpy(M, J, f, eta)
    assert rank == 2
    assert agree(v_dot, exact[0])
    assert agree(lam, exact[1])


# -- the least direction -------------------------------------------------------------------------------------


@some
@given(SEEDS, st.integers(2, 9), st.floats(-3.0, 0.0))
def test_least_singular_value(seed, bodies, exponent):
    """Inverse iteration comes from above: never below the least singular value, and not a factor of three above it."""
    rng = np.random.default_rng(seed)
    M = tree_sparse(rng, bodies)
    n = len(M)
    J = sparse_rows(rng, max(2, n // 2) if n > 2 else 1, n)
    if len(J) > 1:
        J[-1] = J[0] + 10.0**exponent * J[-1]  # near to dependent
    A = weighed(M, J)
    values, longest = np.linalg.svd(A)[1], np.linalg.norm(A, axis=1).max()
    exact = values[-1] / longest
    _, _, rank, least = fast(M, J, rng.standard_normal(n), np.zeros(len(J)), 1e-9)
    assert rank == len(J)
    if least is not None:
        assert exact * (1 - 1e-6) <= least <= 3.0 * exact
    beta, pivot = np.empty(len(J)), np.empty(len(J), np.int64)
    assert pivoted_qr(A, beta, pivot, 1e-9) == len(J)
    assert exact * (1 - 1e-6) <= least_direction(A, len(J)) <= 3.0 * exact


def test_trial_vectors_are_of_unit_length_and_without_zeros():
    for n in (1, 2, 7, 40):
        x = np.empty(n)
        put_trial_vector(x)
        assert np.linalg.norm(x) == pytest.approx(1.0, abs=1e-14)
        assert np.abs(x).min() > 0.01
        assert normalize(x) == pytest.approx(1.0, abs=1e-14)
    x = np.array([3.0, -4.0])
    assert normalize(x) == 5.0
    assert x == pytest.approx([0.6, -0.8], abs=1e-15)


# -- LU ------------------------------------------------------------------------------------------------------


@some
@given(SEEDS, st.integers(1, 14))
def test_lu(seed, n):
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    if n > 1:
        A[0, 0] = 0.0  # which asks for an exchange of rows
    F, pivot, x, y = A.copy(), np.empty(n, np.int64), b.copy(), b.copy()
    assert lu(F, pivot)
    solve_lu(F, pivot, x)
    solve_lu_transposed(F, pivot, y)
    condition = np.linalg.cond(A)
    assert agree(x, np.linalg.solve(A, b), condition)
    assert agree(y, np.linalg.solve(A.T, b), condition)
    assert np.abs(np.tril(F, -1)).max() <= 1.0  # partial pivoting


def test_lu_of_a_singular_matrix():
    assert not lu(np.array([[1.0, 2.0], [2.0, 4.0]]), np.empty(2, np.int64))
    assert not lu(np.zeros((3, 3)), np.empty(3, np.int64))
