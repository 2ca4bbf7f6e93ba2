"""A constraint kind written outside the package: a point of one body stays in a plane that another body carries.

gap = n . (x - p), which is what the force n at x does no work on; n and p move with body a, x with body b.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.constraints.row_wrench import force_at, force_rate, put_between, put_rate_between, velocity_at
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import cross, dot, sub
from cotree.model.constraints import Constraint
from cotree.system.row_kinds import RowKind, register, row_gaps, row_rates, row_wrenches

slot_t = np.dtype(
    [
        ("row", "i8"), ("piece", "i8"), ("link_a", "i8"), ("link_b", "i8"),
        ("plane_point", "f8", 3), ("normal", "f8", 3), ("point", "f8", 3),
    ],
    align=True,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Slot(Constraint):
    """The point of body b, told in the frame of its data, stays in a plane of body a."""

    name: str
    body_a: str
    plane_point: Any
    normal: Any
    body_b: str
    point: Any
    word: str = "slot"

    rows, holonomic = 1, (True,)

    @property
    def bodies(self):
        return self.body_a, self.body_b


@kernel
def touching(x, work):
    """(p, n, point): plane and point in the world."""
    A, B = pose(work[x.link_a].C), pose(work[x.link_b].C)
    return se3.act(A, vec(x.plane_point)), mul_vec(A[0], vec(x.normal)), se3.act(B, vec(x.point))


@row_gaps(slot_t)
def gaps(x, base, s, motions, q, g):
    p, n, point = touching(x, s.work)
    g[base + x.row] = dot(n, sub(point, p))


@row_wrenches(slot_t)
def wrenches(x, base, s):
    _, n, point = touching(x, s.work)
    put_between(s, base + x.piece, force_at(point, n))
    return 0


@row_rates(slot_t)
def rates(x, base, s):
    _, n, point = touching(x, s.work)
    n_dot = cross(twist(s.work[x.link_a].V)[0], n)
    put_rate_between(s, base + x.piece, force_rate(point, n, velocity_at(twist(s.work[x.link_b].V), point), n_dot))


def fill(c, x, build):
    place = build.place
    x["link_a"], x["link_b"] = place.link(c.body_a), place.link(c.body_b)
    x["plane_point"] = place.point(c.body_a, np.array(c.plane_point))
    x["normal"] = place.direction(c.body_a, np.array(c.normal))
    x["point"] = place.point(c.body_b, np.array(c.point))
    build.row()
    build.between(c.body_a, c.body_b)


KIND = register(RowKind(Slot, slot_t, gaps, wrenches, rates, fill))
