"""Loops over the members of a batch, around kernels that evaluate one state.

The kernel `evaluate(tables, values, q, v, w, out)` returns a status, 0 for success. It is compiled for numbers, one member
after the other, and for lanes, several members at once: the same source. Where members are left over, the last one fills the
lanes that remain, so that each is computed in the same way wherever it stands.
"""

from __future__ import annotations

from typing import Any

from cotree.engine.kernel import kernel, released
from cotree.engine.lane_records import lane_matrix_at, lane_vector
from cotree.engine.lane_type import LANES
from cotree.engine.records import matrix
from cotree.engine.vectors import all_finite
from cotree.system.lane_tables import lane_tables
from cotree.system.lane_views import lanes_at, open_lane_tables
from cotree.system.views import open_tables

NOT_FINITE = -1  # status of a member whose result is not finite


@kernel
def gather(x, first, into):
    """Rows of x from one on, as lanes; a single row stands for all."""
    rows = x.shape[0]
    for k in range(LANES):
        row = 0 if rows == 1 else min(first + k, rows - 1)
        for i in range(x.shape[1]):
            into[i, k] = x[row, i]


@kernel
def scatter(lanes, first, out):
    """Lanes as rows of out from one on, as many as there are."""
    for k in range(min(LANES, out.shape[0] - first)):
        for i in range(out.shape[1]):
            out[first + k, i] = lanes[i, k]


@kernel
def row(x, b):
    """Row b; a single row stands for all."""
    return x[0 if x.shape[0] == 1 else b]


@kernel
def judge(status, q, v, w, out, b):
    """The status of a member, or that its arguments or its result are not finite."""
    if status != 0:
        return status
    good = all_finite(row(q, b)) and all_finite(row(v, b)) and all_finite(row(w, b)) and all_finite(out[b])
    return 0 if good else NOT_FINITE


def on_lanes(evaluate: Any) -> Any:
    """Members first to last - 1, LANES at a time; a status other than 0 is that of one of those at a time."""

    def loop(
        here: Any, own: Any, values: Any, q: Any, v: Any, w: Any, out: Any, status: Any, first: int, last: int
    ) -> None:
        lanes = lanes_at(own)
        tables = open_lane_tables(here, lanes)
        x, y, z, u = lane_vector(lanes.q), lane_vector(lanes.v), lane_vector(lanes.w), lane_vector(lanes.out)
        xs, ys, zs, us = matrix(lanes.q), matrix(lanes.v), matrix(lanes.w), matrix(lanes.out)
        for b in range(first, last, LANES):
            gather(q, b, xs)
            gather(v, b, ys)
            gather(w, b, zs)
            found = evaluate(tables, values, x, y, z, u)
            scatter(us, b, out)
            for k in range(b, min(b + LANES, last)):
                status[k] = judge(found, q, v, w, out, k)

    return released(named_after(evaluate, loop, "on_lanes"))


def on_numbers(evaluate: Any) -> Any:
    """Members first to last - 1, one at a time."""

    def loop(
        here: Any, own: Any, values: Any, q: Any, v: Any, w: Any, out: Any, status: Any, first: int, last: int
    ) -> None:
        tables = open_tables(here)
        for b in range(first, last):
            found = evaluate(tables, values, row(q, b), row(v, b), row(w, b), out[b])
            status[b] = judge(found, q, v, w, out, b)

    return released(named_after(evaluate, loop, "on_numbers"))


@kernel
def gather_of(x, m, count, first, into):
    """Rows of x of the systems from one on, as lanes; state m of each. A single row stands for all."""
    rows = x.shape[0]
    for k in range(LANES):
        row = 0 if rows == 1 else m * count + min(first + k, count - 1)
        for i in range(x.shape[1]):
            into[i, k] = x[row, i]


def of_systems(evaluate: Any) -> Any:
    """States m * count + k of systems k, those of groups first to last - 1: a group has tables of lanes of its own. states: how
    many of each; slots: rows of the values of the force elements."""

    def loop(
        groups: Any, addresses: Any, slots: int, own: Any, q: Any, v: Any, w: Any, out: Any, status: Any, count: int,
        states: int, first: int, last: int,
    ) -> None:  # fmt: skip
        lanes = lanes_at(own)
        x, y, z, u = lane_vector(lanes.q), lane_vector(lanes.v), lane_vector(lanes.w), lane_vector(lanes.out)
        xs, ys, zs, us = matrix(lanes.q), matrix(lanes.v), matrix(lanes.w), matrix(lanes.out)
        for group in range(first, last):
            tables, values = lane_tables(groups[group]), lane_matrix_at(addresses[group], slots, 3)
            b = group * LANES
            for m in range(states):
                gather_of(q, m, count, b, xs)
                gather_of(v, m, count, b, ys)
                gather_of(w, m, count, b, zs)
                found = evaluate(tables, values, x, y, z, u)
                for k in range(min(LANES, count - b)):
                    member = m * count + b + k
                    for i in range(out.shape[1]):
                        out[member, i] = us[i, k]
                    status[member] = judge(found, q, v, w, out, member)

    return released(named_after(evaluate, loop, "of_systems"))


def named_after(evaluate: Any, loop: Any, how: str) -> Any:
    """The loop under a name of its own, by which its code is stored."""
    inner = evaluate.py_func
    loop.__name__, loop.__qualname__ = f"{inner.__name__}_{how}", f"{inner.__qualname__}_{how}"
    loop.__module__, loop.__doc__ = inner.__module__, inner.__doc__
    return loop
