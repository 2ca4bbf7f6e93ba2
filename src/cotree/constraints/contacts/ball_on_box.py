"""A ball of radius r about a centre c of body b on a box of body a with half edges h along its axes.

With x = R^T (c - o) and its distance w = x - cut(x, -h, h) from the box, the gap is |w| - r, the normal R w / |w|; where
the centre is inside, the face that it is nearest to counts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.contacts.moving import on_a, on_b, size, speed_a, speed_b, turning_a, unit_or, unit_rate
from cotree.constraints.contacts.touch import TOUCH, Touch, register_family
from cotree.engine.kernel import kernel
from cotree.lie.mat3 import mul, mul_vec, tmul_vec
from cotree.lie.storage import pose, vec
from cotree.lie.vec3 import axpy, sub

ball_on_box_t = np.dtype(
    [*TOUCH, ("origin", "f8", 3), ("axes", "f8", 9), ("half", "f8", 3), ("center", "f8", 3), ("radius", "f8")],
    align=True,
)


@dataclass(frozen=True, eq=False)
class BallOnBox(Touch):
    """axes: the rotation of the box (3, 3); half: of its edges."""

    origin: Any = None
    axes: Any = None
    half: Any = None
    center: Any = None
    radius: float = 0.0


@kernel
def box_axes(x, work):
    """The rotation of the box of body a."""
    r = x.axes
    return mul(pose(work[x.link_a].C)[0], (r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]))


@kernel
def beyond(x, h):
    """How far a number is outside of -h..h, with its sign."""
    return x - min(max(x, -h), h)


@kernel
def nearest_face(y, h):
    """Of a point y of the box: the unit vector out of the face that it is nearest to, and how far it is outside of it."""
    a, b, c = abs(y[0]) - h[0], abs(y[1]) - h[1], abs(y[2]) - h[2]
    if a >= b and a >= c:
        return (1.0 if y[0] >= 0.0 else -1.0, 0.0, 0.0), a
    if b >= c:
        return (0.0, 1.0 if y[1] >= 0.0 else -1.0, 0.0), b
    return (0.0, 0.0, 1.0 if y[2] >= 0.0 else -1.0), c


@kernel
def _facing(x, R, c, o):
    """Normal and distance in the axes of the box, w, and whether the centre is outside."""
    y = tmul_vec(R, sub(c, o))
    w = (beyond(y[0], x.half[0]), beyond(y[1], x.half[1]), beyond(y[2], x.half[2]))
    u, out = nearest_face(y, vec(x.half))
    if out <= 0.0:
        return u, out, w, False
    d = size(w)
    return unit_or(w, d, u), d, w, True


@kernel
def geometry(x, work):
    R, c, o = box_axes(x, work), on_b(x, work, vec(x.center)), on_a(x, work, vec(x.origin))
    u, d, _, _ = _facing(x, R, c, o)
    n = mul_vec(R, u)
    return d - x.radius, n, axpy(-x.radius, n, c)


@kernel
def motion(x, work):
    R, c, o = box_axes(x, work), on_b(x, work, vec(x.center)), on_a(x, work, vec(x.origin))
    u, d, w, out = _facing(x, R, c, o)
    n, c_dot = mul_vec(R, u), speed_b(x, work, c)
    n_dot = turning_a(x, work, n)
    if out:
        y = tmul_vec(R, sub(c_dot, speed_a(x, work, c)))
        w_dot = (
            y[0] if w[0] != 0.0 else 0.0 * y[0],
            y[1] if w[1] != 0.0 else 0.0 * y[1],
            y[2] if w[2] != 0.0 else 0.0 * y[2],
        )
        n_dot = axpy(1.0, mul_vec(R, unit_rate(u, w_dot, d)), n_dot)
    return n_dot, axpy(-x.radius, n_dot, c_dot)


def fill_box(c: Any, x: Any, place: Any) -> None:
    """What describes the box of body a."""
    x["origin"], x["half"] = place.point(c.body_a, c.origin), c.half
    x["axes"] = (place.axes(c.body_a) @ c.axes).ravel()


def fill(c: BallOnBox, x: Any, place: Any) -> None:
    fill_box(c, x, place)
    x["center"], x["radius"] = place.point(c.body_b, c.center), c.radius


FAMILY = register_family(BallOnBox, ball_on_box_t, geometry, motion, fill)
