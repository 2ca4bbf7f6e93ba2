"""A ball of radius r about a centre c of body b in a slot of body a, a line from o along e, of length l, with walls and round
ends at the distance R, all along an axis.

Across the axis, with the foot s = e . (c - o) cut to 0..l and w = c - o - s e, the gap is R - r - |w|, the normal -w / |w|:
walls and round ends at once. Beyond the start of a slot that is open there w is from the corner of the nearer wall, the gap
|w| - r.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.contacts.moving import (
    along_a,
    on_a,
    on_b,
    size,
    speed_a,
    speed_b,
    turning_a,
    unit_or,
    unit_rate,
)
from cotree.constraints.contacts.touch import TOUCH, Touch, register_family
from cotree.engine.kernel import kernel
from cotree.lie.storage import vec
from cotree.lie.vec3 import add, axpy, cross, dot, scale, sub

ball_in_slot_t = np.dtype(
    [
        *TOUCH, ("origin", "f8", 3), ("along", "f8", 3), ("axis", "f8", 3), ("length", "f8"), ("half", "f8"),
        ("center", "f8", 3), ("radius", "f8"), ("open", "i8"),
    ],
    align=True,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class BallInSlot(Touch):
    """half: the distance R of the walls; open: without a wall at its start."""

    origin: Any = None
    direction: Any = None
    axis: Any = None
    length: float = 0.0
    half: float = 0.0
    center: Any = None
    radius: float = 0.0
    open: bool = False


@kernel
def _foot(x, work):
    """Centre against the start, along the axes of the slot: (c - o, e, h across it, s, y along h)."""
    w = sub(on_b(x, work, vec(x.center)), on_a(x, work, vec(x.origin)))
    e, k = along_a(x, work, vec(x.along)), along_a(x, work, vec(x.axis))
    h = cross(k, e)
    return w, e, h, dot(w, e), dot(w, h)


@kernel
def _across(x, s, y):
    """w along e and h, whether it moves with s, and the sign of the normal: 1 at a corner, -1 at walls and ends."""
    if x.open != 0 and s < 0.0:
        return s, y - (x.half if y > 0.0 else -x.half), True, 1.0
    far = s > x.length
    ending = far or s < 0.0
    return (s - (x.length if far else 0.0)) if ending else 0.0, y, ending, -1.0


@kernel
def geometry(x, work):
    _, e, h, s, y = _foot(x, work)
    a, b, _, side = _across(x, s, y)
    w = add(scale(a, e), scale(b, h))
    d = size(w)
    n = scale(side, unit_or(w, d, h))
    g = side * d - x.radius + (0.0 if side > 0.0 else x.half)
    return g, n, axpy(-x.radius, n, on_b(x, work, vec(x.center)))


@kernel
def motion(x, work):
    offset, e, h, s, y = _foot(x, work)
    a, b, ending, side = _across(x, s, y)
    c = on_b(x, work, vec(x.center))
    c_dot = speed_b(x, work, c)
    v = sub(c_dot, speed_a(x, work, sub(c, offset)))
    e_dot, h_dot = turning_a(x, work, e), turning_a(x, work, h)
    a_dot = dot(v, e) + dot(offset, e_dot) if ending else 0.0
    b_dot = dot(v, h) + dot(offset, h_dot)
    w = add(scale(a, e), scale(b, h))
    w_dot = add(add(scale(a_dot, e), scale(b_dot, h)), add(scale(a, e_dot), scale(b, h_dot)))
    d = size(w)
    n_dot = scale(side, unit_rate(unit_or(w, d, h), w_dot, d))
    if not ending:  # a wall, also where the ball is in the middle
        n_dot = scale(side if b >= 0.0 else -side, h_dot)
    return n_dot, axpy(-x.radius, n_dot, c_dot)


def fill(c: BallInSlot, x: Any, place: Any) -> None:
    x["origin"], x["axis"] = place.point(c.body_a, c.origin), place.direction(c.body_a, c.axis)
    x["along"], x["center"] = place.direction(c.body_a, c.direction), place.point(c.body_b, c.center)
    x["length"], x["half"], x["radius"], x["open"] = c.length, c.half, c.radius, c.open
    x["e"] = x["axis"]  # the normal is across it, always


FAMILY = register_family(BallInSlot, ball_in_slot_t, geometry, motion, fill)
