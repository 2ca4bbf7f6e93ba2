"""Distance of two points: |x_b - x_a| - length(t) = 0, velocity e . (dx_b/dt - dx_a/dt) along the line e between them."""

from typing import Any

import numpy as np

from cotree.constraints.jets import minus, motion_of, point, put_force_jets, unit
from cotree.constraints.row_wrench import force_at, force_rate, put_between, put_rate_between, velocity_at
from cotree.engine.choosing import select
from cotree.engine.kernel import kernel
from cotree.errors import ConstraintError
from cotree.lie import se3
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import axpy, dot, scale, sub
from cotree.model.constraints import Distance, Motion
from cotree.system.row_kinds import RowKind, register, row_gaps, row_jets, row_rates, row_wrenches
from cotree.system.rows import RowBuilder

distance_t = np.dtype(
    [
        ("row", "i8"),
        ("piece", "i8"),
        ("link_a", "i8"),
        ("link_b", "i8"),
        ("point_a", "f8", 3),
        ("point_b", "f8", 3),
    ],
    align=True,
)


@kernel
def line(d, work):
    """(x_a, x_b, e, length); no direction at zero length."""
    a, b = se3.act(pose(work[d.link_a].C), vec(d.point_a)), se3.act(pose(work[d.link_b].C), vec(d.point_b))
    r = sub(b, a)
    length = np.sqrt(dot(r, r))
    return a, b, scale(select(length > 0.0, 1.0 / length, 0.0), r), length


@row_gaps(distance_t)
def put_gaps(d, base, s, motions, q, g):
    g[base + d.row] = line(d, s.work)[3] - motions[s.rows[base + d.row].slot, 0]


@row_wrenches(distance_t)
def put_wrenches(d, base, s):
    _, b, e, _ = line(d, s.work)
    put_between(s, base + d.piece, force_at(b, e))
    return 0


@row_rates(distance_t)
def put_rates(d, base, s):
    """The direction of the line turns with the part of the relative velocity across it."""
    a, b, e, length = line(d, s.work)
    x_dot = velocity_at(twist(s.work[d.link_b].V), b)
    r_dot = sub(x_dot, velocity_at(twist(s.work[d.link_a].V), a))
    e_dot = scale(select(length > 0.0, 1.0 / length, 0.0), axpy(-dot(e, r_dot), e, r_dot))
    put_rate_between(s, base + d.piece, force_rate(b, e, x_dot, e_dot))


@row_jets(distance_t)
def put_changes(d, base, s, m, a, out):
    x_a, x_b, _, _ = line(d, s.work)
    b = point(x_b, motion_of(m, 1))
    put_force_jets(out, b, unit(minus(b, point(x_a, motion_of(m, 0)))))


def fill(c: Distance, x: Any, build: RowBuilder) -> None:
    place = build.place
    a, b = place.point(c.body_a, c.point_a), place.point(c.body_b, c.point_b)
    length = c.length if c.length is not None else Motion(float(np.linalg.norm(b - a)))
    if length.constant and length.value == 0.0:
        raise ConstraintError(
            f"distance {c.name!r}: its points coincide in the reference assembly; give a length, or use ct.Spherical"
        )
    x["link_a"], x["link_b"] = place.link(c.body_a), place.link(c.body_b)
    x["point_a"], x["point_b"] = a, b
    build.row(length)
    build.between(c.body_a, c.body_b)


register(RowKind(Distance, distance_t, put_gaps, put_wrenches, put_rates, fill, jets=put_changes, on_lanes=True))
