"""The rank of the constraints: tolerances act as their table says, on either side of each."""

import numpy as np
import pytest

from cotree.constraints import rank
from cotree.judge import TOUCHING


@pytest.mark.parametrize(
    ("gap", "expected"), [(0.0, rank.DEPENDENT), (1e-12, rank.DEPENDENT), (2e-6, 1e-5), (1.0, rank.MOST)]
)
def test_the_tolerance_follows_the_gap(gap, expected):
    """Gaps count in parts of the system's length, here 2 m."""
    assert rank.rank_tolerance(np.array([0.0, -gap]), 2.0) == pytest.approx(expected, rel=1e-12)


def test_singular_values_count_relative_to_the_largest():
    s = 50.0 * np.array([1.0, 2e-9, 0.5e-9])
    assert rank.count(s) == 2
    assert rank.count(s, tolerance=1e-10) == 3
    assert rank.count(1e-12 * s, least=1.0) == 0
    assert rank.count(np.zeros(3)) == 0
    assert rank.count(np.zeros(0)) == 0


def test_reports_call_rows_dependent_that_gaps_alone_keep_apart():
    s = np.array([1.0, 2e-7, 0.5e-7])
    assert rank.reported(s, gap=0.0) == 2
    assert rank.reported(s, gap=1e-9) == 1
    assert rank.reported(s, gap=0.0, tolerance=TOUCHING) == 1


def test_rows_of_rounding_are_not_scaled_up():
    J = np.array([[3.0, 4.0], [0.0, 1e-13], [0.0, 0.0]])
    np.testing.assert_array_equal(rank.unit_rows(J), [[0.6, 0.8], [0.0, 1e-13], [0.0, 0.0]])
    np.testing.assert_array_equal(rank.unit_columns(np.array([[2.0, 1e-8]])), [[1.0, 1e-8]])


def test_the_null_space_is_orthonormal_and_admissible():
    rng = np.random.default_rng(3)
    A = rng.standard_normal((3, 6))
    J = np.concatenate([A, 1e-9 * (A[:1] + A[1:2])])  # dependent, and small
    N = rank.null_space(J)
    assert N.shape == (6, 3)
    np.testing.assert_allclose(J @ N, 0.0, atol=1e-14)
    np.testing.assert_allclose(N.T @ N, np.eye(3), atol=1e-14)


def test_vanished_rows_are_measured_by_the_largest():
    np.testing.assert_array_equal(rank.sizes_or_largest(np.array([2.0, 1.0, 1e-10])), [2.0, 1.0, 2.0])
    np.testing.assert_array_equal(rank.sizes_or_largest(np.zeros(2), otherwise=0.7), [0.7, 0.7])
