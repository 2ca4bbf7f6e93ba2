"""Counts and their margins."""

import numpy as np
import pytest

import cotree as ct
from cotree import judge
from cotree.constraints.rank import count


def test_a_count_says_how_far_it_is_from_another_one():
    rank = count(np.array([2.0, 1e-3, 2e-11]), 1e-9)
    assert rank == 2
    assert rank.margin == pytest.approx(2.0)  # 2e-11 beside 2e-9
    assert count(np.zeros(0), 1e-9).margin == np.inf
    assert count(np.array([1.0, 0.0]), 1e-9).margin == pytest.approx(
        9.0
    )  # a zero is far away, the other is nine decades above


def test_mobility_has_the_margin_of_its_rank():
    four_bar = ct.gallery.four_bar()
    s = np.linalg.svd(_unit_columns(four_bar), compute_uv=False)
    tolerance = judge.REPORTED
    expected = np.abs(np.log10(np.maximum(s, judge.TINY) / tolerance)).min()
    assert ct.mobility(four_bar).margin == pytest.approx(expected, rel=1e-3)


def _unit_columns(mech):
    from cotree.constraints.measured_rank import scaled_jacobian
    from cotree.constraints.rank import unit_columns

    system = mech.compiled()
    return unit_columns(scaled_jacobian(system, system.q0, 0.0)[0])


def test_each_tolerance_has_its_reason():
    names = [n for n, x in vars(judge).items() if n.isupper() and isinstance(x, float)]
    assert len(names) > 20
    assert [n for n in names if f"| `{n}` |" not in (judge.__doc__ or "")] == []


def test_one_instant():
    times = np.array([0.0, 1e-13, 1e-11, 1e3])
    assert judge.same_instant(times, np.array([0.0, 0.0, 0.0, 1e3 + 1e-10])).tolist() == [True, True, False, True]


def test_rest_is_relative_to_the_fastest():
    assert judge.slowest(np.array([0.1, -0.2])) == judge.AT_REST
    assert judge.slowest(np.array([3.0, -200.0])) == 200.0 * judge.AT_REST
