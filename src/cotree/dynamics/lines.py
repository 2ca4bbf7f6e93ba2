"""Lines between points of two bodies, for force elements along them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import add, cross, dot, scale, sub

# two points, in the reference assembly, on two links
LINE = [("piece", "i8"), ("link_a", "i8"), ("link_b", "i8"), ("point_a", "f8", 3), ("point_b", "f8", 3)]


@kernel
def point_of(work, link, point):
    """Place and velocity of a point of a link."""
    w = work[link]
    x, (turn, v) = se3.act(pose(w.C), vec(point)), twist(w.V)
    return x, add(v, cross(turn, x))


@kernel
def line(x, work):
    """(point on b, unit vector from a to b, length, its rate); no direction at zero length."""
    p, p_dot = point_of(work, x.link_a, x.point_a)
    q, q_dot = point_of(work, x.link_b, x.point_b)
    d = sub(q, p)
    r = np.sqrt(dot(d, d))
    e = scale(1.0 / r, d) if r > 0.0 else (0.0, 0.0, 0.0)
    return q, e, r, dot(e, sub(q_dot, p_dot))


@kernel
def push(at, e, f):
    """Wrench of a force f along e at a point."""
    F = scale(f, e)
    return (cross(at, F), F)


def put_line(f: Any, x: Any, build: Any) -> float:
    """Fill the fields of `LINE` from an element with two bodies and points, declare its piece, return its length."""
    place = build.place
    x["link_a"], x["link_b"] = place.link(f.body_a), place.link(f.body_b)
    x["point_a"], x["point_b"] = place.point(f.body_a, f.point_a), place.point(f.body_b, f.point_b)
    build.between(f.body_a, f.body_b)
    return float(np.linalg.norm(x["point_b"] - x["point_a"]))
