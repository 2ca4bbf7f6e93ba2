"""Mechanisms of a model file with some of its numbers changed, and readings of their runs: sweeps without a line of Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.integrate.results.run import Run
from cotree.io.model_file import from_json, load
from cotree.io.native.describing import plain
from cotree.model.mechanism import Mechanism, nearest

Array = NDArray[np.float64]
Keys = tuple[str, ...]


@dataclass(frozen=True)
class ModelFile:
    """A function of parameters that builds the mechanism of a file. places: for each parameter the numbers that it sets, as
    ("bodies", "crank", "mass") or ("gravity", "1")."""

    text: str
    places: Mapping[str, Sequence[Keys]]

    @classmethod
    def of(cls, path: Any, places: Mapping[str, Sequence[Keys]]) -> ModelFile:
        """Of any model file that `ct.load` reads."""
        made = cls(json.dumps(plain(load(path))), places)
        made.changed({})
        document = json.loads(made.text)
        for name, several in places.items():
            for keys in several:
                _number_at(document, keys, name)
        return made

    def changed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The document with these values in their places."""
        document: dict[str, Any] = json.loads(self.text)
        for name, value in values.items():
            for keys in self.places[name]:
                holder, key = _number_at(document, keys, name)
                holder[key] = value
        return document

    def __call__(self, **values: Any) -> Mechanism:
        return from_json(json.dumps(self.changed(values)))


def _number_at(document: Any, keys: Keys, name: str) -> tuple[Any, Any]:
    """The dict or list that holds a number, and its key there."""
    here = document
    for depth, key in enumerate(keys):
        if isinstance(here, list) and here and isinstance(here[0], dict):
            known: list[str] = [entry.get("name", "") for entry in here]
            found: Any = known.index(key) if key in known else None
        elif isinstance(here, list):
            known = [str(k) for k in range(len(here))]
            found = int(key) if key in known else None
        else:
            known = list(here) if isinstance(here, dict) else []
            found = key if key in known else None
        if found is None:
            where = ".".join(keys[:depth]) or "the model"
            raise DocumentError(f"parameter {name!r}: there is no {key!r} in {where}{nearest(key, known)}")
        if depth == len(keys) - 1:
            break
        here = here[found]
    if isinstance(here[found], bool) or not isinstance(here[found], int | float):
        raise DocumentError(f"parameter {name!r}: {'.'.join(keys)} is not a number; go on to one of its entries")
    return here, found


TAKES: dict[str, Callable[[Array], Any]] = {
    "max": lambda x: x.max(),
    "min": lambda x: x.min(),
    "largest": lambda x: np.abs(x).max(),
    "final": lambda x: x[-1],
    "mean": lambda x: x.mean(),
    "range": np.ptp,
    "rms": lambda x: np.sqrt((x**2).mean()),
}
SENSORS = {"joint": "angle", "point": "position", "reaction": "force", "element": "force", "energy": "kinetic"}


@dataclass(frozen=True)
class Reading:
    """One number of a run. sensor: joint, point, reaction, element or energy; of: which of its quantities; component: x, y or
    z of a vector, by default its length; take: what is made of its course over time."""

    sensor: str
    name: str
    of: str
    take: str
    component: str | None = None
    at: tuple[float, float, float] | None = None

    def course(self, run: Run) -> Array:
        """The quantity over time."""
        if self.sensor == "energy":
            values = getattr(run.energy, self.of)
        elif self.sensor == "point":
            values = getattr(run.point(self.name, self.at), self.of)
        else:
            values = getattr(getattr(run, self.sensor)(self.name), self.of)
        x = np.asarray(values, dtype=float)
        if x.ndim == 1:
            return x
        return x[:, "xyz".index(self.component)] if self.component else np.asarray(np.linalg.norm(x, axis=1))


@dataclass(frozen=True)
class Readings:
    """A measurement of runs: a number for each name."""

    readings: Mapping[str, Reading]

    def __call__(self, run: Run) -> dict[str, float]:
        return {name: float(TAKES[r.take](r.course(run))) for name, r in self.readings.items()}
