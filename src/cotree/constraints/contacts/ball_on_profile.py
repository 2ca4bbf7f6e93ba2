"""A ball of radius r about a centre c of body b on a profile of body a: a roller or a pointed follower on a cam.

Across the axis the nearest point of the curve is y(u), (y - x) . y' = 0, its normal n out of the profile; the gap is n . (x
- y) - r. As x moves, u' (y'^2 + (y - x) . y'') = x_dot . y', and n turns by the curvature times the speed along the curve.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.contacts.curves import CURVE, curve_at, fill_curve, in_plane, least
from cotree.constraints.contacts.moving import along_a, on_a, on_b, speed_a, speed_b, turning_a
from cotree.constraints.contacts.touch import TOUCH, Touch, register_family
from cotree.engine.kernel import kernel
from cotree.lie.storage import vec
from cotree.lie.vec3 import add, axpy, dot, sub

ball_on_profile_t = np.dtype([*TOUCH, *CURVE, ("center", "f8", 3), ("radius", "f8")], align=True)


@dataclass(frozen=True, eq=False)
class BallOnProfile(Touch):
    curve: Any = None
    center: Any = None
    radius: float = 0.0


@kernel
def _nearest(x, work):
    """Centre, its place in the plane, the curve at u, the speed there, and the normal in the plane."""
    c = on_b(x, work, vec(x.center))
    w = sub(c, on_a(x, work, vec(x.origin)))
    px, py = dot(w, along_a(x, work, vec(x.e1))), dot(w, along_a(x, work, vec(x.e2)))
    y, d, dd = curve_at(x, least(x, px, py, False))
    speed = np.sqrt(d[0] * d[0] + d[1] * d[1])
    return c, (px, py), y, d, dd, speed, (d[1] / speed, -d[0] / speed)


@kernel
def geometry(x, work):
    c, p, y, _, _, _, n = _nearest(x, work)
    N = in_plane(x, work, n[0], n[1])
    return n[0] * (p[0] - y[0]) + n[1] * (p[1] - y[1]) - x.radius, N, axpy(-x.radius, N, c)


@kernel
def motion(x, work):
    c, p, y, d, dd, speed, n = _nearest(x, work)
    c_dot = speed_b(x, work, c)
    v = sub(c_dot, speed_a(x, work, c))
    vx, vy = dot(v, along_a(x, work, vec(x.e1))), dot(v, along_a(x, work, vec(x.e2)))
    bend = speed * speed + (y[0] - p[0]) * dd[0] + (y[1] - p[1]) * dd[1]
    u_dot = (vx * d[0] + vy * d[1]) / bend
    turn = (d[0] * dd[1] - d[1] * dd[0]) / (speed * speed) * u_dot  # curvature times the speed of the foot
    N = in_plane(x, work, n[0], n[1])
    N_dot = add(turning_a(x, work, N), in_plane(x, work, turn * d[0] / speed, turn * d[1] / speed))
    return N_dot, axpy(-x.radius, N_dot, c_dot)


def fill(c: BallOnProfile, x: Any, place: Any) -> None:
    fill_curve(c.curve, c.body_a, x, place)
    x["center"], x["radius"] = place.point(c.body_b, c.center), c.radius


FAMILY = register_family(BallOnProfile, ball_on_profile_t, geometry, motion, fill)
