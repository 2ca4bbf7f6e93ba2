"""Friction that grows with the load of its joint, where it is decided what holds: its size under forces that are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.formulations.loading import load_of, loaded_brakes, rubbing_table
from cotree.formulations.reactions.all_joints import put_reactions, reaction_room, tables_of
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, vec
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


class Loads:
    """The brakes of a system that is in force whose friction grows with the load."""

    def __init__(self, system: System) -> None:
        self.system, self.brakes = system, loaded_brakes(system)
        self.table = rubbing_table(system, self.brakes)

    def rubbing(self, sizes: Mapping[str, float]) -> System:
        """The system, in which those that slide rub with forces of these sizes."""
        if not self.brakes:
            return self.system
        elements = self.system.elements
        constants = elements.constants.copy()
        for row, brake in zip(self.table, self.brakes, strict=True):
            constants[row["slot"]] = -row["direction"] * sizes[brake.name]
        return replace(self.system, elements=replace(elements, constants=constants))

    def sizes(
        self, t: float, q: Array, v: Array, v_dot: Array, lam: Array, before: Mapping[str, float]
    ) -> dict[str, float]:
        """Friction of each under the accelerations and multipliers, which the sizes `before` have given."""
        system, out = self.rubbing(before), np.zeros(len(self.brakes))
        _put_sizes(
            system.here, self.table, *tables_of(system), q, v, v_dot, np.ascontiguousarray(lam),
            element_values(system, q, v, t), out,
        )  # fmt: skip
        return {brake.name: float(x) for brake, x in zip(self.brakes, out, strict=True)}


@kernel
def _put_sizes(here, rubbing, tree, ends, where, q, v, v_dot, lam, values, out):
    """Constant part and load of each."""
    joints = where[1].size
    W, at = np.empty((joints, 6)), np.empty((joints, 3))
    room = reaction_room(here, tree[2].size, ends[0].size)
    put_reactions(here, tree, ends, where, room, q, v, v_dot, lam, values, W, at)
    work = open_tables(here).work
    for i in range(rubbing.size):
        f = rubbing[i]
        e = mul_vec(pose(work[f.link].C)[0], vec(f.axis))
        out[i] = f.constant + load_of(f, W[f.joint], e)
