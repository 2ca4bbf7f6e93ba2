"""Drivers, gears, couplings and locks: sum_i ratio_i q_i - motion(t) = 0.

A coordinate of the tree is read from q; that of a cut joint is measured across it.
"""

from typing import Any

import numpy as np

from cotree.constraints.jets import motion_of, put_carried_jets
from cotree.constraints.row_wrench import put_between, put_rate_between
from cotree.kinematics.cut_joint import cut_coordinate, cut_wrench
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.model.constraints import Coupling
from cotree.system.coordinate_terms import period_of
from cotree.system.row_kinds import RowKind, register, row_gaps, row_jets, row_rates, row_wrenches
from cotree.system.rows import RowBuilder

coupling_t = np.dtype(
    [
        ("row", "i8"),
        ("piece", "i8"),
        ("count", "i8"),  # of pieces, one a term
        ("period", "f8"),  # angles of cut joints are known up to turns, the sum up to multiples of this; 0: exactly
    ],
    align=True,
)


@row_gaps(coupling_t)
def put_gaps(c, base, s, motions, q, g):
    total = -motions[s.rows[base + c.row].slot, 0]
    for i in range(base + c.piece, base + c.piece + c.count):
        x = s.pieces[i]
        total += x.ratio * (q[x.iq] if x.cut < 0 else cut_coordinate(s.cuts[x.cut], x.component, s.work))
    if c.period > 0.0:
        total -= c.period * np.rint(total / c.period)
    g[base + c.row] = total


@row_wrenches(coupling_t)
def put_wrenches(c, base, s):
    for i in range(base + c.piece, base + c.piece + c.count):
        x = s.pieces[i]
        if x.cut >= 0:
            put_between(s, i, se3.times(x.ratio, cut_wrench(s.cuts[x.cut], x.component, s.work)))
    return 0


@row_rates(coupling_t)
def put_rates(c, base, s):
    """The wrench across a cut joint moves with its second body."""
    for i in range(base + c.piece, base + c.piece + c.count):
        x = s.pieces[i]
        if x.cut >= 0:
            put_rate_between(s, i, se3.cobracket(twist(s.work[x.link_b].V), twist(s.wrenches[i].Wb)))


@row_jets(coupling_t)
def put_changes(c, base, s, m, a, out):
    put_carried_jets(out, twist(s.wrenches[int(a[0])].Wb), motion_of(m, 1))


def fill(c: Coupling, x: Any, build: RowBuilder) -> None:
    x["count"] = len(c.terms)
    x["period"] = period_of(c.terms, build.mech, build.cuts, f"{c.word} {c.name!r}")
    build.row(c.motion)
    for term in c.terms:
        build.coordinate(term)


register(
    RowKind(
        Coupling, coupling_t, put_gaps, put_wrenches, put_rates, fill, jets=put_changes, carrier=lambda _: 1,
        on_lanes=True, shared=("period",),
    )
)  # fmt: skip
