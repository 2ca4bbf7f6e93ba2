"""Two edges that cross: from o_a along a, of length l_a and with a radius r_a around it, and the same of body b.

k = a x b, n = +-k / |k|, s = (w x b) . k / k^2 and t = (w x a) . k / k^2 with w = o_b - o_a are the feet on the two; the
gap is n . w - r_a - r_b. n points out of a solid edge between two faces; between round ones it points from a to b. Edges of
solids touch where n is between the normals of the faces of a, and -n between those of b; they do not where they are deeper
than half of the thinnest side, since they are at the far sides of the two then.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.contacts.moving import (
    along_a,
    along_b,
    on_a,
    on_b,
    speed_a,
    speed_b,
    turning_a,
    turning_b,
    unit_rate,
)
from cotree.constraints.contacts.touch import TOUCH, Touch, register_family
from cotree.engine.kernel import kernel
from cotree.lie.storage import vec
from cotree.lie.vec3 import add, axpy, cross, dot, scale, sub

SLACK = 1e-9  # faces that lie on each other meet
PARALLEL = 1e-9  # sine of the angle of edges that do not cross
edge_on_edge_t = np.dtype(
    [
        *TOUCH, ("origin_a", "f8", 3), ("along_a", "f8", 3), ("length_a", "f8"), ("radius_a", "f8"), ("solid_a", "i8"),
        ("out_a1", "f8", 3), ("out_a2", "f8", 3), ("origin_b", "f8", 3), ("along_b", "f8", 3), ("length_b", "f8"),
        ("radius_b", "f8"), ("solid_b", "i8"), ("out_b1", "f8", 3), ("out_b2", "f8", 3),
        ("depth", "f8"),
    ],
    align=True,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Edge:
    """From start along a unit vector; out: the normals of the two faces that meet there, None of a round rod;
    depth: penetration beyond which it is another edge that touches."""

    start: Any
    along: Any
    length: float
    radius: float = 0.0
    out: Any = None
    depth: float = 0.0


@dataclass(frozen=True, eq=False)
class EdgeOnEdge(Touch):
    edge_a: Any = None
    edge_b: Any = None


@kernel
def _crossing(x, work):
    """o_a, o_b, a, b, w, k / |k|, |k|, signed so that it points out of a; s and t."""
    oa, ob = on_a(x, work, vec(x.origin_a)), on_b(x, work, vec(x.origin_b))
    a, b, w = along_a(x, work, vec(x.along_a)), along_b(x, work, vec(x.along_b)), sub(ob, oa)
    k = cross(a, b)
    kk = max(dot(k, k), PARALLEL * PARALLEL)
    s, t = dot(cross(w, b), k) / kk, dot(cross(w, a), k) / kk
    facing = dot(w, k)
    if x.solid_a != 0:
        facing = dot(add(along_a(x, work, vec(x.out_a1)), along_a(x, work, vec(x.out_a2))), k)
    elif x.solid_b != 0:
        facing = -dot(add(along_b(x, work, vec(x.out_b1)), along_b(x, work, vec(x.out_b2))), k)
    sign = 1.0 if facing >= 0.0 else -1.0
    return oa, ob, a, b, w, scale(sign, k), kk, s, t


@kernel
def geometry(x, work):
    _, ob, _, b, w, k, kk, _, t = _crossing(x, work)
    n = scale(1.0 / np.sqrt(kk), k)
    if dot(k, k) < PARALLEL * PARALLEL:
        n = along_a(x, work, vec(x.e))
    return dot(n, w) - x.radius_a - x.radius_b, n, axpy(-x.radius_b, n, axpy(t, b, ob))


@kernel
def motion(x, work):
    oa, ob, a, b, w, k, kk, _, t = _crossing(x, work)
    sign = 1.0 if dot(k, cross(a, b)) >= 0.0 else -1.0
    a_dot, b_dot = turning_a(x, work, a), turning_b(x, work, b)
    w_dot = sub(speed_b(x, work, ob), speed_a(x, work, oa))
    k_dot = scale(sign, add(cross(a_dot, b), cross(a, b_dot)))
    n = scale(1.0 / np.sqrt(kk), k)
    n_dot = unit_rate(n, k_dot, np.sqrt(kk))
    # t kk = sign (w x a) . k, as t belongs to a x b
    rate = dot(add(cross(w_dot, a), cross(w, a_dot)), k) + dot(cross(w, a), k_dot)
    t_dot = (sign * rate - 2.0 * t * dot(k, k_dot)) / kk
    foot_dot = axpy(t_dot, b, speed_b(x, work, axpy(t, b, ob)))
    return n_dot, axpy(-x.radius_b, n_dot, foot_dot)


@kernel
def inside(x, work):
    _, _, _, _, w, k, kk, s, t = _crossing(x, work)
    lengths = x.length_a + x.length_b
    if dot(k, k) < PARALLEL * PARALLEL:
        return -np.sqrt(dot(w, w)) - lengths
    n, room = scale(1.0 / np.sqrt(kk), k), min(min(s, x.length_a - s), min(t, x.length_b - t))
    room = min(room, dot(n, w) - x.radius_a - x.radius_b + x.depth)
    if x.solid_a != 0:
        between = min(dot(n, along_a(x, work, vec(x.out_a1))), dot(n, along_a(x, work, vec(x.out_a2))))
        room = min(room, (between + SLACK) * lengths)
    if x.solid_b != 0:
        between = -max(dot(n, along_b(x, work, vec(x.out_b1))), dot(n, along_b(x, work, vec(x.out_b2))))
        room = min(room, (between + SLACK) * lengths)
    return room


def fill(c: EdgeOnEdge, x: Any, place: Any) -> None:
    for which, body, edge in (("a", c.body_a, c.edge_a), ("b", c.body_b, c.edge_b)):
        x[f"origin_{which}"], x[f"along_{which}"] = place.point(body, edge.start), place.direction(body, edge.along)
        x[f"length_{which}"], x[f"radius_{which}"] = edge.length, edge.radius
        if edge.out is not None:
            x[f"solid_{which}"] = 1
            x[f"out_{which}1"], x[f"out_{which}2"] = (place.direction(body, n) for n in edge.out)
    x["depth"] = min(c.edge_a.depth, c.edge_b.depth)
    x["e"] = x["along_a"]  # the normal is across it, always


FAMILY = register_family(EdgeOnEdge, edge_on_edge_t, geometry, motion, fill, inside)
