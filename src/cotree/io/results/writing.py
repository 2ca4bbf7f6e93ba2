"""Results files in HDF5: a run with its model and settings, from which everything else can be computed again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.errors import ShapeError
from cotree.io.atomic import encodable
from cotree.io.model_file import to_json
from cotree.io.native.texts import as_json, package
from cotree.io.paths import path_of
from cotree.io.results.contacts import size_of_contacts, write_contacts
from cotree.io.results.hdf5_files import put_list_of_parts, put_numbers, put_text, write_hdf5
from cotree.io.results.phases import write_phases
from cotree.model.checks import shown
from cotree.model.naming import printable

if TYPE_CHECKING:  # slow to load, and not needed for model files
    from cotree.integrate.results.run import Run

FORMAT, VERSION = "cotree run", 1


def save_run(run: Run, path: str | Path) -> None:
    """Write a run to an HDF5 file: t, q, v, work, events, crossings, phases, switches, contacts, model, settings, status."""
    from cotree.integrate.checks.missing_functions import loaded_without
    from cotree.integrate.results.run import Run
    from cotree.system.coordinate_labels import coordinate_labels, velocity_labels

    h5py = package("h5py", "results")
    if not isinstance(run, Run):
        raise ShapeError(f"only a Run can be saved as results, got {shown(run)}; give the return value of ct.simulate")
    path = path_of(path, "run.save(path)")
    lacks = {str(w) for w in loaded_without(run.system.mechanism)}  # of this copy, not of the run
    noted = [w for w in run.noted if str(w) not in lacks]
    texts = {"model": to_json(run.system.mechanism), "compiled": as_json(run.system.choices)}
    texts |= {"settings": as_json(asdict(run.settings)), "statistics": as_json(run.statistics)}
    texts |= {"crossings": as_json([asdict(c) for c in run.crossings])}
    texts |= {"warnings": as_json([{"kind": w.kind, "text": str(w), "t": w.t} for w in noted])}

    def fill(file: Any) -> None:
        file.attrs.update(_head(run))
        for name, text in texts.items():
            put_text(file, name, text)
        put_numbers(file, "t", run.t, units="s")
        for name, labels in (("q", coordinate_labels(run.system)), ("v", velocity_labels(run.system))):
            words = {"names": np.array(labels.names, dtype=object), "units": np.array(labels.units, dtype=object)}
            put_numbers(file, name, getattr(run, name), **words)
        put_numbers(file, "work", run.work, names=["supplied", "dissipated", "lost"], units="J")
        if run.states.size:
            put_numbers(file, "states", run.states, names=np.array(run.system.state_names, dtype=object))
        _write_events(file.create_group("events"), run)
        write_phases(file, run)
        write_contacts(file, run)
        put_list_of_parts(file)

    with encodable(Path(path).name):
        size = sum(x.nbytes for x in (run.t, run.q, run.v, run.work)) + size_of_contacts(run)
        write_hdf5(h5py, path, size, fill)


def _head(run: Run) -> dict[str, Any]:
    import cotree

    names = {"name": run.system.name, "status": run.status, "message": printable(run.message)}
    return {"format": FORMAT, "version": VERSION, "cotree": cotree.__version__, **names}


def _write_events(group: Any, run: Run) -> None:
    """One row per event."""
    group["name"] = np.array([e.name for e in run.events], dtype=object if run.events else "S1")
    put_numbers(group, "t", np.array([e.t for e in run.events], dtype=float))
    put_numbers(group, "q", np.array([e.q for e in run.events], dtype=float).reshape(-1, run.system.nq))
    put_numbers(group, "v", np.array([e.v for e in run.events], dtype=float).reshape(-1, run.system.nv))
    group["terminal"] = np.array([e.terminal for e in run.events], dtype=bool)
    put_numbers(group, "index", np.array([e.index for e in run.events], dtype=np.int64))
