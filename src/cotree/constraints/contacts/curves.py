"""Closed plane curves in the records of contacts: periodic splines through points, counted by u from 0 to their number.

Piece k is x(k + s) = c0 + c1 s + ... + c5 s^5 with s from 0 to 1, in a plane of body a with the origin o and axes e1, e2; the
curve runs around e1 x e2 as a right-hand screw, so that (y', -x') points out of what it encloses.
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
ENOUGH = 12  # points, for a spline of the fifth degree
EVEN = 0.1  # neighbouring distances of even points differ by less than this part
_EXPONENTS = np.arange(6)[:, None, None]
STEPS = 60  # of Newton's method within brackets
CURVE = [
    ("origin", "f8", 3), ("e1", "f8", 3), ("e2", "f8", 3), ("pieces", "i8"), ("fine", "i8"),
    ("c", "f8", (MOST_PIECES, 12)),
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Curve:
    """Frame (4, 4) whose third axis the curve runs around, and coefficients (pieces, 12): six of x, then of y."""

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
    """Of the fifth degree where there are points enough; by number where these are evenly spaced, else by distance."""
    from scipy.interpolate import make_interp_spline

    closed = np.vstack([flat, flat[:1]])
    steps = np.linalg.norm(np.diff(closed, axis=0), axis=1)
    if steps.min() <= 1e-9 * steps.sum():
        raise ShapeError(f"{who}: two neighbouring points of the profile are the same; leave one out")
    ratio, degree = steps / np.roll(steps, 1), 5 if len(flat) >= ENOUGH else 3
    lengths = np.ones(len(flat)) if np.abs(np.log(ratio)).max() < EVEN else steps
    spline = make_interp_spline(np.append(0.0, np.cumsum(lengths)), closed, k=degree, bc_type="periodic")
    knots = np.append(0.0, np.cumsum(lengths))[:-1]
    powers = np.zeros((6, len(flat), 2))
    for k, factorial in zip(range(degree + 1), (1, 1, 2, 6, 24, 120), strict=False):
        powers[k] = spline.derivative(k)(knots) / factorial if k else spline(knots)
    return np.ascontiguousarray(np.moveaxis(powers * lengths[:, None] ** _EXPONENTS, 0, 2).reshape(len(flat), 12))


def curvatures(curve: Curve) -> Array:
    """Of the curve, at eight points of each piece, positive where what it encloses is round."""
    s = np.arange(8)[:, None] / 8.0
    (x1, x2), (y1, y2) = (_rates(curve.pieces[:, own].T, s) for own in (slice(0, 6), slice(6, 12)))
    return np.asarray((x1 * y2 - y1 * x2) / np.hypot(x1, y1) ** 3).ravel()


def _rates(c: Array, s: Array) -> tuple[Array, Array]:
    """First and second derivative of polynomials."""
    k = np.arange(6)
    first = np.array(sum(k[i] * c[i] * s ** (i - 1) for i in range(1, 6)))
    return first, np.array(sum(k[i] * (k[i] - 1) * c[i] * s ** (i - 2) for i in range(2, 6)))


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
        (_value(c, 0, s), _value(c, 6, s)),
        (_first(c, 0, s), _first(c, 6, s)),
        (_second(c, 0, s), _second(c, 6, s)),
    )


@kernel
def _value(c, i, s):
    return c[i] + s * (c[i + 1] + s * (c[i + 2] + s * (c[i + 3] + s * (c[i + 4] + s * c[i + 5]))))


@kernel
def _first(c, i, s):
    return c[i + 1] + s * (2.0 * c[i + 2] + s * (3.0 * c[i + 3] + s * (4.0 * c[i + 4] + s * 5.0 * c[i + 5])))


@kernel
def _second(c, i, s):
    return 2.0 * c[i + 2] + s * (6.0 * c[i + 3] + s * (12.0 * c[i + 4] + s * 20.0 * c[i + 5]))


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
