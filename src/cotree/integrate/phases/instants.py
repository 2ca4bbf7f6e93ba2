"""What happens at one instant: actions of all its events, stops reached, brakes that give way, and what a jump sets off."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cotree.errors import RunWarning
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.driver import Driver
from cotree.integrate.events.conditions import COORDINATE, HOLDING, PUSHING
from cotree.integrate.events.docking import MEETING, PARTING, is_near
from cotree.integrate.events.event import Event, Occurrence
from cotree.integrate.events.phase_conditions import SHARED, slipping, slipping_together
from cotree.model.functions import word_of
from cotree.model.switches import Action, Dock
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet

Array = NDArray[np.float64]
Pairs = Sequence[tuple[Event, Action]]


def asked_for(base: System, pairs: Pairs, found: Sequence[Occurrence], users: int, q: Array) -> list[Action]:
    """Actions of the events of an instant, what lets go first; a dock closes only where its frames are near enough."""
    own = [pairs[o.index - users][1] for o in found if users <= o.index < users + len(pairs)]
    return sorted((a for a in own if _serious(base, a, q)), key=lambda a: a.on)


def _serious(base: System, a: Action, q: Array) -> bool:
    dock = base.mechanism.devices.get(a.target)
    return not (isinstance(dock, Dock) and a.trigger is MEETING) or is_near(base, dock, q)


def parted(actions: Sequence[Action]) -> frozenset[str]:
    """Docks whose frames have parted since they were released."""
    return frozenset(a.target for a in actions if a.trigger is PARTING)


@dataclass
class Reached:
    """Stops hit, brakes that give way with their direction, stops that are left."""

    hits: dict[str, int] = field(default_factory=dict)
    slips: dict[str, int] = field(default_factory=dict)
    leaves: tuple[str, ...] = ()


def reached(driver: Driver, base: System, topology: ActiveSet, t: float, q: Array, v: Array) -> Reached:
    """What the watches of an instant say."""
    out, first = Reached(), len(driver.callback.events)
    for o in driver.ended_with:
        if o.index < first:
            if o.name == SHARED:
                out.slips |= slipping_together(base, topology, t, q, v)
            continue
        watch = driver.watches[o.index - first]
        if watch.kind == COORDINATE:
            out.hits[watch.name] = -int(watch.sign)
        elif watch.kind == HOLDING:
            out.slips[watch.name] = slipping(driver, watch, t, q, v)
        elif watch.kind == PUSHING:
            out.leaves = (*out.leaves, watch.name)
    return out


def set_off(base: System, pairs: Pairs, t: float, q: Array, before: Array, after: Array) -> list[Action]:
    """Actions of events whose sign the jump of the velocities itself has changed."""
    own = [a for e, a in pairs if e.counts(e(t, q, before), e(t, q, after))]
    return sorted((a for a in own if _serious(base, a, q)), key=lambda a: a.on)


def crossed(
    events: Sequence[Event], t: float, q: Array, before: Array, after: Array, met: Collection[int]
) -> list[Occurrence]:
    """User events that happen in a jump of the velocities; met: places of those that this instant had anyway."""
    return [
        Occurrence(e.name, t, q.copy(), after.copy(), e.terminal, k)
        for k, e in enumerate(events)
        if k not in met and e.counts(e(t, q, before), e(t, q, after))
    ]


def true_already(base: System, pairs: Pairs, t: float, q: Array, v: Array) -> list[RunWarning]:
    """Warnings of conditions that are true at the start, which act only where they change."""
    return [
        warning(
            "events",
            f"{word_of(base.mechanism, a.target)} {a.target!r}: its condition (when=) is already true at the start, "
            f"but only a change triggers it; leave it out to act from the start, or give ct.Event(..., direction=1) "
            f"to wait until it becomes true again",
            t,
        )
        for e, a in pairs
        if a.trigger.when is not None and e.direction == 0 and e.holds(t, q, v)
    ]
