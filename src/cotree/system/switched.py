"""Systems that differ from one another by constraints in force: the same bodies, tree and coordinates, other rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.model.constraints import Constraint
from cotree.system.body_frames import Places, first_places
from cotree.system.cuts import count_rows
from cotree.system.rows import row_tables
from cotree.system.system import System


def switched(
    system: System,
    constraints: Mapping[str, Constraint],
    dropped: Collection[str] = (),
    forces: Mapping[int, float] | None = None,
    sliding: Mapping[str, int] | None = None,
) -> System:
    """The system with these constraints in force beside its joints, without the cut joints named in `dropped`.

    forces: numbers for rows of `elements.constants`, as those of brakes, in place of functions; sliding: the directions in
    which brakes slide. States (q, v) of one are states of the other.
    """
    stays = [name not in dropped for name in system.cut_joints]
    cut_joints = tuple(name for name, s in zip(system.cut_joints, stays, strict=True) if s)
    cuts = np.ascontiguousarray(system.cuts[stays])
    count_rows(cuts)
    mech, elements = system.mechanism, system.elements
    rows = row_tables(
        mech, constraints.values(), places_of(system), first_places(system.coordinate_names), system.dofs,
        first_places(cut_joints),
    )  # fmt: skip
    if forces:
        constants = elements.constants.copy()
        for slot, value in forces.items():
            constants[slot] = value
        functions = tuple((slot, f) for slot, f in elements.functions if slot not in forces)
        elements = replace(elements, constants=constants, functions=functions)
    if dropped:
        elements = replace(elements, joint_forces=_moved(elements.joint_forces, stays))
    loops = tuple(r for r in system.loop_rows if r.joint not in dropped)
    return replace(
        system, constraints=dict(constraints), extra_rows=rows, elements=elements, cuts=cuts, cut_joints=cut_joints,
        loop_rows=loops, loops=tuple(r.loop for r in loops), sliding=dict(system.sliding if sliding is None else sliding),
    )  # fmt: skip


def _moved(joint_forces: NDArray[np.void], stays: list[bool]) -> NDArray[np.void]:
    """Forces along joints, without those of joints that are gone; `cut` counts the cut joints that stay."""
    across = joint_forces["cut"]
    kept = joint_forces[(across < 0) | np.append(stays, True)[across]]
    kept["cut"] = np.where(kept["cut"] < 0, -1, (np.cumsum(stays) - 1)[kept["cut"]])
    return np.ascontiguousarray(kept)


def places_of(system: System) -> Places:
    """Where the bodies are in the reference assembly."""
    frames = np.zeros((len(system.bodies), 4, 4))
    frames[:, :3, :3] = system.bodies["frame"][:, :9].reshape(-1, 3, 3)
    frames[:, :3, 3], frames[:, 3, 3] = system.bodies["frame"][:, 9:], 1.0
    links: NDArray[np.int64] = np.ascontiguousarray(system.bodies["link"])
    return Places(system.body_rows, frames, links)
