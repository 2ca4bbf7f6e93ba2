"""A system divided, made once: parts and rows, plan, nodes, the arena, and the record of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cotree.engine.records import address_of, put_array, record
from cotree.errors import ConstraintError, CopyError
from cotree.formulations.odca import tables as T
from cotree.formulations.odca.border import impose, room_of
from cotree.formulations.odca.nodes import nodes_of, place, put_slots
from cotree.formulations.odca.planned import planned
from cotree.formulations.odca.solve import put_rows_alone, solve_alone
from cotree.model.features import declare
from cotree.system.system import System
from cotree.topology.plan import Plan

ODCA = declare(
    "formulation 'odca'",
    ConstraintError,
    refuses={
        "user rows": "they may involve any body, and it needs equations between named bodies; use formulation 'auto'"
    },
)

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Division:
    """A system divided: its plan, and the tables behind its record."""

    plan: Plan
    parts: NDArray[np.void]
    groups: NDArray[np.void]
    nodes: NDArray[np.void]
    part_of: Integers  # of each link, -1 for ground
    part_of_dof: Integers
    arena: NDArray[np.float64]
    order: Integers
    record: Any
    kept: list[Any]  # arrays to be kept alive
    room: int  # floats of scratch
    threads: int = 1

    def __reduce__(self) -> NoReturn:
        raise CopyError("a division contains memory addresses and cannot be copied; copy the system instead")

    @cached_property
    def here(self) -> int:
        """Address of the record, by which kernels take the division."""
        return int(self.record.here)

    @property
    def memory(self) -> int:
        """Bytes of tables and arena."""
        arrays = (self.parts, self.groups, self.nodes, self.part_of, self.part_of_dof, self.arena, self.order)
        return sum(a.nbytes for a in (*arrays, *self.kept))


def divide(system: System) -> Division:
    """Parts, groups and plan of a system."""
    ODCA.admit(system.features)
    parts, part_of, part_of_dof, algebras, groups, touches, plan = planned(system)
    nodes, entries, blocks = nodes_of(plan, parts, groups, touches)
    size, scratch, orders = place(parts, groups, touches, nodes, entries)
    roots = plan.roots.astype(np.int64)
    size = put_slots(nodes, plan.first, roots, size)
    arena, order = np.zeros(size), np.full(max(orders, 1), -1, dtype=np.int64)
    work, rotors = np.zeros(scratch), system.dofs["inertia"].copy()
    rows, room = room_of(parts, groups)
    border, border_order = np.zeros(room), np.zeros(rows, dtype=np.int64)
    arrays = {
        "algebras": algebras, "parts": parts, "groups": groups, "touches": touches, "nodes": nodes, "entries": entries,
        "blocks": blocks, "arena": arena, "order": order, "scratch": work, "part_of": part_of, "part_of_dof": part_of_dof,
        "rotors": rotors, "border": border, "border_order": border_order,
    }  # fmt: skip
    made = _record(system, groups, arrays)
    kept = [algebras, touches, entries, blocks, work, rotors, border, border_order]
    return Division(plan, parts, groups, nodes, part_of, part_of_dof, arena, order, made, kept, scratch)


def _record(system: System, groups: NDArray[np.void], arrays: dict[str, NDArray[Any]]) -> Any:
    """The record of a division for one thread; the caller keeps the arrays."""
    made, joints = record(T.division_t), groups["kind"] == T.JOINT
    made.here, made.nq, made.nv, made.system = address_of(made), system.nq, system.nv, system.here
    made.n_joints, made.joint_rows = int(np.count_nonzero(joints)), int(groups["rows"][joints].sum())
    made.entries.put_rows, made.entries.solve = put_rows_alone.address, solve_alone.address
    bordered = np.flatnonzero(groups["sorted"])
    if len(bordered):
        made.border_first, made.border_last = int(bordered[0]), int(bordered[-1]) + 1
        made.border_rows, made.entries.border = int(groups["rows"][bordered].sum()), impose.address
    made.alone = bool(np.any(system.row_tables[1]["iv"] >= 0))
    for name, array in arrays.items():
        assert name not in T.TABLES or array.dtype == T.TABLES[name]
        put_array(made.arrays[name], array)
    return made
