"""From a results file back to a run, each part checked: what it holds must fit the system that the model compiles to."""

from __future__ import annotations

import warnings
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError, RunWarning
from cotree.io.model_file import from_json
from cotree.io.native.building import Functions
from cotree.io.native.error_paths import SHORT, located
from cotree.io.native.texts import cut_short, package
from cotree.io.paths import path_of
from cotree.io.results.contacts import read_contacts, read_impacts
from cotree.io.results.hdf5_reading import numbers, opened, readable, shown, structured, text, whole_numbers
from cotree.io.results.phases import read_phases, with_switches
from cotree.io.results.writing import FORMAT, VERSION
from cotree.model.naming import printable

if TYPE_CHECKING:  # both are slow to load, and not needed for model files
    from cotree.integrate.results.run import Run
    from cotree.system.system import System

Array = NDArray[np.float64]
STATUS = ("done", "event", "interrupted", "failed")
Counted = int | float | str | bool | list[Any] | dict[str, float] | None
COUNTED = {"steps": int, "rejected": int, "method": str}  # what every run has in its statistics


class Noted(msgspec.Struct):
    """A warning as it is stored."""

    kind: str
    text: str
    t: float | None = None


def load_run(path: str | Path, functions: Functions | None = None) -> Run:
    """Read a run from a results file, with its system compiled again.

    Parameters
    ----------
    path : str or path
        HDF5 file that `Run.save` wrote.
    functions : dict, optional
        {name: function} of the Python functions that the model refers to. Without them
        there is a warning, and what would need one raises `MissingFunctionError`.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    DocumentError
        If the file is not a run.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/run.h5"
    >>> ct.simulate(ct.gallery.four_bar(), 0.1).save(path)
    >>> ct.load_run(path).status
    'done'
    """
    h5py, file = package("h5py", "results"), path_of(path, "load_run(path)")
    with located(printable(file.name)), opened(h5py, file) as parts, readable("the file"):
        _check_head(parts)
        run, lacks = _read(parts, functions)
    for missing in lacks:
        warnings.warn(missing, stacklevel=2)
    return run


def _check_head(file: Any) -> None:
    if file.attrs.get("format") != FORMAT:
        raise DocumentError("this is not a Cotree results file; ct.load reads model files")
    if file.attrs["version"] != VERSION:
        found = cut_short(printable(str(file.attrs["version"])), 60)
        raise DocumentError(
            f"results file of version {found}, but only {VERSION} is supported; a later version of Cotree may read it"
        )


def _read(file: Any, functions: Functions | None) -> tuple[Run, list[RunWarning]]:
    from cotree.integrate.checks.missing_functions import loaded_without
    from cotree.integrate.events.crossings import Crossing
    from cotree.integrate.results.run import Run

    system = _system(file, functions)
    _check_names(file, system)
    t = _times(file)
    k, lacks = len(t), loaded_without(system.mechanism)
    phases = read_phases(file, system, k)
    run = Run(
        system=system, t=t, q=numbers(file, "q", (k, system.nq)), v=numbers(file, "v", (k, system.nv)),
        status=_status(file), message=_message(file), statistics=_statistics(file),
        settings=_settings(file, system), events=with_switches(file, _events(file["events"], system), phases, system),
        crossings=tuple(structured(file, "crossings", list[Crossing])), work=_work(file, k), phases=phases,
        noted=(*_stored_warnings(file), *lacks), states=_states(file, k, system, complete=not lacks),
        contacts=read_contacts(file, system, k), impacts=read_impacts(file),
    )  # fmt: skip
    return run, lacks


def _system(file: Any, functions: Functions | None) -> System:
    model = text(file, "model")
    with located("model"):
        mech = from_json(model, functions, missing="late")
    choices = structured(file, "compiled", dict[str, Any])
    with located("compiled"), readable("compiled"):
        system: System = mech.compile(**choices)
    return system


def _times(file: Any) -> Array:
    """Seconds, ascending."""
    t = numbers(file, "t", (None,))
    if np.any(np.diff(t) < 0.0) or (len(t) > 1 and not t[-1] > t[0]):
        raise DocumentError("t: times must ascend; the file is damaged")
    return t


