"""Across a joint that is cut: relative pose, twist and its rate in the joint frame, by rows; angles of universal joints."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import RowsWarning
from cotree.lie import bracket, cross
from cotree.model.joints import Universal

Array = NDArray[np.float64]
NEAR = 0.15  # turns by which rates at two rows may miss the angle between them


@dataclass(frozen=True, eq=False)
class Across:
    """R (T, 3, 3), p (T, 3): the child's joint frame seen from the parent's; V (T, 6): relative twist in the child's joint
    frame, A its rate."""

    R: Array
    p: Array
    V: Array
    A: Array

    @staticmethod
    def of(source: Any, joint: str, with_acceleration: bool) -> Across:
        connection = source.system.mechanism.joints[joint]
        a, b = (source.motion_of(name, with_acceleration) for name in (connection.parent, connection.child))
        (Ra, pa), (Rb, pb) = (_carried(m, F) for m, F in zip((a, b), source.sides(joint), strict=True))
        V, A = b.V - a.V, b.A - a.A - bracket(b.V, b.V - a.V)
        back = np.swapaxes(Ra, 1, 2)
        p = (back @ (pb - pa)[:, :, None])[:, :, 0]
        return Across(back @ Rb, p, _seen_from(Rb, pb, V), _seen_from(Rb, pb, A))


def _carried(motion: Any, frame: Array) -> tuple[Array, Array]:
    """(R, p): a frame of the reference assembly as a link carries it, about the sweep's origin."""
    R = motion.C[:, :9].reshape(-1, 3, 3)
    return R @ frame[:3, :3], R @ frame[:3, 3] + motion.C[:, 9:]


def _seen_from(R: Array, p: Array, X: Array) -> Array:
    """Ad_T^-1 X: (R^T w, R^T (v - p x w))."""
    w, v = X[:, :3], X[:, 3:] - cross(p, X[:, :3])
    back = np.swapaxes(R, 1, 2)
    return np.hstack([(back @ x[:, :, None])[:, :, 0] for x in (w, v)])


def turns_counted(source: Any, angles: Array, rates: Array, joint: str) -> Array:
    """Angles (T, k) with their turns counted from row to row: each is the nearest to the one before plus its mean rate times
    the time between. Where rates change much from row to row, or the nearest is not near, a warning says so."""
    out = angles.copy()
    if not source.single:
        steps, dt = np.diff(angles, axis=0), np.diff(source.t)[:, None]
        ahead = (0.5 * (rates[1:] + rates[:-1]) * dt - steps) / (2.0 * np.pi)
        turns = np.round(ahead)
        out[1:] += np.cumsum(2.0 * np.pi * turns, axis=0)
        doubtful = (np.abs(ahead - turns) > NEAR) | (np.abs(rates[1:] - rates[:-1]) * dt > np.pi)
        if doubtful.any():
            warnings.warn(_uncounted(joint, source.t[:-1][doubtful.any(axis=1)]), RowsWarning, stacklevel=5)
    return out


def _uncounted(joint: str, times: Array) -> str:
    return (
        f"joint {joint!r} is cut, and its whole turns cannot be counted for certain between {len(times)} of the rows, first "
        f"after t = {times[0]:.6g} s, where it turns fast or unevenly; ask for more rows (output=), or cut another joint of "
        "its loop: mech.compile(cut=[...])"
    )


def universal_angles(joint: Universal, R: Array) -> Array:
    """(T, 2): R = exp(axis1 q1) exp(axis2 q2); axis2 on the child is turned by the first, axis1 seen from it by the second."""
    e, a = joint.screws()[:3, 0], joint.screws()[:3, 1]
    first = _angle_about(e, a, R @ a)
    second = -_angle_about(a, e, np.swapaxes(R, 1, 2) @ e)
    return np.column_stack([first, second])


def _angle_about(axis: Array, x: Array, y: Array) -> Array:
    """Angle (T,) about a unit axis from x (3,) to y (T, 3)."""
    x = x - axis * (axis @ x)
    y = y - (y @ axis)[:, None] * axis
    return np.arctan2(cross(x, y) @ axis, y @ x)


def universal_rates(joint: Universal, across: Across) -> tuple[Array, Array]:
    """Rates and accelerations (T, 2): w = q1' R^T e + q2' a in the child's axes, where R^T e turns back with q2'."""
    e, a = joint.screws()[:3, 0], joint.screws()[:3, 1]
    first = np.swapaxes(across.R, 1, 2) @ e
    rates = _along(first, a, across.V[:, :3])
    turning = -(rates[:, 0] * rates[:, 1])[:, None] * cross(a, first)  # d/dt R^T e = -q2' a x R^T e
    return rates, _along(first, a, across.A[:, :3] - turning)


def _along(e: Array, a: Array, w: Array) -> Array:
    """(T, 2): least squares of w = x e + y a for unit vectors e (T, 3) and a (3,)."""
    c, we, wa = e @ a, np.einsum("ki,ki->k", w, e), w @ a
    return np.column_stack([we - c * wa, wa - c * we]) / (1.0 - c * c)[:, None]
