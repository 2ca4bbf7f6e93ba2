"""Studies in TOML files: a model file or a function in Python, parameters, what is measured."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cotree.errors import DocumentError
from cotree.integrate.old_keywords import modern
from cotree.io.native.bounded import read_utf8
from cotree.io.native.error_paths import complaint, located
from cotree.io.native.texts import TOML
from cotree.model.checks import choice
from cotree.studies.sweeps.models import SENSORS, TAKES, ModelFile, Reading, Readings
from cotree.studies.sweeps.sampling import SAMPLERS

WORST = ("largest", "smallest")


class Parameter(msgspec.Struct, forbid_unknown_fields=True):
    """One of values, value, range (with count in a grid) and normal (mean, standard deviation). path: what it sets in the
    model file, as "bodies.crank.mass", or several of them."""

    path: str | list[str] = ""
    values: list[float | str] | None = None
    value: float | str | None = None
    range: tuple[float, float] | None = None
    count: int | None = None
    normal: tuple[float, float] | None = None


class Measured(msgspec.Struct, forbid_unknown_fields=True):
    """A sensor by one of the keys joint, point, reaction, element and energy; see `Reading`."""

    joint: str | None = None
    point: str | None = None
    reaction: str | None = None
    element: str | None = None
    energy: str | None = None
    of: str = ""
    component: str | None = None
    at: tuple[float, float, float] | None = None
    take: str = "largest"


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """A study. build, measure: "file.py:function"; or model, a model file, and tables of measurements."""

    parameters: dict[str, Parameter]
    measure: str | dict[str, Measured]
    model: str | None = None
    build: str | None = None
    t_end: float | None = None
    sampling: str = "grid"
    samples: int | None = None
    seed: int = 0
    batch: int | None = None
    run: dict[str, Any] = {}
    worst: dict[str, str] = {}


@dataclass(frozen=True)
class StudyFile:
    """What a file asks for: arguments of `sweep`, and for which results large or small values are bad."""

    name: str
    build: Callable[..., Any]
    measure: Callable[..., Any]
    options: dict[str, Any]
    worst: dict[str, str]


def read_study(path: Path) -> StudyFile:
    """The study in a TOML file; paths in it are relative to its folder."""
    with located(path.name):
        raw = TOML.read(read_utf8(path))
        try:
            d = msgspec.convert(raw, Document)
        except msgspec.ValidationError as error:
            known = {f for s in (Document, Parameter, Measured) for f in s.__struct_fields__}
            raise complaint(error, raw, known) from None
        for name, word in d.worst.items():
            choice(word, WORST, f"worst.{name}")
        parameters = {name: _values(name, p, d.sampling) for name, p in d.parameters.items()}
        options = {
            "parameters": parameters,
            "t_end": d.t_end,
            "sampling": d.sampling,
            "samples": d.samples,
            "seed": d.seed,
        }
        measure = _function(path.parent, d.measure) if isinstance(d.measure, str) else _readings(d)
        options |= {
            "batch": d.batch,
            **modern(d.run, warn=False),
        }  # a file has no values: options of choices by their names
        return StudyFile(path.stem, _build(path.parent, d), measure, options, d.worst)


def _build(folder: Path, d: Document) -> Callable[..., Any]:
    if (d.model is None) == (d.build is None):
        raise DocumentError('give either model = "file of a mechanism" or build = "file.py:function"')
    if d.build is not None:
        return _function(folder, d.build)
    places = {}
    for name, p in d.parameters.items():
        if not p.path:
            raise DocumentError(f'parameters.{name}: say what it sets in the model, as path = "bodies.crank.mass"')
        places[name] = [tuple(one.split(".")) for one in ([p.path] if isinstance(p.path, str) else p.path)]
    return ModelFile.of(folder / str(d.model), places)


def _values(name: str, p: Parameter, sampling: str) -> Any:
    """As `sweep` takes them."""
    forms = {form: getattr(p, form) for form in ("values", "value", "range", "normal")}
    given = [form for form, x in forms.items() if x is not None]
    if len(given) != 1:
        raise DocumentError(f"parameters.{name}: give one of values, value, range and normal")
    sampled = sampling in SAMPLERS
    if given[0] in ("value", "values"):
        return forms[given[0]]
    if given[0] == "normal" and sampled:
        from scipy.stats import norm

        return norm(*forms["normal"])
    if given[0] == "range" and sampled:
        return p.range
    if p.range is None or p.count is None or p.count < 2:
        raise DocumentError(f"parameters.{name}: a grid needs values, or a range with count = 2 or more")
    return np.linspace(*p.range, p.count)


def _readings(d: Document) -> Readings:
    if d.t_end is None:
        raise DocumentError("measure: readings of a run need t_end")
    assert isinstance(d.measure, Mapping)
    return Readings({name: _reading(f"measure.{name}", m) for name, m in d.measure.items()})


def _reading(where: str, m: Measured) -> Reading:
    given = [(word, getattr(m, word)) for word in SENSORS if getattr(m, word) is not None]
    if len(given) != 1:
        raise DocumentError(f"{where}: give one of {', '.join(SENSORS)}")
    sensor, name = given[0]
    choice(m.take, TAKES, f"{where}.take")
    if m.component is not None:
        choice(m.component, "xyz", f"{where}.component")
    of = name if sensor == "energy" else m.of or SENSORS[sensor]
    return Reading(sensor, name, of, m.take, m.component, m.at)


def _function(folder: Path, where: str) -> Callable[..., Any]:
    """A function of a Python file, "file.py:function"."""
    name, _, function = where.rpartition(":")
    file = folder / name
    if not name or not file.is_file():
        raise DocumentError(f'{where!r} is not a function of a file; write it as "file.py:function"')
    module = _module(file)
    if not callable(getattr(module, function, None)):
        raise DocumentError(f"{name} has no function {function!r}")
    found: Callable[..., Any] = getattr(module, function)
    return found


def _module(file: Path) -> Any:
    """A file as a module; workers are sent its functions by value."""
    name = f"cotree_study_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise DocumentError(f"{file.name} cannot be run: {type(error).__name__}: {error}") from error
    from cotree.io.native.texts import package

    package("cloudpickle", "sweep").register_pickle_by_value(module)
    return module
