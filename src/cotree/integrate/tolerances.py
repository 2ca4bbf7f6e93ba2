"""Absolute tolerances of a run: one number, or some by name and the usual one for the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ShapeError
from cotree.model.checks import floats, shown
from cotree.system.system import System

Tolerance = float | Mapping[str, float]
RTOL = 1e-8
ATOL = 1e-8  # m, rad, and per second


def absolute(system: System, atol: Any) -> NDArray[np.float64]:
    """(nv,): that of each coordinate and its rate."""
    if not isinstance(atol, Mapping):
        return np.full(system.nv, float(atol))
    found = np.full(system.nv, ATOL)
    for name, value in atol.items():
        of_joint = [i for i, n in enumerate(system.v_names) if n.startswith(f"{name}.")]
        found[of_joint or system.velocity_index(name)] = value
    return found


def general(atol: Tolerance) -> float:
    """That of what has no name."""
    return float(ATOL if isinstance(atol, Mapping) else atol)


def checked(system: System, atol: Any) -> Tolerance:
    """What was given, with names that the system has and positive numbers."""
    if not isinstance(atol, Mapping):
        return positive("atol", atol)
    found = {name: positive(f"atol[{name!r}]", value) for name, value in atol.items()}
    absolute(system, found)
    return found


def positive(what: str, value: Any) -> float:
    """The number, which must be positive."""
    a = floats(value) if isinstance(value, (int, float, np.integer, np.floating)) else None
    if a is None or not np.isfinite(a) or value <= 0.0:
        raise ShapeError(f"{what} is {shown(value)}; give a positive number")
    return float(value)


def times(factor: float, atol: Tolerance, system: System) -> Tolerance:
    """All of them multiplied."""
    if not isinstance(atol, Mapping):
        return factor * atol
    return dict(zip(system.v_names, (factor * absolute(system, atol)).tolist(), strict=True))
