"""Bearing surfaces of a solid: its cylindrical faces put together by axis, radius and side.

CAD programs cut a cylinder into two halves or more, and a hole goes through both ears of a fork: all one journal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.io.step.plain import CylinderFace

Array = NDArray[np.float64]
Interval = tuple[float, float]


@dataclass
class Journal:
    """Shaft (convex) or hole: axis through `point`; where along it there is a face; area of the faces."""

    point: Array
    axis: Array
    radius: float
    convex: bool
    intervals: list[Interval]
    area: float

    @property
    def turn(self) -> float:
        """How far round the faces go on average [rad]: a fillet a quarter turn, a bore all of it."""
        return self.area / (self.radius * max(length(self.intervals), 1e-300))

    def distance(self, points: Array) -> float:
        """Largest distance of points (n, 3) from the axis."""
        d = points - self.point
        return float(np.linalg.norm(d - np.outer(d @ self.axis, self.axis), axis=1).max())

    def along(self, points: Array) -> Array:
        """Where points (n, 3) are along the axis."""
        return (points - self.point) @ self.axis


def journals(faces: list[CylinderFace], tolerance: float) -> list[Journal]:
    """Journals of one solid."""
    found: list[Journal] = []
    for face in faces:
        ends = ends_of(np.array(face.point), np.array(face.axis), (face.low, face.high))
        for journal in found:
            same = journal.convex == face.convex and abs(journal.radius - face.radius) <= tolerance
            if same and journal.distance(ends) <= tolerance:
                low, high = sorted(journal.along(ends).tolist())
                journal.intervals = union([*journal.intervals, (low, high)])
                journal.area += face.area
                break
        else:
            own = [(face.low, face.high)]
            found.append(Journal(np.array(face.point), np.array(face.axis), face.radius, face.convex, own, face.area))
    return found


def ends_of(point: Array, axis: Array, interval: Interval) -> Array:
    """The two ends of an interval of an axis, (2, 3)."""
    return point + np.outer(interval, axis)


def union(intervals: list[Interval]) -> list[Interval]:
    """The same points in intervals that do not overlap, ascending."""
    found: list[Interval] = []
    for low, high in sorted(intervals):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def length(intervals: list[Interval]) -> float:
    return sum(high - low for low, high in intervals)
