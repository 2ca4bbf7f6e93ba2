"""Many starts for a search, drawn by a fixed rule, and which of the results are different positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.units import column_units, length_of
from cotree.dynamics.api import energy
from cotree.judge import SAME_CONFIGURATION
from cotree.kinematics.coordinates import displace
from cotree.kinematics.poses import poses
from cotree.system.system import System

Array = NDArray[np.float64]


def shaken(system: System, q: Array, count: int, held: Sequence[int] = (), share: float = 1.0) -> Iterator[Array]:
    """Positions about q: angles up to half a turn either way, translations up to the system's length; or a share of that."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        step = rng.uniform(-1.0, 1.0, system.nv) * np.where(column_units(system) == 1.0, np.pi, column_units(system))
        step[list(held)] = 0.0
        yield displace(system, q, share * step)


def distinct(system: System, found: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Those that differ from all before them, by the poses of bodies or by potential energy (a wound spring)."""
    kept: list[tuple[Any, Any]] = []
    seen: list[tuple[Array, float]] = []
    scale = np.ones((4, 4))
    scale[:3, 3] = length_of(system)
    for pair in found:
        q = pair[1].statics.q
        now = poses(system, q) / scale, energy(system, q, np.zeros(system.nv)).potential
        if not any(_same(now, other) for other in seen):
            kept.append(pair)
            seen.append(now)
    return kept


def _same(a: tuple[Array, float], b: tuple[Array, float]) -> bool:
    return bool(
        np.abs(a[0] - b[0]).max() < SAME_CONFIGURATION
        and abs(a[1] - b[1]) <= SAME_CONFIGURATION * max(1.0, abs(a[1]), abs(b[1]))
    )
