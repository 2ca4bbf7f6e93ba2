"""Screws of axes: Y = (e, p x e + h e), Reg (9); a translation is the screw of infinite pitch, (0, e)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import AxisError, NotFiniteError, ShapeError
from cotree.lie import cross

Array = NDArray[np.float64]


def _three(x: ArrayLike, what: str) -> Array:
    a = np.asarray(x, dtype=float)
    if a.shape != (3,):
        raise ShapeError(f"{what} takes three numbers, got shape {a.shape}")
    return a


def unit(axis: ArrayLike) -> Array:
    """Unit vector of an axis of any length, from the smallest to the largest double."""
    a = _three(axis, "an axis")
    largest = np.max(np.abs(a))
    if not np.isfinite(largest) or largest == 0.0:
        raise AxisError(f"axis {tuple(a.tolist())} has no direction; give a finite nonzero vector")
    a = a / largest
    return a / np.sqrt(a @ a)


def screw(axis: ArrayLike, point: ArrayLike, pitch: float = 0.0) -> Array:
    """Unit screw (e, p x e + h e) of an axis through a point, Reg (9); pitch h in metres a radian, infinite: (0, e)."""
    e, p = unit(axis), _three(point, "a point")
    if not np.all(np.isfinite(p)) or np.isnan(pitch):
        raise NotFiniteError(f"point {tuple(p.tolist())} and pitch {pitch} must be numbers")
    return np.concatenate([e, cross(p, e) + pitch * e]) if np.isfinite(pitch) else translation_screw(e)


def translation_screw(direction: ArrayLike) -> Array:
    """Unit screw (0, e) of a translation."""
    return np.concatenate([np.zeros(3), unit(direction)])


def axis_of(Y: ArrayLike) -> tuple[Array, Array, float]:
    """Direction, point nearest the origin and pitch of a screw: `screw(*axis_of(Y))` is Y to unit size.

    e = w/|w|, p = w x v/|w|^2, h = w.v/|w|^2; a translation has e = v/|v|, p = 0 and infinite pitch.
    """
    y = np.asarray(Y, dtype=float)
    if y.shape != (6,):
        raise ShapeError(f"a screw takes six numbers, got shape {y.shape}")
    w, v = y[:3], y[3:]
    if not w.any():
        return unit(v), np.zeros(3), np.inf
    e, size = unit(w), np.linalg.norm(w)
    return e, cross(e, v / size), float(e @ v / size)


def pitch(Y: ArrayLike) -> float:
    """Pitch h = w.v/|w|^2 of a screw, infinite for a translation."""
    return axis_of(Y)[2]


def frame_about(axis: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Pose with origin in the point and third axis along the axis: a joint frame; the identity for (0, 0, 1)."""
    e, p = unit(axis), _three(point, "a point")
    side = np.eye(3)[np.argmin(np.abs(e))]
    x = unit(side - e * (e @ side))
    C = np.eye(4)
    C[:3, 0], C[:3, 1], C[:3, 2], C[:3, 3] = x, cross(e, x), e, p
    return C