def _states(file: Any, k: int, system: System, complete: bool) -> Array:
    """(k, n) of laws, as many as the file has: where functions are missing their laws are too."""
    states = numbers(file, "states", (k, None)) if "states" in file else np.zeros((k, 0))
    if complete and states.shape[1] != system.n_states:
        raise DocumentError(
            f"states: a row has {states.shape[1]} numbers of laws, and the functions that are given keep {system.n_states}; "
            "give the laws that the run had, as ct.Law(...)"
        )
    return states


def _work(file: Any, k: int) -> Array:
    """(k, 3); files from before there were impacts have no column for what was lost in them."""
    work = numbers(file, "work", (k, None))
    if work.shape[1] not in (2, 3):
        raise DocumentError(f"work: has {work.shape[1]} columns; it must have 3 (supplied, dissipated, lost)")
    return np.pad(work, ((0, 0), (0, 3 - work.shape[1])))


def _status(file: Any) -> str:
    status = file.attrs["status"]
    if not isinstance(status, str) or status not in STATUS:
        raise DocumentError(f"status is {SHORT.repr(status)}; it must be one of {', '.join(STATUS)}")
    return status


def _message(file: Any) -> str:
    message = file.attrs["message"]
    if not isinstance(message, str):
        raise DocumentError(f"message is {SHORT.repr(message)}; it must be text")
    return printable(message)


def _statistics(file: Any) -> dict[str, Any]:
    """Counts by name."""
    found = structured(file, "statistics", dict[str, Counted])
    for name, kind in COUNTED.items():
        if found and not isinstance(found.get(name), kind):  # a run put together by hand may have counted nothing
            raise DocumentError(f"statistics: {name!r} is missing, or has the wrong type; the file is damaged")
    step = found.get("next_step", 1.0)
    if step is not None and not (isinstance(step, int | float) and 0.0 < step < np.inf):
        raise DocumentError(f"statistics: next_step is {SHORT.repr(step)}; it must be a positive number")
    return found


def _settings(file: Any, system: System) -> Any:
    """Those that are known here; a file of another version of Cotree may have more or fewer."""
    from cotree.integrate.settings import Settings

    raw = structured(file, "settings", dict[str, Any])
    known = {field.name for field in fields(Settings)}
    with located("settings"), readable("settings"):
        try:
            settings: Settings = msgspec.convert({name: x for name, x in raw.items() if name in known}, Settings)
        except msgspec.ValidationError as error:
            raise DocumentError(f"{error}; the file is damaged") from None
        Settings.of(**settings.choices).resolved(system)
    return settings


def _stored_warnings(file: Any) -> tuple[RunWarning, ...]:
    """Warnings noted while the run was made; files from before there were any have none."""
    found = structured(file, "warnings", list[Noted]) if "warnings" in file else []
    return tuple(RunWarning(w.kind, w.text, w.t) for w in found)


def _check_names(file: Any, system: System) -> None:
    """The system compiled from the model must be the one that the numbers belong to."""
    from cotree.system.coordinate_labels import coordinate_labels, velocity_labels

    for which, labels in (("q", coordinate_labels(system)), ("v", velocity_labels(system))):
        with readable(which):
            stored = [str(name) for name in np.atleast_1d(file[which].attrs["names"])]
            width = file[which].shape[1:]
        if stored != labels.names or width != (len(labels.names),):
            entries = cut_short(printable(", ".join(stored)), 200)
            raise DocumentError(
                f"{which} has the entries {entries}, but the model compiles to {', '.join(labels.names)}; this "
                f"version of Cotree chooses other coordinates, or the file was changed; simulate again"
            )


def _events(group: Any, system: System) -> tuple[Any, ...]:
    from cotree.integrate.events.event import Occurrence

    t = numbers(group, "t", (None,))
    n = len(t)
    q, v = numbers(group, "q", (n, system.nq)), numbers(group, "v", (n, system.nv))
    index = whole_numbers(group, "index", (n,), np.iinfo(np.int64).max)
    with readable(shown(group, "name")):
        names = [printable(str(name)) for name in group["name"].asstr()[()].reshape(n)] if n else []
        terminal = [bool(x) for x in np.asarray(group["terminal"][()], dtype=bool).reshape(n)]
        rows = zip(names, map(float, t), q, v, terminal, map(int, index), strict=True)
        return tuple(Occurrence(*row) for row in rows)
