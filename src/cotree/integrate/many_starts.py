"""The starts of many runs: one for all, a row for each, or values by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.named_coordinates import held_rates, held_values
from cotree.errors import ShapeError
from cotree.model.checks import floats, shown
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Starts:
    """q or v of all runs; count: of how many, None where it is the same for each."""

    given: Array | dict[str, Array] | None
    count: int | None
    each: frozenset[str] = frozenset()  # names with a value for each run

    def of(self, i: int) -> Any:
        """What `simulate` is given for run i."""
        if isinstance(self.given, dict):
            return {name: x[i] if name in self.each else x for name, x in self.given.items()}
        return self.given if self.given is None or self.count is None else self.given[i]


def starts(system: System, x: Any, what: str) -> Starts:
    """Of what was given for q or v; `system` is that of the first run."""
    if isinstance(x, Mapping):
        return _by_name(system, x, what)
    n = system.nq if what == "q" else system.nv
    a = None if x is None else floats(x)
    if x is not None and (a is None or a.ndim not in (1, 2) or a.shape[-1] != n or not np.isfinite(a).all()):
        raise ShapeError(
            f"{what} must be an array of shape (runs, {n}) or ({n},), of finite numbers, or a dict of names, got {shown(x)}"
        )
    return Starts(None if a is None else np.array(a, dtype=float), len(a) if a is not None and a.ndim == 2 else None)


def _by_name(system: System, x: Mapping[str, Any], what: str) -> Starts:
    """Values by name: one for all runs, or with one more axis one for each."""
    values = {name: _numbers(system, what, name, value) for name, value in x.items()}
    each = frozenset(name for name, a in values.items() if a.ndim > _axes(system, what, name))
    counts = {len(values[name]) for name in each}
    if len(counts) > 1 or 0 in counts:
        told = ", ".join(f"{len(values[name])} of {name!r}" for name in sorted(each))
        raise ShapeError(f"{what} has {told}; give one value for all runs, or one for each")
    found = Starts(values, counts.pop() if counts else None, each)
    _check_names(system, what, found.of(0))
    return found


def _check_names(system: System, what: str, values: dict[str, Any]) -> None:
    """Complain where a name is unknown, or a value does not fit it."""
    if what == "q":
        held_values(system, values)
    else:
        held_rates(system, system.q0, values, (), 0.0)


def _numbers(system: System, what: str, name: Any, value: Any) -> Array:
    a = floats(value)
    if a is None or not np.isfinite(a).all():
        raise ShapeError(f"{what}[{name!r}] of system {system.name!r} is {shown(value)}; give finite numbers")
    return np.array(a, dtype=float)


def _axes(system: System, what: str, name: Any) -> int:
    """How many axes a single value has: 1 of a joint with several coordinates, else 0."""
    names = system.q_names if what == "q" else system.v_names
    return int(name not in names and any(str(n).startswith(f"{name}.") for n in names))
