"""Phases and switches of a run in a results file: numbers as arrays, one row each, and the rest as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.io.texts import as_json
from cotree.io.topologies import topology_data, topology_of

if TYPE_CHECKING:
    from cotree.integrate.events import Occurrence
    from cotree.integrate.phases import Phase, Switch
    from cotree.integrate.run import Run
    from cotree.system.system import System


def write_phases(file: Any, run: Run) -> None:
    """Groups `phases` and `switches`; none where the topology does not change."""
    if not run.phases:
        return
    group = file.create_group("phases")
    group["begin"], group["end"] = [p.begin for p in run.phases], [p.end for p in run.phases]
    group["rows"] = np.array([p.rows for p in run.phases], dtype=np.int64)
    group["topology"] = as_json([topology_data(p.topology) for p in run.phases])
    group["counted"] = as_json([p.counted for p in run.phases])
    _write_switches(file.create_group("switches"), run)


def _write_switches(group: Any, run: Run) -> None:
    from cotree.integrate.phases import Switch

    found = run.switches
    group["event"] = np.array([k for k, e in enumerate(run.events) if isinstance(e, Switch)], dtype=np.int64)
    group["v_before"] = np.array([s.v_before for s in found], dtype=float).reshape(-1, run.system.nv)
    for name in ("energy_loss", "supplied"):
        group[name] = np.array([getattr(s, name) for s in found], dtype=float)
        group[name].attrs["units"] = "J"
    group["what"] = as_json([{"changes": s.changes, "impulses": s.impulses, "names": s.names} for s in found])


def read_phases(file: Any, base: System) -> tuple[Phase, ...]:
    """The phases, with their systems made again from the mechanism's."""
    from cotree.integrate.phases import Phase

    if "phases" not in file:
        return ()
    group = file["phases"]
    topologies = [topology_of(data, base.mechanism) for data in json.loads(group["topology"].asstr()[()])]
    counted = json.loads(group["counted"].asstr()[()]) if "counted" in group else [{}] * len(topologies)  # older files
    numbers = zip(group["begin"][()], group["end"][()], group["rows"][()], topologies, counted, strict=True)
    return tuple(
        Phase(float(begin), float(end), topology.system(base), topology, (int(first), int(last)), dict(turns))
        for begin, end, (first, last), topology, turns in numbers
    )


def with_switches(
    file: Any, events: tuple[Occurrence, ...], phases: tuple[Phase, ...], base: System
) -> tuple[Occurrence, ...]:
    """The events, those that were switches with all that belongs to one."""
    from cotree.integrate.phases import phases_after

    if "switches" not in file:
        return events
    group, out = file["switches"], list(events)
    places = group["event"][()]
    numbers = (group["v_before"][()], group["energy_loss"][()], group["supplied"][()])
    rows = zip(places, *numbers, json.loads(group["what"].asstr()[()]), strict=True)
    found = [_switch(events[k], v, float(loss), float(supplied), words) for k, v, loss, supplied, words in rows]
    for place, switch, k in zip(places, found, phases_after(found, phases), strict=True):
        out[place] = _between(switch, k, phases, base)
    return tuple(out)


def _switch(e: Occurrence, v_before: Any, loss: float, supplied: float, words: dict[str, Any]) -> Switch:
    from cotree.integrate.phases import Switch

    impulses = {name: np.array(p) for name, p in words["impulses"].items()}
    changes = tuple((name, what) for name, what in words["changes"])
    return Switch(
        e.name, e.t, e.q, e.v, e.terminal, e.index, v_before, changes, impulses, loss, supplied, tuple(words["names"])
    )


def _between(switch: Switch, k: int, phases: tuple[Phase, ...], base: System) -> Switch:
    """A switch with the systems of its two sides; before the first phase nothing has been switched yet."""
    from cotree.integrate.schedule import first_topology

    before = phases[k - 1].system if k else first_topology(base).system(base)
    return replace(switch, before=before, system=phases[k].system if k < len(phases) else None)
