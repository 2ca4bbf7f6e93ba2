"""Curves of tables, written into records for the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.curves import slopes


def put_curve(c: Any, points: NDArray[np.float64] | None) -> None:
    """Write a curve into its record; None for none."""
    if points is None:
        return
    n, m = len(points), slopes(points)
    x, y = points.T
    h = np.diff(x)
    pieces = h * (y[1:] + y[:-1]) / 2.0 + h**2 * (m[:-1] - m[1:]) / 12.0
    c["n"], c["x"][:n], c["y"][:n], c["m"][:n] = n, x, y, m
    c["s"][1:n] = np.cumsum(pieces)
