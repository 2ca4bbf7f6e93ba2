"""Knife edge: a point of a body does not move along a direction that the body carries, n . v(x) = 0."""

from typing import Any

import numpy as np

from cotree.constraints.jets import motion_of, put_carried_jets
from cotree.constraints.row_wrench import force_at, put_between, put_rate_between
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.model.constraints import KnifeEdge
from cotree.system.row_kinds import RowKind, register, row_gaps, row_jets, row_rates, row_wrenches
from cotree.system.rows import RowBuilder

edge_t = np.dtype(
    [("row", "i8"), ("piece", "i8"), ("link", "i8"), ("point", "f8", 3), ("direction", "f8", 3)], align=True
)


@row_gaps(edge_t)
def put_gaps(edge, base, s, motions, q, g):
    """It holds velocities only."""


@row_wrenches(edge_t)
def put_wrenches(edge, base, s):
    """Unit force along the forbidden direction."""
    C = pose(s.work[edge.link].C)
    W = force_at(se3.act(C, vec(edge.point)), mul_vec(C[0], vec(edge.direction)))
    put_between(s, base + edge.piece, W)
    return 0


@row_rates(edge_t)
def put_rates(edge, base, s):
    """It moves with the body."""
    W = twist(s.wrenches[base + edge.piece].Wb)
    put_rate_between(s, base + edge.piece, se3.cobracket(twist(s.work[edge.link].V), W))


@row_jets(edge_t)
def put_changes(edge, base, s, m, a, out):
    put_carried_jets(out, twist(s.wrenches[base + edge.piece].Wb), motion_of(m, 1))


def fill(c: KnifeEdge, x: Any, build: RowBuilder) -> None:
    place = build.place
    x["link"] = place.link(c.body)
    x["point"], x["direction"] = place.point(c.body, c.point), place.direction(c.body, c.direction)
    build.row()
    build.between("ground", c.body)


register(RowKind(KnifeEdge, edge_t, put_gaps, put_wrenches, put_rates, fill, jets=put_changes, carrier=lambda _: 1))
