"""Bounds of numbers that are sought, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ArgumentError, ShapeError
from cotree.model.checks import floats, shown
from cotree.model.mechanism import nearest

Array = NDArray[np.float64]


def bounds_of(bounds: Any, names: tuple[str, ...], begin: Array) -> tuple[Array, Array]:
    """(lower, upper) of all names, infinite where none are given; what they begin with must lie between."""
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    if bounds is None:
        return low, high
    if not isinstance(bounds, Mapping):
        raise ArgumentError(f"bounds is {shown(bounds)}; give (lower, upper) by name, as a dict")
    for name, pair in bounds.items():
        if name not in names:
            raise ArgumentError(f"bounds: there is no parameter {shown(name)}{nearest(name, names)}")
        k, x = names.index(name), floats(pair)
        if x is None or x.shape != (2,) or np.isnan(x).any() or not x[0] < x[1] or not x[0] <= begin[k] <= x[1]:
            raise ShapeError(
                f"bounds of {name!r} are {shown(pair)}; give (lower, upper) with its first value, {begin[k]:g}, between them"
            )
        low[k], high[k] = x
    return low, high
