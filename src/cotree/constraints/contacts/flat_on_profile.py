"""A plane of body b on a profile of body a, as a flat follower on a cam.

The plane's normal N points at the profile; the point y(u) of the curve that is deepest has N . y' = 0. The gap is N . (y -
o_b), the normal -N, and as N turns against body a, u' N . y'' = -N' . y'.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.contacts.curves import CURVE, curve_at, fill_curve, in_plane, least, point_in_plane
from cotree.constraints.contacts.moving import along_a, along_b, on_b, speed_a, turning_a, turning_b
from cotree.constraints.contacts.touch import TOUCH, Touch, register_family
from cotree.engine.kernel import kernel
from cotree.lie.storage import vec
from cotree.lie.vec3 import add, dot, scale, sub

flat_on_profile_t = np.dtype([*TOUCH, *CURVE, ("point", "f8", 3), ("normal", "f8", 3)], align=True)


@dataclass(frozen=True, eq=False)
class FlatOnProfile(Touch):
    curve: Any = None
    point: Any = None
    normal: Any = None


@kernel
def _deepest(x, work):
    """Normal of the plane, its components in that of the curve, and the curve at u."""
    N = along_b(x, work, vec(x.normal))
    a, b = dot(N, along_a(x, work, vec(x.e1))), dot(N, along_a(x, work, vec(x.e2)))
    y, d, dd = curve_at(x, least(x, a, b, True))
    return N, a, b, y, d, dd


@kernel
def geometry(x, work):
    N, _, _, y, _, _ = _deepest(x, work)
    p = point_in_plane(x, work, y)
    return dot(N, sub(p, on_b(x, work, vec(x.point)))), scale(-1.0, N), p


@kernel
def motion(x, work):
    N, a, b, y, d, dd = _deepest(x, work)
    N_dot = turning_b(x, work, N)
    against = sub(N_dot, turning_a(x, work, N))
    da, db = dot(against, along_a(x, work, vec(x.e1))), dot(against, along_a(x, work, vec(x.e2)))
    u_dot = -(da * d[0] + db * d[1]) / (a * dd[0] + b * dd[1])
    p_dot = add(speed_a(x, work, point_in_plane(x, work, y)), in_plane(x, work, u_dot * d[0], u_dot * d[1]))
    return scale(-1.0, N_dot), p_dot


def fill(c: FlatOnProfile, x: Any, place: Any) -> None:
    fill_curve(c.curve, c.body_a, x, place)
    x["point"], x["normal"] = place.point(c.body_b, c.point), place.direction(c.body_b, c.normal)


FAMILY = register_family(FlatOnProfile, flat_on_profile_t, geometry, motion, fill)
