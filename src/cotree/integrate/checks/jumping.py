"""Prescribed motions in Python that jump, or whose speed does, within a run: no force can do that, and the balance shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

HALVINGS = 40
REMAINS = 0.5  # part of the change over a row that is still there over an interval of nothing
CLOSE = 1e-7  # of the run: where slopes are found by differences
SLIGHT = 1e-6  # relative to all changes


def jumps_of(run: Run) -> Iterator[str]:
    """Words for each motion that jumps."""
    for who, motion in run.system.extra_rows.motions:
        if not motion.in_python or len(run.t) < 3:
            continue
        h = CLOSE * float(np.ptp(run.t))
        if motion.rate is None:
            slope, close = _slope(motion.value, h), 4.0 * h  # type: ignore[arg-type]
        else:
            slope, close = motion.rate, 0.0
        for what, f, least in (("", motion.value, 0.0), (" its speed", slope, close)):
            at = _jump(f, run.t, least)  # type: ignore[arg-type]
            if at is not None:
                yield f"{who} changes{what} at once at t = {at:.6g} s"
                break


def _slope(f: Callable[[float], float], h: float) -> Callable[[float], float]:
    return lambda t: (float(f(t + h)) - float(f(t))) / h


def _jump(f: Callable[[float], float], t: NDArray[np.float64], least: float) -> float | None:
    """Where a function of time jumps: in the row over which it changes most, the half that changes more, down to `least`."""
    try:
        values = np.array([float(f(x)) for x in t.tolist()])
        steps = np.abs(np.diff(values))
        k = int(np.argmax(steps))
        lo, hi, first = float(t[k]), float(t[k + 1]), float(steps[k])
        if not first > SLIGHT * float(np.abs(values).max()):
            return None
        for _ in range(HALVINGS):
            if hi - lo <= least:
                break
            mid = 0.5 * (lo + hi)
            a, b, c = float(f(lo)), float(f(mid)), float(f(hi))
            lo, hi = (lo, mid) if abs(b - a) >= abs(c - b) else (mid, hi)
        return hi if abs(float(f(hi)) - float(f(lo))) > REMAINS * first else None
    except Exception:  # a user function may end with the run
        return None
