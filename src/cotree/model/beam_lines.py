"""The line of a beam as drawn: points, tangents and axes of the section at its nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from cotree.errors import ShapeError
from cotree.model.checks import floats, shown, unit

Array = NDArray[np.float64]
DEGREE = 12  # of the polynomial that follows a curve within an element
APART = 1e-6  # m, and parts of the length: how far the ends of a curve may be off
UPRIGHT = 0.99  # cosine to the vertical from which on the section's y axis is the world's


def line(start: Array, end: Array, elements: int, given: Any, who: str) -> tuple[Array, Array]:
    """(points, unit tangents) (elements + 1, 3) at equal parts of a curve's parameter; given: None for a straight line, a
    function of s from 0 to 1, or points (n, 3) that a smooth curve goes through."""
    if given is None:
        e = unit(end - start, "the line from start to end", who)
        return start + np.linspace(0.0, 1.0, elements + 1)[:, None] * (end - start), np.tile(e, (elements + 1, 1))
    points, slopes = _of_function(given, elements, who) if callable(given) else _of_points(given, elements, who)
    size = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    for x, end_of, what in ((points[0], start, "start"), (points[-1], end, "end")):
        if not np.linalg.norm(x - end_of) <= APART * (1.0 + size):
            raise ShapeError(
                f"{who}: its curve is at {x.tolist()} where {what} is {end_of.tolist()}; let the two agree"
            )
    return points, np.array([unit(d, "the tangent of the curve", who) for d in slopes])


def _of_function(curve: Callable[[float], Any], elements: int, who: str) -> tuple[Array, Array]:
    """Points and slopes, by a polynomial of high degree in each element."""
    points, slopes = np.empty((elements + 1, 3)), np.empty((elements + 1, 3))
    places = chebyshev.chebpts2(DEGREE + 1)
    for k in range(elements):
        a, b = k / elements, (k + 1) / elements
        x = np.array([_point(curve(float(s)), who) for s in 0.5 * (a + b) + 0.5 * (b - a) * places])
        x[0], x[-1] = _point(curve(a), who), _point(curve(b), who)
        d = chebyshev.chebder(chebyshev.chebfit(places, x, DEGREE))
        points[k], points[k + 1] = x[0], x[-1]
        slopes[k], slopes[k + 1] = (chebyshev.chebval(s, d) * 2.0 * elements for s in (-1.0, 1.0))
    return points, slopes


def _point(value: Any, who: str) -> Array:
    x = floats(value)
    if x is None or x.shape != (3,) or not np.isfinite(x).all():
        raise ShapeError(f"{who}: its curve gives {shown(value)}; it must give points of three finite numbers")
    return x


def _of_points(given: Any, elements: int, who: str) -> tuple[Array, Array]:
    x = floats(given)
    if x is None or x.ndim != 2 or x.shape[1:] != (3,) or len(x) < 3 or not np.isfinite(x).all():
        raise ShapeError(
            f"{who}: curve must be a function of s from 0 to 1, or three points or more, got {shown(given)}"
        )
    from scipy.interpolate import CubicSpline  # slow to load

    chords = np.linalg.norm(np.diff(x, axis=0), axis=1)
    if not np.all(chords > 0.0):
        raise ShapeError(f"{who}: two points of its curve that follow each other coincide; leave one out")
    spline = CubicSpline(np.append(0.0, np.cumsum(chords)) / chords.sum(), x)
    s = np.linspace(0.0, 1.0, elements + 1)
    return np.asarray(spline(s)), np.asarray(spline(s, 1))


def section_frames(points: Array, tangents: Array, y_axis: Any, who: str) -> Array:
    """(n, 4, 4): x along the tangents; y as given, as far as it is normal to them, or carried along without twist."""
    frames = np.zeros((len(points), 4, 4))
    frames[:, 3, 3], frames[:, :3, 3] = 1.0, points
    y = _first_y(tangents[0]) if y_axis is None else unit(y_axis, "y_axis", who)
    for k, e in enumerate(tangents):
        if k and y_axis is None:
            y = _carried(tangents[k - 1], e, y)
        side = y - (y @ e) * e
        if np.linalg.norm(side) < 1e-3:
            raise ShapeError(f"{who}: y_axis is along the beam; give a direction across it")
        side = side / np.linalg.norm(side)
        frames[k, :3, :3] = np.column_stack([e, side, np.cross(e, side)])
    return frames


def _first_y(e: Array) -> Array:
    """Horizontal, so that z of the section is up as far as it can be; of an upright beam the world's y axis."""
    return np.array((0.0, 1.0, 0.0)) if abs(e[2]) > UPRIGHT else np.array((-e[1], e[0], 0.0))


def _carried(before: Array, after: Array, y: Array) -> Array:
    """y turned with the tangent, about the axis that is normal to both."""
    axis, cosine = np.cross(before, after), float(before @ after)
    if cosine < -UPRIGHT:
        return y
    turned: Array = y + np.cross(axis, y) + np.cross(axis, np.cross(axis, y)) / (1.0 + cosine)
    return turned
