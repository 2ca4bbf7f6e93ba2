"""Phases and switches of a run in a results file: numbers as arrays, one row each, and the rest as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from cotree.errors import DocumentError
from cotree.io.native.error_paths import located
from cotree.io.native.texts import as_json
from cotree.io.results.active_sets import Stored, topology_data, topology_of
from cotree.io.results.hdf5_files import put_numbers, put_text
from cotree.io.results.hdf5_reading import numbers, readable, structured, whole_numbers

if TYPE_CHECKING:
    from cotree.integrate.events.event import Occurrence
    from cotree.integrate.phases.phase import Phase, Switch
    from cotree.integrate.results.run import Run
    from cotree.system.system import System


def write_phases(file: Any, run: Run) -> None:
    """Groups `phases` and `switches`; none where the topology does not change."""
    if not run.phases:
        return
    group = file.create_group("phases")
    put_numbers(group, "begin", np.array([p.begin for p in run.phases]))
    put_numbers(group, "end", np.array([p.end for p in run.phases]))
    put_numbers(group, "rows", np.array([p.rows for p in run.phases], dtype=np.int64))
    put_text(group, "topology", as_json([topology_data(p.topology) for p in run.phases]))
    put_text(group, "counted", as_json([p.counted for p in run.phases]))
    _write_switches(file.create_group("switches"), run)


def _write_switches(group: Any, run: Run) -> None:
    from cotree.integrate.phases.phase import Switch

    found = run.switches
    places = [k for k, e in enumerate(run.events) if isinstance(e, Switch)]
    put_numbers(group, "event", np.array(places, dtype=np.int64))
    put_numbers(group, "v_before", np.array([s.v_before for s in found], dtype=float).reshape(-1, run.system.nv))
    for name in ("energy_loss", "supplied"):
        put_numbers(group, name, np.array([getattr(s, name) for s in found], dtype=float), units="J")
    put_text(group, "what", as_json([{"changes": s.changes, "impulses": s.impulses, "names": s.names} for s in found]))


class What(msgspec.Struct):
    """What happened at a switch."""

    changes: tuple[tuple[str, str], ...]
    impulses: dict[str, list[float]]
    names: tuple[str, ...]


def read_phases(file: Any, base: System, rows: int) -> tuple[Phase, ...]:
    """The phases, with their systems made again from the mechanism's; rows: how many the run has."""
    from cotree.integrate.phases.phase import Phase

    if "phases" not in file:
        return ()
    group = file["phases"]
    begin = numbers(group, "begin", (None,))
    n = len(begin)
    end, ranges = numbers(group, "end", (n,)), whole_numbers(group, "rows", (n, 2), rows)
    stored = structured(group, "topology", list[Stored])
    counted = structured(group, "counted", list[dict[str, float]]) if "counted" in group else [{}] * n  # older files
    if not (n == len(stored) == len(counted)) or np.any(ranges[:, 0] > ranges[:, 1]) or np.any(end < begin):
        raise DocumentError("phases: their times, rows and topologies are inconsistent; the file is damaged")
    with located("phases/topology"), readable("phases/topology"):
        topologies = [topology_of(data, base.mechanism) for data in stored]
        systems = [topology.system(base) for topology in topologies]
    rest = zip(begin, end, systems, topologies, ranges, counted, strict=True)
    return tuple(Phase(float(b), float(e), s, t, (int(r[0]), int(r[1])), turns) for b, e, s, t, r, turns in rest)


def with_switches(
    file: Any, events: tuple[Occurrence, ...], phases: tuple[Phase, ...], base: System
) -> tuple[Occurrence, ...]:
    """The events, those that were switches with all that belongs to one."""
    from cotree.integrate.phases.phase import phases_after

    if "switches" not in file:
        return events
    group, out = file["switches"], list(events)
    places = whole_numbers(group, "event", (None,), len(events) - 1)
    n = len(places)
    values = (
        numbers(group, "v_before", (n, base.nv)),
        numbers(group, "energy_loss", (n,)),
        numbers(group, "supplied", (n,)),
    )
    with readable("switches"):
        rows = zip(places, *values, structured(group, "what", list[What]), strict=True)
        found = [_switch(events[k], v, float(loss), float(supplied), what) for k, v, loss, supplied, what in rows]
        for place, switch, k in zip(places, found, phases_after(found, phases), strict=True):
            out[place] = _between(switch, k, phases, base)
    return tuple(out)


def _switch(e: Occurrence, v_before: Any, loss: float, supplied: float, what: What) -> Switch:
    from cotree.integrate.phases.phase import Switch

    impulses = {name: np.array(p) for name, p in what.impulses.items()}
    return Switch(
        e.name, e.t, e.q, e.v, e.terminal, e.index, v_before, what.changes, impulses, loss, supplied, what.names
    )


def _between(switch: Switch, k: int, phases: tuple[Phase, ...], base: System) -> Switch:
    """A switch with the systems of its two sides; before the first phase nothing has been switched yet."""
    from cotree.integrate.phases.schedule import first_topology

    before = phases[k - 1].system if k else first_topology(base).system(base)
    return replace(switch, before=before, system=phases[k].system if k < len(phases) else None)
