"""Stops of limits as rows of a mechanism at rest: which are leant on, which would pull, which have been passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree.judge import CLOSED
from cotree.studies.statics import Rest, Statics

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stop:
    """A stop of a limit: the row that reads its coordinate, and its bounds."""

    row: int
    lower: float
    upper: float

    def side(self, value: float) -> int:
        """1 at or above the upper bound, -1 at or below the lower, else 0."""
        near = 1e-12 * max(1.0, abs(value))
        return 1 if value >= self.upper - near else -1 if value <= self.lower + near else 0


def passed(rest: Rest, stops: Mapping[str, Stop], q: Array) -> bool:
    """Whether a position is beyond a stop."""
    return any(x < s.lower - CLOSED or x > s.upper + CLOSED for s, x in values_at(rest, stops, q))


def values_at(rest: Rest, stops: Mapping[str, Stop], q: Array) -> list[tuple[Stop, float]]:
    if not stops:
        return []
    plain = replace(rest, open=frozenset(), shut={})
    g = plain.gap(q)
    return [(s, float(g[s.row])) for s in stops.values()]


def leant(rest: Rest, stops: Mapping[str, Stop], q: Array) -> Rest:
    """With the stops shut that q is at or beyond."""
    shut = {}
    for stop, value in values_at(rest, stops, q):
        side = stop.side(value)
        if side:
            shut[stop.row] = stop.upper if side > 0 else stop.lower
    return replace(rest, shut={**rest.shut, **shut})


def left(rest: Rest, row: int) -> Rest:
    return replace(rest, shut={r: x for r, x in rest.shut.items() if r != row})


def pulling(rest: Rest, stops: Mapping[str, Stop], now: Statics) -> int | None:
    """Row of the stop that pulls most; its multiplier is that of a push where it has the sign of its side."""
    place = {int(r): i for i, r in enumerate(rest.rows)}
    worst, found = 1e-11 * now.scale, None
    for stop in stops.values():
        if stop.row in rest.shut:
            side = 1.0 if rest.shut[stop.row] == stop.upper else -1.0
            pull = -side * float(now.lam[place[stop.row]])
            if pull > worst:
                worst, found = pull, stop.row
    return found
