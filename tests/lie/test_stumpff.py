"""Stumpff functions against their series with 50 digits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cotree.engine.choosing import select
from cotree.engine.kernel import kernel
from cotree.lie.stumpff import SERIES_LIMIT, curvatures, slopes, stumpff_5, stumpff_7

from . import cases, reference
from .reference import EPS, error

ANGLES = (*cases.ALL, *(cases.PI * (1 + s * 10.0**-k) for k in (8, 10, 14, 16) for s in (-1, 1)), 50.0)
TOLERANCE = 8  # the worst is c_7 just above the switch, by two subtractions that each lose a bit


@cases.at(ANGLES, "theta")
def test_each_coefficient_has_full_relative_accuracy(theta):
    """But for c_1 near its zeros: there sin(theta) / theta is as accurate as 1 / theta."""
    for k, c in enumerate(stumpff_7(theta, theta * theta), 1):
        expected = reference.stumpff(k, theta)
        size = max(abs(expected), 1 / max(1.0, theta)) if k == 1 else abs(expected)
        assert error(c, expected, size) <= TOLERANCE, f"c_{k}"


@cases.at(ANGLES, "theta")
def test_the_short_form_gives_the_same_numbers(theta):
    assert stumpff_5(theta, theta * theta) == stumpff_7(theta, theta * theta)[:5]


@cases.at(ANGLES, "theta")
def test_slopes_and_curvatures(theta):
    """Errors count against the envelope of each, which decays like these powers: they have zeros.

    The second derivative of c_3 is an eighth of its terms near pi; without fused products that costs 24 EPS there.
    In d2dexp it meets larger terms, which hide it.
    """
    t = max(1.0, theta / 2)
    x = theta * theta
    found = (*slopes(x, stumpff_5(theta, x)), *curvatures(theta, x, stumpff_7(theta, x)))
    for value, k, order, decay in zip(found, (2, 3, 2, 3), (1, 1, 2, 2), (3, 4, 4, 5), strict=True):
        expected = reference.stumpff(k, theta, order)
        size = max(abs(expected), abs(reference.stumpff(k, 0.0, order)) / t**decay)
        assert error(value, expected, size) <= 16 * order, f"derivative {order} of c_{k}"


def test_both_branches_are_among_the_angles():
    below = {theta * theta < SERIES_LIMIT for theta in cases.SWITCH}
    assert below == {True, False}
    assert cases.PI**2 == SERIES_LIMIT


@cases.properties
@given(st.floats(0, 40))
def test_recursion(theta):
    x = theta * theta
    c = stumpff_7(theta, x)
    for k, factorial in zip(range(1, 6), (1, 2, 6, 24, 120), strict=True):
        assert abs(c[k - 1] - (1 / factorial - x * c[k + 1])) <= 4 * EPS / factorial


def test_nan_stays_nan():
    c = stumpff_7(np.nan, np.nan)
    assert np.isnan((*c, *slopes(np.nan, c), *curvatures(np.nan, np.nan, c))).all()


@kernel
def chosen(condition, a, b):
    return select(condition, a, b)


def test_select():
    assert chosen(True, 1.0, 2.0) == 1.0
    assert chosen(False, 1.0, 2.0) == 2.0
