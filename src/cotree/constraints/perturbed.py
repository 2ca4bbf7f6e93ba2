"""Whether mobility is owed to dimensions, and to which: the same mechanism with these changed, its motion groups kept.

Axes that are parallel, coaxial or meet in a point go on doing so; all else is changed at random."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from cotree.constraints.tangents import Rows, Tangent
from cotree.judge import STILL
from cotree.model.mechanism import Mechanism
from cotree.system.snapping import perturbed
from cotree.system.system import System

SIZE = 0.03  # radians, and parts of the loops' size
SEEDS, ENOUGH = range(1, 9), 2  # changes that are tried, and how many must be possible
NAMED = 12  # joints up to which each is moved on its own


def bare(mech: Mechanism) -> Mechanism:
    """Bodies and joints alone: loops owe their mobility to nothing else."""
    out = copy.copy(mech)
    out.springs, out.loads, out.joint_forces, out.elements, out.constraints = {}, {}, {}, {}, {}
    out.devices, out.actions = {}, []
    return out


def survives(mech: Mechanism, dof: int, local: Callable[[System], int]) -> System | None:
    """The mechanism with changed dimensions, if it still has as many degrees of freedom; else None."""
    system = None
    for changed in islice(_changed(mech), ENOUGH):
        system = changed.compiled()
        if local(system) < dof:
            return None
    return system


def _changed(mech: Mechanism, only: str | None = None) -> Iterator[Mechanism]:
    """The mechanism with its dimensions changed at random, those of one joint or all, as often as that can be done."""
    for seed in SEEDS:
        changed = perturbed(mech, SIZE, seed, only)
        if changed is not None:
            yield changed


def decisive_joints(mech: Mechanism, dof: int, local: Callable[[System], int]) -> tuple[str, ...]:
    """Joints that cannot be moved on their own, with parallel, coaxial and meeting axes kept so, without mobility being lost;
    none where there are too many to try each."""
    if len(mech.joints) > NAMED:
        return ()
    return tuple(name for name in mech.joints if _decides(mech, name, dof, local))


def _decides(mech: Mechanism, joint: str, dof: int, local: Callable[[System], int]) -> bool:
    return any(local(changed.compile(tolerance=0.0)) < dof for changed in islice(_changed(mech, joint), 1))


def has_rigid_parts(system: System) -> bool:
    """Whether joints that could move on their own do not: bodies between them are one rigid part."""
    rates = Tangent.at(Rows.of(system, 0.0), system.q0).unobstructed()
    return bool(np.any(np.abs(rates).max(axis=1, initial=0.0) < STILL))
