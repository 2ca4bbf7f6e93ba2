"""Bounces that end: impacts whose times come together as a geometric sequence, also by turns of several contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

LONGEST = 4  # contacts that take turns
STEADY = 1e-3  # relative change of the ratio of a sequence
SMALL = 1e-10  # of the system's length: what is left of the bounces


class End(NamedTuple):
    """The instant at which a sequence of bounces ends, the points that bounce, and how many impacts were computed."""

    t: float
    points: frozenset[str]
    impacts: int


@dataclass
class Bounces:
    """Impacts of a run so far."""

    times: list[float] = field(default_factory=list)
    points: list[frozenset[str]] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    begun: int = 0  # impact with which the present sequence began

    def note(self, t: float, points: frozenset[str], speed: float, length: float) -> frozenset[str]:
        """Note an impact of points with a speed; the points whose bounces end with it, none of them otherwise."""
        self.times.append(t)
        self.points.append(points)
        for period in range(1, LONGEST + 1):
            left = self._left(period)
            if left is not None and speed * left <= SMALL * length:
                every = frozenset().union(*self.points[-period:])
                self.ends.append(End(t + left, every, len(self.times) - self.begun))
                self.begun = len(self.times)
                return every
        return frozenset()

    def _left(self, period: int) -> float | None:
        """Time that is left of a sequence of this period; None where there is none."""
        own, n = self.points[self.begun :], 3 * period + 1
        if len(own) < n or any(own[-1 - k] != own[-1 - k - period] for k in range(2 * period + 1)):
            return None
        t = self.times[-1 : -1 - n : -period]
        a, b, c = t[0] - t[1], t[1] - t[2], t[2] - t[3]
        if not 0.0 < a < b < c:
            return None
        ratio = a / b
        return a * ratio / (1.0 - ratio) if abs(ratio - b / c) <= STEADY * ratio else None
