"""Doubts about event functions when a run, or a phase of it, has ended: what they returned, and what may have been missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from cotree.errors import RunWarning
from cotree.formulations.callback import Callback
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.events.event import Event, Occurrence
from cotree.integrate.events.sampling import LEAST

FINER = 4  # times as often as in the run is looked at functions of time alone
CROWDED = 0.5  # events at a look: roots closer than two looks are not told apart for certain
FEW = 20  # events of which nothing is said
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)  # multiples of it are spread evenly, and in step with no period


def event_doubts(
    callback: Callback, found: Sequence[Occurrence], begin: float, end: float, spacing: float, steps: int
) -> list[RunWarning]:
    """Warnings about the events of a phase from `begin` to `end`, which were looked at once in `spacing` at least, and several
    times in each of its steps."""
    return [
        warning("events", f"{event.whose or f'event {event.name!r}'} {text}")
        for k, event in enumerate(callback.events)
        for text in (
            *_flags(callback.seen[k]),
            *_overlooked(event, sum(o.index == k for o in found), begin, end, spacing),
            *_crowded(event, sum(o.index == k for o in found), max(LEAST * steps, (end - begin) / spacing)),
        )
    ]


def _flags(values: set[float]) -> Iterator[str]:
    """A condition that is not told as such; values: the first ones that were returned."""
    if values == {0.0, 1.0}:
        yield "returned nothing but 0 and 1, and from 0 to 1 no sign changes; return the condition itself, True or False"


def _crowded(event: Event, found: int, looks: float) -> Iterator[str]:
    """A function of the state that changes its sign at every other look, so that it does so in between as well, unseen."""
    changes = found if event.direction == 0 else 2 * found
    if set(event._user.arguments) != {"t"} and changes > max(CROWDED * looks, FEW):
        yield (
            f"happened {found} times, while it was looked at about {looks:.0f} times, so that others may have been missed; use "
            "a smaller step=, or step=ct.Adaptive(max_step=...)"
        )


def _overlooked(event: Event, found: int, begin: float, end: float, spacing: float) -> Iterator[str]:
    """A function of time alone, which can be looked at again, at uneven times, that has more roots than were found."""
    if set(event._user.arguments) != {"t"} or not end > begin:
        return
    n, none = int(np.ceil(FINER * (end - begin) / spacing)), np.zeros(0)
    k = np.arange(n)
    times = begin + (k + k * GOLDEN % 1.0) * (end - begin) / n
    try:
        values = [event(t, none, none) for t in times]
    except Exception:  # which it has not raised in the run
        return
    seen = sum(event.counts(a, b) for a, b in pairwise(values))
    if seen > found:
        yield (
            f"changes its sign at least {seen} times from {begin:g} to {end:g} s, but events are looked at every "
            f"{spacing:.3g} s, and {found} {'was' if found == 1 else 'were'} found; use step=ct.Adaptive(max_step=...)"
        )
