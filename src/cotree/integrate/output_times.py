"""Times at which a run reports its state: as they were asked for, an array, a number of rows, a period or "steps"."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ChoiceError, RunWarning, ShapeError
from cotree.integrate.checks.run_warnings import warning
from cotree.judge import ROUNDING
from cotree.model.checks import floats, shown

Array = NDArray[np.float64]
MOST_NUMBERS = 1e9  # in all rows of output: 8 GB


def output_times(begin: float, end: float, output: Any, width: int) -> Array:
    """Output times, ascending; none for each step. width: numbers in a row."""
    if isinstance(output, str):
        if output != "steps":
            raise ChoiceError(
                f"output is {shown(output)}; give an array of times, a number of rows, a period in seconds, or 'steps'"
            )
        return np.zeros(0)
    if output is None or isinstance(output, (int, np.integer)):
        count = 201 if output is None else int(output)
        if count < 2:
            raise ShapeError(f"output is {shown(output)}; give two rows or more")
        _check_rows(output, count, width)
        return np.linspace(begin, end, count)
    given = floats(output)
    if given is None or not np.isfinite(given).all():
        raise ShapeError(
            f"output is {shown(output)}; give an array of times in seconds, a number of rows, a period, or 'steps'"
        )
    if given.ndim == 0:
        return _every(float(given), begin, end, width)
    return _within(np.unique(given), begin, end)


def _within(times: Array, begin: float, end: float) -> Array:
    """The times of a run among those asked for; what differs from its ends by rounding is meant to be there."""
    inside = times[_is_within(times, begin, end)]
    if not len(inside):
        raise ShapeError(f"there is no output time between {begin:g} and {end:g} s")
    return np.unique(np.clip(inside, begin, end))


def _is_within(times: Array, begin: float, end: float) -> NDArray[np.bool_]:
    slack = ROUNDING * max(abs(begin), abs(end))
    return (times >= begin - slack) & (times <= end + slack)


def outside(begin: float, end: float, output: Any) -> list[RunWarning]:
    """What to say of output times that are not those of the run."""
    times = None if output is None or isinstance(output, str) else floats(output)
    if times is None or times.ndim == 0:
        return []
    left = int(np.count_nonzero(~_is_within(times, begin, end)))
    if not left:
        return []
    text = f"{left} of the {times.size} output times are not between {begin:g} and {end:g} s, and have no row"
    return [warning("input", text)]


def _check_rows(output: Any, rows: float, width: int) -> None:
    """Refuse more rows than memory has room for, before they are made."""
    if rows * width > MOST_NUMBERS:
        raise ShapeError(
            f"output is {shown(output)}: too many rows of {width} numbers for the memory; give "
            f"{MOST_NUMBERS / width:.0e} "
            "rows or fewer"
        )


def _every(period: float, begin: float, end: float, width: int) -> Array:
    """Times from begin on, one every period, and the end."""
    if not 0.0 < period <= end - begin:
        raise ShapeError(
            f"output is {period!r}, a period in seconds, which must be positive and no longer than the run, {end - begin:g} s; "
            "for a number of rows give an integer, for one time a list"
        )
    _check_rows(period, (end - begin) / period, width)
    times = begin + period * np.arange(int(np.floor((end - begin) / period * (1.0 + 1e-12))) + 1)
    times = times[times < end - 1e-9 * period]
    return np.append(times, end)
