"""Lanes: the same kernels on several numbers at once, beside NumPy."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from cotree.engine.choosing import every, select
from cotree.engine.interpreted import INTERPRETED
from cotree.engine.kernel import kernel
from cotree.engine.lane_records import _seen_as, aligned_zeros, lane_dtype, lane_rows_of, lane_vector
from cotree.engine.lane_type import LANES, count, lanes_t
from cotree.engine.records import address_of, array_t, arrays, opener, put_array, record

pytestmark = pytest.mark.skipif(INTERPRETED, reason="lanes are compiled")

row_t = np.dtype([("S", "f8", 6), ("d", "f8")], align=True)
given_t = arrays("x", "y", "rows")
given_at, rows_at = opener(given_t), lane_rows_of(row_t)


class Given:
    """Arrays x and y of n lanes each, and a table of lanes."""

    def __init__(self, n, rows=1):
        self.x, self.y = (aligned_zeros(n * LANES, float).reshape(n, LANES) for _ in range(2))
        self.rows, self.record = aligned_zeros(rows, lane_dtype(row_t)), record(given_t)
        for name in ("x", "y", "rows"):
            put_array(self.record[name], getattr(self, name))
        self.here = address_of(self.record)


@kernel
def _functions(here, which):
    g = given_at(here)
    x, y = lane_vector(g.x), lane_vector(g.y)
    for i in range(x.size):
        if which == 0:
            y[i] = np.sin(x[i])
        elif which == 1:
            y[i] = np.cos(x[i])
        elif which == 2:
            y[i] = np.sqrt(abs(x[i]))
        elif which == 3:
            y[i] = np.arctan2(x[i], 0.5)
        elif which == 4:
            y[i] = np.rint(x[i])
        elif which == 5:
            y[i] = -x[i] / 3.0 + (x[i] - 1.0) * 2 - (+x[i])
        elif which == 6:
            y[i] = np.exp(-abs(x[i]) / 10.0)
        else:
            y[i] = select(x[i] > 1.0, x[i], select(x[i] <= -1.0, -1.0, 0.5 * x[i]))


ANGLES = (
    0.0,
    -0.0,
    1e-300,
    1e-9,
    0.1,
    np.pi / 4,
    np.pi / 2,
    1.6,
    np.pi,
    4.0,
    3 * np.pi / 2,
    2 * np.pi,
    100.0,
    9.9e5,
    1.1e6,
    1e15,
)
FUNCTIONS = (
    np.sin, np.cos, lambda x: np.sqrt(abs(x)), lambda x: np.arctan2(x, 0.5), np.rint, lambda x: -x / 3 + (x - 1) * 2 - x,
    lambda x: np.exp(-abs(x) / 10.0),
    lambda x: np.where(x > 1, x, np.where(x <= -1, -1.0, 0.5 * x)),
)  # fmt: skip


@pytest.mark.parametrize("which", range(len(FUNCTIONS)))
def test_functions_of_lanes_are_those_of_numbers(which):
    values = np.concatenate([ANGLES, np.negative(ANGLES), 30.0 * np.random.default_rng(3).standard_normal(96)])
    g = Given(len(values) // LANES)
    g.x[:] = values.reshape(-1, LANES)
    _functions(g.here, which)
    expected = FUNCTIONS[which](g.x)
    assert np.abs(g.y - expected).max() <= 2e-16 * max(1.0, np.abs(expected).max())
    assert np.abs(g.y / np.where(expected == 0, 1.0, expected) - (expected != 0)).max() < 1e-15


def test_a_lane_does_not_depend_on_its_neighbours():
    """A lane beyond the range of the reduction, or one that is no number, leaves the others as they are."""
    g = Given(2)
    g.x[:] = 0.7
    g.x[1, 0], g.x[1, 1] = 1e9, np.inf
    for which in (0, 1):
        _functions(g.here, which)
        assert (g.y[1, 2:] == g.y[0, 2:]).all()
        assert g.y[1, 0] == FUNCTIONS[which](1e9)
        assert np.isnan(g.y[1, 1])


@kernel
def _sum_of_fields(here):
    """Fields read and written, a number that becomes lanes, and a condition for all of them."""
    g = given_at(here)
    x, rows, total = lane_vector(g.x), rows_at(g.rows), 0.0
    for i in range(rows.size):
        row = rows[i]
        for k in range(6):
            row.S[k] = x[k] + i
            total += row.S[k]
        row.d = 2.0
        row.d, kept = row.d * total, row.d
        row.S[0] += kept
    lane_vector(g.y)[0] = total
    return every(total > 0.0), every(total >= 5.0)


def test_record_fields_of_lanes():
    g = Given(6, rows=3)
    g.x[:] = np.arange(6 * LANES).reshape(6, LANES) - 4.0
    everywhere, above = _sum_of_fields(g.here)
    total = 3 * g.x.sum(axis=0) + 6 * (0 + 1 + 2)
    assert (g.y[0] == total).all()
    assert g.rows["S"].shape == (3, 6, LANES)
    assert (g.rows["S"][2, 1] == g.x[1] + 2).all()
    assert (g.rows["S"][2, 0] == g.x[0] + 2 + 2.0).all()
    assert (g.rows["d"][2] == 2 * total).all()
    assert (everywhere, above) == (bool((total > 0).all()), bool((total >= 5).all()))


def test_every_is_false_where_one_lane_is():
    g = Given(6)
    g.x[:] = 1.0
    assert _sum_of_fields(g.here) == (True, True)
    g.x[:, LANES - 1] = -1.0
    assert _sum_of_fields(g.here) == (False, False)


def test_lanes_cannot_be_branched_on():
    @kernel
    def branches(here):
        x = lane_vector(given_at(here).x)
        return 1 if x[0] > 0.0 else 2

    with pytest.raises(TypingError):
        branches(Given(1).here)


def test_numbers_are_chosen_as_before():
    @kernel
    def chosen(x):
        return select(x > 1.0, x, 2.0 * x), every(x > 1.0)

    assert [chosen(x) for x in (3.0, 0.5)] == [(3.0, True), (1.0, False)]
    assert np.isnan(chosen(np.nan)[0])
    assert not chosen(np.nan)[1]


def test_lanes_begin_where_the_processor_wants_them():
    assert {aligned_zeros(n, float).ctypes.data % (8 * LANES) for n in range(1, 40)} == {0}
    assert array_t.itemsize == 24
    assert LANES in (2, 4, 8)


def test_their_number_can_be_asked_for(monkeypatch):
    for word, expected in (("0", 0), ("2", 2), ("8", 8)):
        monkeypatch.setenv("COTREE_LANES", word)
        assert count() == expected
    monkeypatch.setenv("COTREE_LANES", "many")
    assert count() in (4, 8)


def test_kernels_see_rows_as_long_as_they_are():
    plain, mixed = np.dtype([("a", "i8"), ("b", "i8", (2,))]), np.dtype([("a", "i8"), ("x", "f8", (3,))])
    for dtype, shared in ((plain, ()), (mixed, ()), (mixed, ("x",))):
        assert _seen_as(dtype, shared, lanes_t).size == lane_dtype(dtype, shared).itemsize
    assert lane_dtype(plain) is plain
    assert lane_dtype(mixed).itemsize % (8 * LANES) == 0
