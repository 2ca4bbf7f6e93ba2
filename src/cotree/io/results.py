"""Results files in HDF5: a run with its model and settings, from which everything else can be computed again."""

from __future__ import annotations

import dataclasses
import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.errors import DocumentError, ShapeError
from cotree.io.building import Functions
from cotree.io.model_file import from_json, to_json
from cotree.io.places import located
from cotree.io.texts import package

if TYPE_CHECKING:
    from cotree.integrate.run import Run
    from cotree.system.system import System

FORMAT, VERSION = "cotree run", 1
LIBVER = ("v108", "latest")  # attributes of the earliest form have no room for the names of a large system
COMPILED_BY = ("coordinates", "group", "cut", "regularize")  # settings that `Mechanism.compile` takes


def save_run(run: Run, path: str | Path) -> None:
    """Write a run to an HDF5 file: t, q, v, work, events, crossings, model, settings, statistics, status, message."""
    from cotree.io.labels import coordinate_labels, velocity_labels

    h5py = package("h5py", "results")
    if not hasattr(run, "system"):
        raise ShapeError(f"a results file holds a Run, got {run!r}; give what ct.simulate returned")
    texts = {"model": to_json(run.system.mechanism), "settings": as_json(settings_of(run))}
    texts |= {
        "statistics": as_json(run.statistics),
        "crossings": as_json([_crossing(c) for c in _of(run, "crossings")]),
    }
    with h5py.File(path, "w", libver=LIBVER) as file:
        file.attrs.update(_head(run))
        for name, text in texts.items():
            file[name] = text
        file["t"] = run.t
        file["t"].attrs["units"] = "s"
        for name, labels in (("q", coordinate_labels(run.system)), ("v", velocity_labels(run.system))):
            file[name] = getattr(run, name)
            file[name].attrs["names"] = np.array(labels.names, dtype=object)
            file[name].attrs["units"] = np.array(labels.units, dtype=object)
        if (work := getattr(run, "work", None)) is not None:
            file["work"] = work
            file["work"].attrs["names"], file["work"].attrs["units"] = ["supplied", "dissipated"], "J"
        _write_events(file.create_group("events"), run)


def _head(run: Run) -> dict[str, Any]:
    import cotree

    names = {"name": run.system.name, "status": run.status, "message": run.message}
    return {"format": FORMAT, "version": VERSION, "cotree": cotree.__version__, **names}


def settings_of(run: Run) -> dict[str, Any]:
    """How the run was made; what its system was compiled with is there in any case."""
    system = run.system
    own = {"coordinates": system.coordinates, "group": system.group, "cut": None, "regularize": True}
    return {**own, **(getattr(run, "settings", None) or {})}


def _of(run: Run, which: str) -> tuple[Any, ...]:
    return tuple(getattr(run, which, None) or ())


def _crossing(c: Any) -> dict[str, Any]:
    return {"t": c.t, "kind": c.kind, "joints": list(c.joints), "words": c.words}


def _write_events(group: Any, run: Run) -> None:
    events, system = _of(run, "events"), run.system
    group["name"] = np.array([e.name for e in events], dtype=object if events else "S1")
    group["t"] = np.array([e.t for e in events], dtype=float)
    group["q"] = np.array([e.q for e in events], dtype=float).reshape(-1, system.nq)
    group["v"] = np.array([e.v for e in events], dtype=float).reshape(-1, system.nv)
    group["terminal"] = np.array([e.terminal for e in events], dtype=bool)
    group["index"] = np.array([e.index for e in events], dtype=np.int64)


def as_json(value: Any) -> str:
    """Text of plain data; numbers of NumPy become plain, anything else what it prints as."""
    return json.dumps(value, default=lambda x: x.tolist() if isinstance(x, np.ndarray | np.generic) else repr(x))


# -- and back ------------------------------------------------------------------------------------------------


def load_run(path: str | Path, functions: Functions | None = None) -> Run:
    """The run in a results file, with its system compiled again.

    functions: by name, those in Python that the model refers to; without them its forces are zero and its drivers constant,
    which the mechanism says when printed.
    """
    h5py = package("h5py", "results")
    with located(Path(path).name):
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
    from cotree.integrate.run import Run

    settings, statistics, crossings = (json.loads(_text(file, key)) for key in ("settings", "statistics", "crossings"))
    with located("model"):
        mech = from_json(_text(file, "model"), functions, missing="zero")
        system = mech.compile(**{key: settings[key] for key in COMPILED_BY})
    _check_names(file, system)
    found = {
        "system": system, "t": file["t"][()], "q": file["q"][()], "v": file["v"][()], "settings": settings,
        "status": file.attrs["status"], "message": file.attrs["message"], "statistics": statistics,
        "events": _events(file["events"]), "work": file["work"][()] if "work" in file else None,
        "crossings": tuple(_made("Crossing", **{**c, "joints": tuple(c["joints"])}) for c in crossings),
    }  # fmt: skip
    return Run(**{f.name: found[f.name] for f in dataclasses.fields(Run) if f.name in found})


def _text(file: Any, name: str) -> str:
    return str(file[name].asstr()[()])


def _check_names(file: Any, system: System) -> None:
    """The system compiled from the model must be the one that the numbers belong to."""
    from cotree.io.labels import coordinate_labels, velocity_labels

    for which, labels in (("q", coordinate_labels(system)), ("v", velocity_labels(system))):
        stored = list(file[which].attrs["names"])
        if stored != labels.names or file[which].shape[1] != len(labels.names):
            raise DocumentError(
                f"{which} has the entries {', '.join(stored)}, but the model compiles to {', '.join(labels.names)}; this "
                "version of Cotree chooses other coordinates, or the file was changed: simulate again"
            )


def _events(group: Any) -> tuple[Any, ...]:
    names = [n.decode() for n in group["name"][()]]
    columns = {key: group[key][()] for key in ("t", "q", "v", "terminal", "index")}
    return tuple(
        _made("Event", name=name, t=float(columns["t"][k]), q=columns["q"][k], v=columns["v"][k],
              terminal=bool(columns["terminal"][k]), index=int(columns["index"][k]))
        for k, name in enumerate(names)
    )  # fmt: skip


def _made(class_name: str, **fields: Any) -> Any:
    """An Event or a Crossing."""
    run = importlib.import_module("cotree.integrate.run")
    return getattr(run, class_name, SimpleNamespace)(**fields)
