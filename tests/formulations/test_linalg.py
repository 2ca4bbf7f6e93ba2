"""Small dense factorizations against NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotree.formulations.linalg import (
    apply_q,
    apply_q_transposed,
    cholesky,
    pivoted_qr,
    solve_lower,
    solve_lower_transposed,
)

SIZES = [(3, 5, 3), (5, 3, 2), (5, 8, 3), (4, 4, 4), (1, 3, 1), (6, 3, 3), (4, 6, 0)]


def matrix_of_rank(rng, m, n, r):
    return rng.standard_normal((m, r)) @ rng.standard_normal((r, n))


@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_cholesky_and_triangular_solves(n, seed):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, n))
    A = B @ B.T + 0.1 * np.eye(n)
    L, x = A.copy(), rng.standard_normal(n)
    assert cholesky(L) == 0
    assert np.allclose(np.tril(L) @ np.tril(L).T, A, atol=1e-12 * np.abs(A).max())
    y = x.copy()
    solve_lower(L, y)
    assert np.allclose(np.tril(L) @ y, x, atol=1e-9)
    solve_lower_transposed(L, y)
    assert np.allclose(A @ y, x, atol=1e-8)


def test_cholesky_names_the_row_that_is_not_positive():
    assert cholesky(np.diag([1.0, 2.0, 0.0, 3.0])) == 3
    assert cholesky(np.diag([1.0, -2.0])) == 2
    assert cholesky(np.array([[np.nan]])) == 1


@pytest.mark.parametrize(("m", "n", "r"), SIZES)
def test_pivoted_qr(m, n, r):
    rng = np.random.default_rng(m * n + r)
    A = matrix_of_rank(rng, m, n, r)
    F, beta, pivot = A.copy(), np.zeros(min(m, n)), np.zeros(m, np.int64)
    rank = pivoted_qr(F, beta, pivot, 1e-10)
    assert rank == r
    Q = np.eye(n)
    for row in Q:
        apply_q(F, beta, rank, row)  # rows of Q^T
    R = np.array([[F[j, i] if i <= j else 0.0 for j in range(m)] for i in range(rank)]).reshape(rank, m)
    assert np.allclose(Q @ Q.T, np.eye(n), atol=1e-14)
    assert np.allclose(Q[:rank].T @ R, A[pivot].T, atol=1e-13)
    assert np.all(np.diff(np.abs(np.diag(R))) <= 1e-12)
    x = rng.standard_normal(n)
    y = x.copy()
    apply_q_transposed(F, beta, rank, y)
    assert np.allclose(y, Q @ x, atol=1e-14)
