"""Curves given by points, for springs, dampers and motors: smooth between the points, straight beyond them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ForceError
from cotree.model.checks import fixed, floats, shown

Array = NDArray[np.float64]
MOST = 32  # points of a curve


def curve(points: Any, what: str, who: str) -> Array:
    """(n, 2): pairs (x, y) with x increasing, from a list of pairs or an (n, 2) array."""
    a = floats(points)
    if a is None or a.ndim != 2 or a.shape[1] != 2 or not 2 <= len(a) <= MOST or not np.isfinite(a).all():
        raise ForceError(f"{who}: {what} must be a table of 2 to {MOST} pairs of finite numbers, got {shown(points)}")
    if not np.all(np.diff(a[:, 0]) > 0.0):
        raise ForceError(f"{who}: the first column of {what} must increase from row to row; sort the table")
    return fixed(a)


def passes_zero(points: Array, what: str, who: str) -> Array:
    """The curve of a damper: it must oppose the motion, which y of the sign of x does."""
    if np.any(points[:, 0] * points[:, 1] < 0.0):
        raise ForceError(f"{who}: {what} must not drive the motion: give forces of the sign of the rate")
    return points


def slopes(points: Array) -> Array:
    """Slopes at the points of the cubic that is monotone wherever the points are."""
    if len(points) == 2:
        return np.full(2, np.diff(points[:, 1])[0] / np.diff(points[:, 0])[0])
    from scipy.interpolate import PchipInterpolator

    return np.asarray(PchipInterpolator(points[:, 0], points[:, 1]).derivative()(points[:, 0]))
