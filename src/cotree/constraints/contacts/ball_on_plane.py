"""Points, spheres and whatever has corners on a plane: a ball of radius r, zero for a point, about a centre c of body b.

g = N . (c - o) - r with the plane's normal N and point o, contact p = c - r N.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.contacts.pairs import Side, pair
from cotree.constraints.contacts.solids import corners
from cotree.constraints.contacts.touch import TOUCH, Touch, register_family
from cotree.constraints.row_wrench import velocity_at
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import axpy, cross, dot, sub
from cotree.model.contact_shapes import Plane, Point
from cotree.model.contacts import Contact
from cotree.model.joints import axis_frame
from cotree.model.shapes import Box, Mesh, Rod, Sphere

ball_on_plane_t = np.dtype(
    [*TOUCH, ("origin", "f8", 3), ("normal", "f8", 3), ("center", "f8", 3), ("radius", "f8")], align=True
)


@dataclass(frozen=True, eq=False)
class BallOnPlane(Touch):
    origin: Any = None
    normal: Any = None
    center: Any = None
    radius: float = 0.0


@kernel
def geometry(x, work):
    A, c = pose(work[x.link_a].C), se3.act(pose(work[x.link_b].C), vec(x.center))
    n = mul_vec(A[0], vec(x.normal))
    return dot(sub(c, se3.act(A, vec(x.origin))), n) - x.radius, n, axpy(-x.radius, n, c)


@kernel
def motion(x, work):
    A, c = pose(work[x.link_a].C), se3.act(pose(work[x.link_b].C), vec(x.center))
    n_dot = cross(twist(work[x.link_a].V)[0], mul_vec(A[0], vec(x.normal)))
    return n_dot, axpy(-x.radius, n_dot, velocity_at(twist(work[x.link_b].V), c))


def fill(c: BallOnPlane, x: Any, place: Any) -> None:
    x["origin"], x["normal"] = place.point(c.body_a, c.origin), place.direction(c.body_a, c.normal)
    x["center"], x["radius"] = place.point(c.body_b, c.center), c.radius
    x["e"] = axis_frame(np.zeros(3), x["normal"])[:3, 0]


FAMILY = register_family(BallOnPlane, ball_on_plane_t, geometry, motion, fill)


@pair(Plane, Point, Sphere, Rod, Box, Mesh)
def on_plane(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """One ball for each corner or round end; of a mesh, for each corner of its convex hull."""
    who = f"contact {contact.name!r}"
    plane: dict[str, Any] = {"origin": np.array(a.shape.point), "normal": np.array(a.shape.normal)}
    return [
        BallOnPlane("", contact.name, a.body, b.body, center=c, radius=r, **plane) for c, r in corners(b.shape, who)
    ]
