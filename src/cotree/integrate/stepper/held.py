"""Inputs over time as a stepper was given them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Held:
    """Numbers over time that stay as they were set until they are set again; the first are those before any was set."""

    times: tuple[float, ...]
    values: tuple[Any, ...]

    def __call__(self, t: float) -> Any:
        return self.values[bisect_right(self.times, t)]


def held(changes: Iterable[tuple[float, Any]], before: Any) -> Held:
    """Of changes (time, value), in order; of several at one time the last counts."""
    last = dict(changes)
    return Held(tuple(last), (before, *last.values()))
