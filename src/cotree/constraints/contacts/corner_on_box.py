"""A corner c of a box of body b on a face of a box of body a.

A face with the normal n is met where the corner is above it and points at it: n . b <= 0 for the three faces b of its own
box that meet in the corner. Of the three faces on the corner's side the one counts for which both hold best.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.contacts.ball_on_box import box_axes, fill_box
from cotree.constraints.contacts.moving import along_b, on_a, on_b, speed_b, turning_a
from cotree.constraints.contacts.touch import TOUCH, Touch, register_family
from cotree.engine.kernel import kernel
from cotree.lie.mat3 import mul_vec, tmul_vec
from cotree.lie.storage import vec
from cotree.lie.vec3 import sub

SLACK = 1e-9  # relative to sizes: edges and faces that lie on each other meet
corner_on_box_t = np.dtype(
    [
        *TOUCH, ("origin", "f8", 3), ("axes", "f8", 9), ("half", "f8", 3), ("center", "f8", 3), ("out1", "f8", 3),
        ("out2", "f8", 3), ("out3", "f8", 3),
    ],
    align=True,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class CornerOnBox(Touch):
    """axes: the rotation of the box of body a (3, 3); half: of its edges; out: normals of the faces at the corner, by rows."""

    origin: Any = None
    axes: Any = None
    half: Any = None
    center: Any = None
    out: Any = None


@kernel
def _room(x, k, y, u1, u2, u3):
    """How far the corner y is inside of what face k meets."""
    h = x.half
    i, j = (k + 1) % 3, (k + 2) % 3
    sign = 1.0 if y[k] >= 0.0 else -1.0
    scale = h[0] + h[1] + h[2]
    over = min(h[i] - abs(y[i]), h[j] - abs(y[j])) + SLACK * scale
    steep = -max(sign * u1[k], sign * u2[k], sign * u3[k])
    return min(over, (steep + SLACK) * scale)


@kernel
def _face(x, work):
    """Rotation of the box, the corner in its axes, the face that counts, and its room."""
    R, o, c = box_axes(x, work), on_a(x, work, vec(x.origin)), on_b(x, work, vec(x.center))
    y = tmul_vec(R, sub(c, o))
    u1 = tmul_vec(R, along_b(x, work, vec(x.out1)))
    u2 = tmul_vec(R, along_b(x, work, vec(x.out2)))
    u3 = tmul_vec(R, along_b(x, work, vec(x.out3)))
    a, b, d = _room(x, 0, y, u1, u2, u3), _room(x, 1, y, u1, u2, u3), _room(x, 2, y, u1, u2, u3)
    k = 0 if a >= b and a >= d else (1 if b >= d else 2)
    return R, c, y, k, max(a, max(b, d))


@kernel
def geometry(x, work):
    R, c, y, k, _ = _face(x, work)
    sign = 1.0 if y[k] >= 0.0 else -1.0
    n = mul_vec(R, (sign if k == 0 else 0.0, sign if k == 1 else 0.0, sign if k == 2 else 0.0))
    return abs(y[k]) - x.half[k], n, c


@kernel
def motion(x, work):
    _, n, c = geometry(x, work)
    return turning_a(x, work, n), speed_b(x, work, c)


@kernel
def inside(x, work):
    return _face(x, work)[4]


def fill(c: CornerOnBox, x: Any, place: Any) -> None:
    fill_box(c, x, place)
    x["center"] = place.point(c.body_b, c.center)
    for k in range(3):
        x[f"out{k + 1}"] = place.direction(c.body_b, c.out[k])


FAMILY = register_family(CornerOnBox, corner_on_box_t, geometry, motion, fill, inside)
