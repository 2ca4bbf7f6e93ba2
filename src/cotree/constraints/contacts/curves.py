"""Closed plane curves in the records of contacts: periodic cubic splines through points, counted by u from 0 to their number.

Piece k is x(k + s) = c0 + c1 s + c2 s^2 + c3 s^3 with s from 0 to 1, in a plane of body a with the origin o and axes e1,
e2; the curve runs around e1 x e2 as a right-hand screw, so that (y', -x') points out of what it encloses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.moving import along_a, on_a
from cotree.engine.kernel import kernel
from cotree.errors import ShapeError
from cotree.lie.storage import vec
from cotree.lie.vec3 import add, axpy, scale
from cotree.model.contact_shapes import Profile
from cotree.model.joints import axis_frame

Array = NDArray[np.float64]
MOST_PIECES = 512
SAMPLES = 256  # at least, that are looked at for the nearest point
STEPS = 60  # of Newton's method within brackets
CURVE = [
    ("origin", "f8", 3), ("e1", "f8", 3), ("e2", "f8", 3), ("pieces", "i8"), ("fine", "i8"),
    ("c", "f8", (MOST_PIECES, 8)),
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Curve:
    """Frame (4, 4) whose third axis the curve runs around, and coefficients (pieces, 8): of x, then of y."""

    frame: Array
    pieces: Array


def curve_of(profile: Profile, who: str) -> Curve:
    """The spline of a profile."""
    points = np.array(profile.points)
    if len(points) > MOST_PIECES:
        raise ShapeError(f"{who}: the profile has {len(points)} points; give at most {MOST_PIECES}, or a function")
    frame = axis_frame(points.mean(axis=0), np.array(profile.axis))
    flat = (points - frame[:3, 3]) @ frame[:3, :2]
    ahead = np.roll(flat, -1, axis=0)
    if np.sum(flat[:, 0] * ahead[:, 1] - flat[:, 1] * ahead[:, 0]) < 0.0:
        flat = flat[::-1]
    return Curve(frame, _spline(flat, who))


def _spline(flat: Array, who: str) -> Array:
    from scipy.interpolate import CubicSpline

    closed = np.vstack([flat, flat[:1]])
    steps = np.linalg.norm(np.diff(closed, axis=0), axis=1)
    if steps.min() <= 1e-9 * steps.sum():
        raise ShapeError(f"{who}: two neighbouring points of the profile are the same; leave one out")
    spline = CubicSpline(np.append(0.0, np.cumsum(steps)), closed, bc_type="periodic")
    powers = spline.c[::-1] * steps[:, None] ** np.arange(4)[:, None, None]  # (4, pieces, 2)
    return np.ascontiguousarray(np.moveaxis(powers, 0, 2).reshape(len(flat), 8))


def curvatures(curve: Curve) -> Array:
    """Of the curve, at eight points of each piece, positive where what it encloses is round."""
    s = np.arange(8)[:, None] / 8.0
    x, y = curve.pieces[:, :4].T, curve.pieces[:, 4:].T
    x1, y1 = (c[1] + s * (2.0 * c[2] + 3.0 * s * c[3]) for c in (x, y))
    x2, y2 = (2.0 * c[2] + 6.0 * s * c[3] for c in (x, y))
    return np.asarray((x1 * y2 - y1 * x2) / np.hypot(x1, y1) ** 3).ravel()


def fill_curve(curve: Curve, body: str, x: Any, place: Any) -> None:
    """What describes the curve of body a."""
    x["origin"] = place.point(body, curve.frame[:3, 3])
    x["e1"], x["e2"] = place.direction(body, curve.frame[:3, 0]), place.direction(body, curve.frame[:3, 1])
    x["pieces"], x["fine"] = len(curve.pieces), -(-SAMPLES // len(curve.pieces))
    x["c"][: len(curve.pieces)] = curve.pieces
    x["e"] = place.direction(body, curve.frame[:3, 2])


@kernel
def curve_at(x, u):
    """Position, first and second derivative at u, in the plane."""
    whole = np.floor(u)
    s, k = u - whole, int(whole) % x.pieces
    c = x.c[k]
    return (
        (c[0] + s * (c[1] + s * (c[2] + s * c[3])), c[4] + s * (c[5] + s * (c[6] + s * c[7]))),
        (c[1] + s * (2.0 * c[2] + 3.0 * s * c[3]), c[5] + s * (2.0 * c[6] + 3.0 * s * c[7])),
        (2.0 * c[2] + 6.0 * s * c[3], 2.0 * c[6] + 6.0 * s * c[7]),
    )


@kernel
def least(x, px, py, linear):
    """u where the distance from the point p is least, or, linear, where p . y is."""
    step, best, first = 1.0 / x.fine, 0, np.inf
    for i in range(x.pieces * x.fine):
        y = curve_at(x, i * step)[0]
        value = px * y[0] + py * y[1] if linear else (y[0] - px) * (y[0] - px) + (y[1] - py) * (y[1] - py)
        if value < first:
            best, first = i, value
    low, high, u = (best - 1) * step, (best + 1) * step, best * step
    for _ in range(STEPS):
        slope, bend = _slope(x, u, px, py, linear)
        if slope > 0.0:
            high = u
        else:
            low = u
        ahead = u - slope / bend if bend > 0.0 else 0.5 * (low + high)
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        done = abs(ahead - u) <= 1e-15 * (1.0 + abs(u)) or slope == 0.0
        u = ahead if slope != 0.0 else u
        if done:
            break
    return u


@kernel
def _slope(x, u, px, py, linear):
    """First and second derivative of what `least` looks for."""
    y, d, dd = curve_at(x, u)
    if linear:
        return px * d[0] + py * d[1], px * dd[0] + py * dd[1]
    return (y[0] - px) * d[0] + (y[1] - py) * d[1], d[0] * d[0] + d[1] * d[1] + (y[0] - px) * dd[0] + (y[1] - py) * dd[
        1
    ]


@kernel
def in_plane(x, work, a, b):
    """The vector a e1 + b e2."""
    return add(scale(a, along_a(x, work, vec(x.e1))), scale(b, along_a(x, work, vec(x.e2))))


@kernel
def point_in_plane(x, work, y):
    """Where a point of the curve is."""
    return axpy(1.0, in_plane(x, work, y[0], y[1]), on_a(x, work, vec(x.origin)))
