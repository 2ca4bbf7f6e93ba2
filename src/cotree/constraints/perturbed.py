"""Whether mobility is owed to dimensions: the same mechanism with its dimensions changed, its motion groups kept.

Axes that are parallel, coaxial or meet in a point go on doing so; all else is changed at random."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cotree.constraints.tangents import Rows, Tangent
from cotree.model.mechanism import Mechanism
from cotree.system.snapping import perturbed
from cotree.system.system import System

SIZE = 0.03  # radians, and parts of the loops' size
SEEDS = (1, 2)
STILL = 1e-6  # rates of joints that are none


def survives(mech: Mechanism, dof: int, local: Callable[[System], int]) -> System | None:
    """The mechanism with changed dimensions, if it still has as many degrees of freedom; else None."""
    for seed in SEEDS:
        changed = perturbed(mech, SIZE, seed)
        if changed is None:
            return None
        system = changed.compiled()
        if local(system) < dof:
            return None
    return system


def has_rigid_parts(system: System) -> bool:
    """Whether joints that could move on their own do not: bodies between them are one rigid part."""
    rates = Tangent.at(Rows.of(system, 0.0), system.q0).unobstructed()
    return bool(np.any(np.abs(rates).max(axis=1, initial=0.0) < STILL))
