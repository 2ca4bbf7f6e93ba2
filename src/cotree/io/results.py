"""Results files in HDF5: a run with its model and settings, from which everything else can be computed again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.errors import DocumentError, RunWarning, ShapeError
from cotree.io.atomic import encodable
from cotree.io.building import Functions
from cotree.io.hdf5_files import write_hdf5
from cotree.io.model_file import from_json, to_json
from cotree.io.paths import path_of
from cotree.io.phases import read_phases, with_switches, write_phases
from cotree.io.places import located
from cotree.io.texts import as_json, package
from cotree.model.checks import shown

if TYPE_CHECKING:  # both are slow to load, and not needed for model files
    from cotree.integrate.run import Run
    from cotree.system.system import System

FORMAT, VERSION = "cotree run", 1


def save_run(run: Run, path: str | Path) -> None:
    """Write a run to an HDF5 file: t, q, v, work, events, crossings, phases, switches, model, settings, statistics, status."""
    from cotree.integrate.run import Run
    from cotree.system.labels import coordinate_labels, velocity_labels

    h5py = package("h5py", "results")
    if not isinstance(run, Run):
        raise ShapeError(f"a results file holds a Run, got {shown(run)}; give what ct.simulate returned")
    path = path_of(path, "run.save(path)")
    texts = {"model": to_json(run.system.mechanism), "compiled": as_json(run.system.choices)}
    texts |= {"settings": as_json(asdict(run.settings)), "statistics": as_json(run.statistics)}
    texts |= {"crossings": as_json([asdict(c) for c in run.crossings])}
    texts |= {"warnings": as_json([{"kind": w.kind, "text": str(w), "t": w.t} for w in run.noted])}

    def fill(file: Any) -> None:
        file.attrs.update(_head(run))
        for name, text in texts.items():
            file[name] = text
        file["t"] = run.t
        file["t"].attrs["units"] = "s"
        for name, labels in (("q", coordinate_labels(run.system)), ("v", velocity_labels(run.system))):
            file[name] = getattr(run, name)
            file[name].attrs["names"] = np.array(labels.names, dtype=object)
            file[name].attrs["units"] = np.array(labels.units, dtype=object)
        file["work"] = run.work
        file["work"].attrs["names"], file["work"].attrs["units"] = ["supplied", "dissipated", "lost"], "J"
        _write_events(file.create_group("events"), run)
        write_phases(file, run)

    with encodable(Path(path).name):
        write_hdf5(h5py, path, sum(x.nbytes for x in (run.t, run.q, run.v, run.work)), fill)


def _head(run: Run) -> dict[str, Any]:
    import cotree

    names = {"name": run.system.name, "status": run.status, "message": run.message}
    return {"format": FORMAT, "version": VERSION, "cotree": cotree.__version__, **names}


def _write_events(group: Any, run: Run) -> None:
    """One row an event."""
    group["name"] = np.array([e.name for e in run.events], dtype=object if run.events else "S1")
    group["t"] = np.array([e.t for e in run.events], dtype=float)
    group["q"] = np.array([e.q for e in run.events], dtype=float).reshape(-1, run.system.nq)
    group["v"] = np.array([e.v for e in run.events], dtype=float).reshape(-1, run.system.nv)
    group["terminal"] = np.array([e.terminal for e in run.events], dtype=bool)
    group["index"] = np.array([e.index for e in run.events], dtype=np.int64)


# -- and back ------------------------------------------------------------------------------------------------


def load_run(path: str | Path, functions: Functions | None = None) -> Run:
    """The run in a results file, with its system compiled again.

    functions: by name, those in Python that the model refers to; without them its forces are zero and its drivers constant,
    which the mechanism says when printed.
    """
    h5py = package("h5py", "results")
    path = path_of(path, "load_run(path)")
    with located(path.name):
        try:
            file = h5py.File(path, "r")
        except FileNotFoundError:
            raise
        except OSError as error:
            raise DocumentError(f"this is no HDF5 file: {error}") from None
        with file:
            _check_head(file)
            return _read(file, functions)


def _check_head(file: Any) -> None:
    if file.attrs.get("format") != FORMAT:
        raise DocumentError("this is no results file of Cotree; ct.load reads model files")
    if file.attrs["version"] != VERSION:
        raise DocumentError(
            f"results file of version {file.attrs['version']}, only {VERSION} is known here; a later Cotree may read it"
        )


def _read(file: Any, functions: Functions | None) -> Run:
    from cotree.integrate.crossings import Crossing
    from cotree.integrate.run import Run

    with located("model"):
        mech = from_json(_text(file, "model"), functions, missing="zero")
        system = mech.compile(**json.loads(_text(file, "compiled")))
    _check_names(file, system)
    crossings = [Crossing(**{**c, "joints": tuple(c["joints"])}) for c in json.loads(_text(file, "crossings"))]
    phases = read_phases(file, system)
    return Run(
        system=system, t=file["t"][()], q=file["q"][()], v=file["v"][()], status=file.attrs["status"],
        message=file.attrs["message"], statistics=json.loads(_text(file, "statistics")), settings=_settings(file),
        events=with_switches(file, _events(file["events"]), phases, system), crossings=tuple(crossings),
        work=_work(file["work"][()]), phases=phases, noted=_noted(file),
    )  # fmt: skip


def _noted(file: Any) -> tuple[RunWarning, ...]:
    """Warnings noted while the run was made; files from before there were any have none."""
    return tuple(RunWarning(**w) for w in json.loads(_text(file, "warnings"))) if "warnings" in file else ()


def _work(work: Any) -> Any:
    """(k, 3); files from before there were impacts have no column for what was lost in them."""
    return np.pad(work, ((0, 0), (0, 3 - work.shape[1])))


def _settings(file: Any) -> Any:
    from cotree.integrate.settings import Settings

    settings = json.loads(_text(file, "settings"))
    if settings["partition"] is not None:
        settings["partition"] = {level: tuple(names) for level, names in settings["partition"].items()}
    return Settings(**settings)


def _text(file: Any, name: str) -> str:
    return str(file[name].asstr()[()])


def _check_names(file: Any, system: System) -> None:
    """The system compiled from the model must be the one that the numbers belong to."""
    from cotree.system.labels import coordinate_labels, velocity_labels

    for which, labels in (("q", coordinate_labels(system)), ("v", velocity_labels(system))):
        stored = list(file[which].attrs["names"])
        if stored != labels.names or file[which].shape[1] != len(labels.names):
            raise DocumentError(
                f"{which} has the entries {', '.join(stored)}, but the model compiles to {', '.join(labels.names)}; this "
                "version of Cotree chooses other coordinates, or the file was changed: simulate again"
            )


def _events(group: Any) -> tuple[Any, ...]:
    from cotree.integrate.events import Occurrence

    names = [n.decode() for n in group["name"][()]]
    t, q, v, terminal, index = (group[key][()] for key in ("t", "q", "v", "terminal", "index"))
    rows = zip(names, map(float, t), q, v, map(bool, terminal), map(int, index), strict=True)
    return tuple(Occurrence(*row) for row in rows)
