"""What is to be switched when: times in order, events that wait, and what an action does to the topology."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree.errors import SwitchError
from cotree.formulations.loading import loaded_brakes
from cotree.integrate.events.breaking import BREAKS, breaking
from cotree.integrate.events.docking import docking, is_near
from cotree.integrate.events.event import Event
from cotree.model.functions import word_of
from cotree.model.switches import Action, Blows, Brake, Breaking, Dock, Limit, Lock
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet, place_of
from cotree.transitions.closing import dock_of, lock_of
from cotree.transitions.engaging import offset_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Changed:
    """A topology after actions; new: names of constraints that hold from now on; words: what was done, by device; blows:
    impulses that act."""

    topology: ActiveSet
    new: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    blows: tuple[str, ...] = ()


def first_topology(base: System) -> ActiveSet:
    """Before any action: constraints that wait are off, all else of the mechanism is in force."""
    return ActiveSet(off=base.mechanism.off_at_start)


def timed(base: System, begin: float) -> list[Action]:
    """Actions at times after the start, in their order; at one time what lets go comes first."""
    later = [a for a in base.mechanism.actions if a.trigger.at is not None and a.trigger.at > begin]
    return sorted(later, key=lambda a: (a.trigger.at or 0.0, a.on))


def at_start(base: System, begin: float) -> list[Action]:
    """Actions that are due at the start: those without a time, and those of times that are past, in their order."""
    due = [
        a for a in base.mechanism.actions if a.trigger.when is None and (a.trigger.at is None or a.trigger.at <= begin)
    ]
    return sorted(due, key=lambda a: (-np.inf if a.trigger.at is None else a.trigger.at, a.on))


def applied(base: System, topology: ActiveSet, t: float, q: Array, actions: Sequence[Action]) -> Changed:
    """The topology after actions at q."""
    new: list[str] = []
    words: list[tuple[str, str]] = []
    blows: list[str] = []
    for a in actions:
        if isinstance(base.mechanism.devices.get(a.target), Blows):
            blows.append(a.target)
            words.append((a.target, "strikes"))
            continue
        if is_on(base, topology, a.target) == a.on:
            continue
        topology, own = _on(base, topology, t, q, a.target) if a.on else (_off(base, topology, q, a.target), ())
        new = [n for n in new if n in topology.constraints(base)] + list(own)
        words.append((a.target, _word(base, a)))
    return Changed(topology, tuple(new), tuple(words), tuple(blows))


def _word(base: System, a: Action) -> str:
    device = base.mechanism.devices.get(a.target)
    if a.trigger is BREAKS:
        return "breaks"
    if isinstance(device, Lock):
        return "locks" if a.on else "unlocks"
    if isinstance(device, Dock):
        return "closes" if a.on else "opens"
    if isinstance(device, (Brake, Limit)):
        return "is applied" if a.on else "is released"
    return "is activated" if a.on else "is deactivated"


def is_on(base: System, topology: ActiveSet, target: str) -> bool:
    """Whether a device, constraint or joint acts."""
    if target in base.mechanism.devices:
        return target in topology.closed or target in topology.brakes or target in topology.limits
    return target not in topology.off and target not in topology.dropped


def _on(base: System, topology: ActiveSet, t: float, q: Array, target: str) -> tuple[ActiveSet, tuple[str, ...]]:
    device = base.mechanism.devices.get(target)
    if isinstance(device, Brake):
        return replace(topology, brakes={**topology.brakes, target: 0}), ()
    if isinstance(device, Limit):
        return replace(topology, limits=topology.limits | {target}), ()
    if isinstance(device, Lock):
        _not_driven(base, topology, device)
        own = lock_of(base, q, target, device.joint, device.coordinate)
        return replace(topology, closed={**topology.closed, target: own}), tuple(own)
    if isinstance(device, Dock):
        return replace(topology, closed={**topology.closed, target: {target: dock_of(base, q, device)}}), (target,)
    on = replace(topology, off=topology.off - {target}, dropped=topology.dropped - {target})
    if target in base.mechanism.constraints:
        offset = offset_of(base, base.mechanism.constraints[target], t, q, topology.dropped)
        on = replace(on, offsets={**on.offsets, target: offset} if offset else on.offsets)
    return on, (target,)


def _off(base: System, topology: ActiveSet, q: Array, target: str) -> ActiveSet:
    device = base.mechanism.devices.get(target)
    if isinstance(device, Dock) and is_near(base, device, q):  # else it would close again at once
        topology = replace(topology, released=topology.released | {target})
    if device is not None:
        return topology.without(target)
    if target in base.mechanism.joints:
        return replace(topology, dropped=topology.dropped | {target})
    offsets = {name: x for name, x in topology.offsets.items() if name != target}
    return replace(topology, off=topology.off | {target}, offsets=offsets)


def _not_driven(base: System, topology: ActiveSet, lock: Lock) -> None:
    """A lock and a driver of one coordinate contradict each other, also where they agree for a moment."""
    name = lock.joint if lock.coordinate is None else f"{lock.joint}.{lock.coordinate}"
    for c in topology.constraints(base, holds=False).values():
        if c.word == "drive" and (c.terms[0].name == name or c.terms[0].joint == name):
            raise SwitchError(
                f"lock {lock.name!r} and drive {c.name!r} both prescribe joint {lock.joint!r}; deactivate the drive "
                f"first, "
                f"mech.deactivate({c.name!r}, at=...), or leave the lock out"
            )


def check_devices(base: System) -> None:
    """Complain about brakes and limits whose coordinate cannot be measured, and about limits and locks of what is driven."""
    mech = base.mechanism
    if "contacts" in base.features and loaded_brakes(base):
        raise SwitchError(
            f"friction {loaded_brakes(base)[0].name!r} grows with the load of its joint, and mechanism {mech.name!r} has "
            "contacts; the two are not solved together: give the friction a constant torque, or leave the contacts out"
        )
    never_off = ActiveSet(off=mech.off_at_start | {a.target for a in mech.actions if not a.on})
    for device in mech.devices.values():
        if isinstance(device, Lock):
            _not_driven(base, never_off, device)
        if isinstance(device, (Brake, Limit)):
            place_of(base, device)
        if isinstance(device, Limit):
            _check_limit(base, device)
        if isinstance(device, Breaking) and loaded_brakes(base):
            raise SwitchError(
                f"{device.target!r} may break, and friction {loaded_brakes(base)[0].name!r} grows with the load; loads at "
                f"which something breaks do not know such friction: leave one of them out"
            )


def _check_limit(base: System, limit: Limit) -> None:
    name = limit.joint if limit.coordinate is None else f"{limit.joint}.{limit.coordinate}"
    for c in base.mechanism.constraints.values():
        if c.word == "drive" and c.terms[0].name == name:
            raise SwitchError(
                f"limit {limit.name!r} stops joint {limit.joint!r}, which drive {c.name!r} prescribes; leave one of them out"
            )


def waiting(base: System, topology: ActiveSet) -> list[tuple[Event, Action]]:
    """Events that would switch something now, with their actions; docks that may close by themselves."""
    found = []
    for a in base.mechanism.actions:
        if a.trigger.when is not None and is_on(base, topology, a.target) != a.on:
            whose = f"when= of {word_of(base.mechanism, a.target)} {a.target!r}"
            found.append((Event(a.trigger.when.function, a.target, True, a.trigger.direction, whose=whose), a))
    return found + docking(base, topology) + breaking(base, topology)
