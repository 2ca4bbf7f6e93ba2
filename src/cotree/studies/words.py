"""Results of studies in words: what `print` shows of rest positions, steady motions and linearizations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cotree._shown import listed
from cotree.system.system import System

Array = NDArray[np.float64]


def valued(names: Sequence[str], values: Array, units: Sequence[str]) -> str:
    """Entries of q or v with their names and units."""
    shown = (f"{n} {x:.6g} {u}".rstrip() for n, x, u in zip(names, values, units, strict=True))
    return listed(shown)


def position(system: System, q: Array) -> str:
    return valued(system.q_names, q, system.q_units) or "no coordinates"


def velocity(system: System, v: Array) -> str:
    return valued(system.v_names, v, system.v_units) or "no coordinates"


def forces(by_name: Mapping[str, float]) -> str:
    return listed(f"{name} {x:.6g}" for name, x in by_name.items())


def share_of_load(unique: bool) -> str:
    if unique:
        return "reactions of all joints are unique"
    return "redundant constraints leave open how joints share the load: the reactions given are one possibility"
