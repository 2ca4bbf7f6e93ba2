"""A ball about a centre c of body b and the line of body a from o along e, between `low` and `high`, with a radius R around
it: spheres, round rods, holes.

With the foot s = e . (c - o), cut to low..high, and w = c - o - s e, the gap is f (|w| - R) - r, the normal f w / |w|,
where f is 1 for a ball outside and -1 for one inside, as a pin in a hole.
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
from cotree.constraints.contacts.touch import EVERYWHERE, TOUCH, Touch, register_family
from cotree.engine.kernel import kernel
from cotree.lie.storage import vec
from cotree.lie.vec3 import add, axpy, dot, scale, sub

ball_on_line_t = np.dtype(
    [
        *TOUCH, ("origin", "f8", 3), ("axis", "f8", 3), ("low", "f8"), ("high", "f8"), ("around", "f8"), ("side", "f8"),
        ("center", "f8", 3), ("radius", "f8"), ("between", "i8"),
    ],
    align=True,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class BallOnLine(Touch):
    """between: it touches between the ends only, not the ends; around: the radius R; side: the sign f."""

    origin: Any = None
    axis: Any = None
    low: float = 0.0
    high: float = 0.0
    around: float = 0.0
    side: float = 1.0
    center: Any = None
    radius: float = 0.0
    between: bool = False


@kernel
def _foot(x, work):
    """Centre c, start o, direction e, foot before it is cut, and foot."""
    c, o, e = on_b(x, work, vec(x.center)), on_a(x, work, vec(x.origin)), along_a(x, work, vec(x.axis))
    s = dot(sub(c, o), e)
    return c, o, e, s, min(max(s, x.low), x.high)


@kernel
def geometry(x, work):
    c, o, e, _, s = _foot(x, work)
    w = axpy(-s, e, sub(c, o))
    d = size(w)
    n = scale(x.side, unit_or(w, d, along_a(x, work, vec(x.e))))
    return x.side * (d - x.around) - x.radius, n, axpy(-x.radius, n, c)


@kernel
def motion(x, work):
    c, o, e, free, s = _foot(x, work)
    c_dot, o_dot, e_dot = speed_b(x, work, c), speed_a(x, work, o), turning_a(x, work, e)
    v, s_dot = sub(c_dot, o_dot), 0.0
    if s == free:
        s_dot = dot(v, e) + dot(sub(c, o), e_dot)
    w, w_dot = axpy(-s, e, sub(c, o)), sub(v, add(scale(s_dot, e), scale(s, e_dot)))
    d = size(w)
    n_dot = scale(x.side, unit_rate(unit_or(w, d, along_a(x, work, vec(x.e))), w_dot, d))
    return n_dot, axpy(-x.radius, n_dot, c_dot)


@kernel
def inside(x, work):
    s = _foot(x, work)[3]
    return min(s - x.low, x.high - s) if x.between != 0 else EVERYWHERE


def fill(c: BallOnLine, x: Any, place: Any) -> None:
    x["origin"], x["axis"] = place.point(c.body_a, c.origin), place.direction(c.body_a, c.axis)
    for name in ("low", "high", "around", "side", "radius", "between"):
        x[name] = getattr(c, name)
    x["center"] = place.point(c.body_b, c.center)
    if c.side < 0.0:  # the normal is across the axis, always
        x["e"] = x["axis"]


FAMILY = register_family(BallOnLine, ball_on_line_t, geometry, motion, fill, inside)
