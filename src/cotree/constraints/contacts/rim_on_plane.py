"""The rim of a cylinder, a circle of radius r about c across the unit vector e of body b, on a plane of body a.

m = N - (N . e) e, of length u: the lowest point is p = c - r m / u, the gap N . (c - o) - r u. Upright, u = 0, each point
is as low: there points that the rim carries touch, in its direction d, p = c + r d.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.contacts.moving import (
    along_a,
    along_b,
    on_a,
    on_b,
    size,
    speed_b,
    turning_a,
    turning_b,
    unit_or,
    unit_rate,
)
from cotree.constraints.contacts.touch import TOUCH, Touch, register_family
from cotree.engine.kernel import kernel
from cotree.lie.storage import vec
from cotree.lie.vec3 import add, axpy, dot, scale, sub
from cotree.model.joints import axis_frame

UPRIGHT = 1e-9  # tilt below which the rim has no lowest point
STANDING = 1e-6  # tilt up to which points that it carries touch
rim_on_plane_t = np.dtype(
    [
        *TOUCH, ("origin", "f8", 3), ("normal", "f8", 3), ("center", "f8", 3), ("axis", "f8", 3), ("radius", "f8"),
        ("carried", "i8"), ("to", "f8", 3),
    ],
    align=True,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class RimOnPlane(Touch):
    """to: unit vector to a point that the rim carries, None for its lowest point."""

    origin: Any = None
    normal: Any = None
    center: Any = None
    axis: Any = None
    radius: float = 0.0
    to: Any = None


@kernel
def _lowest(x, work):
    """N, e, m, its length, and the direction to the point of contact."""
    N, e = along_a(x, work, vec(x.normal)), along_b(x, work, vec(x.axis))
    m = axpy(-dot(N, e), e, N)
    u = size(m)
    if x.carried != 0:
        return N, e, m, u, along_b(x, work, vec(x.to))
    return N, e, m, u, scale(-1.0, unit_or(m, u, along_b(x, work, vec(x.to))))


@kernel
def geometry(x, work):
    N, _, _, _, d = _lowest(x, work)
    p = axpy(x.radius, d, on_b(x, work, vec(x.center)))
    return dot(N, sub(p, on_a(x, work, vec(x.origin)))), N, p


@kernel
def motion(x, work):
    N, e, _, u, d = _lowest(x, work)
    N_dot, e_dot, d_dot = turning_a(x, work, N), turning_b(x, work, e), turning_b(x, work, d)
    if x.carried == 0:
        m_dot = sub(axpy(-dot(N_dot, e) - dot(N, e_dot), e, N_dot), scale(dot(N, e), e_dot))
        d_dot = unit_rate(d, scale(-1.0, m_dot), max(u, UPRIGHT))
    return N_dot, add(speed_b(x, work, on_b(x, work, vec(x.center))), scale(x.radius, d_dot))


@kernel
def inside(x, work):
    u = _lowest(x, work)[3]
    return x.radius * (STANDING - u if x.carried != 0 else u - UPRIGHT)


def fill(c: RimOnPlane, x: Any, place: Any) -> None:
    x["origin"], x["normal"] = place.point(c.body_a, c.origin), place.direction(c.body_a, c.normal)
    x["center"], x["axis"] = place.point(c.body_b, c.center), place.direction(c.body_b, c.axis)
    x["radius"], x["carried"] = c.radius, c.to is not None
    x["to"] = axis_frame(np.zeros(3), x["axis"])[:3, 0] if c.to is None else place.direction(c.body_b, c.to)
    x["e"] = axis_frame(np.zeros(3), x["normal"])[:3, 0]


FAMILY = register_family(RimOnPlane, rim_on_plane_t, geometry, motion, fill, inside)
