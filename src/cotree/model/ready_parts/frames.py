"""Directions of parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ModelError
from cotree.model.checks import vector

Array = NDArray[np.float64]


def line(point_a: Any, point_b: Any, who: str) -> tuple[Array, Array, Array, float]:
    """Both points, the direction from one to the other, and their distance."""
    a, b = vector(point_a, "point_a", who), vector(point_b, "point_b", who)
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        raise ModelError(f"{who}: both points are at {tuple(a.tolist())}; give two different points")
    return a, b, (b - a) / length, length


def across(direction: Array) -> Array:
    """A direction perpendicular to one."""
    least = np.eye(3)[int(np.argmin(np.abs(direction)))]
    found = np.cross(direction, least)
    return np.asarray(found / np.linalg.norm(found))


def positive(value: float, what: str, who: str) -> float:
    """A number that must be positive."""
    if not value > 0.0:
        raise ModelError(f"{who}: {what} is {value:g}; it must be positive")
    return value
