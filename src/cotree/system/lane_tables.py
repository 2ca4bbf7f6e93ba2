"""Several systems of one structure in one set of tables: dimensions, masses and stiffnesses are lanes, one for each system.

What is a whole number in the tables (which link hangs on which, kinds of joints) is the same in all of them, and so are the few
numbers that kernels branch on (`SHARED`); `structure_of` tells which systems go together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.engine.lane_records import ON_LANES, LaneTable, Scalar, what_is_shared
from cotree.engine.lane_spans import lane_span
from cotree.engine.records import address_of, arrays, opener, put_array, record, rows_of
from cotree.system.row_kinds import RowKind
from cotree.system.rows import all_kinds
from cotree.system.system import System
from cotree.system.tables import (
    cut_t,
    dof_t,
    dof_work_t,
    joint_force_t,
    link_t,
    link_work_t,
    load_t,
    piece_t,
    row_kind_t,
    row_t,
    spring_t,
    world_t,
    wrench_t,
)
from cotree.system.views import Elements, Rows, RowSweep, Tables

FILLED = {
    "world": world_t, "links": link_t, "dofs": dof_t, "springs": spring_t, "loads": load_t, "joint_forces": joint_force_t,
    "cuts": cut_t, "rows": row_t, "pieces": piece_t,
}  # fmt: skip
SHARED = {"cuts": ("pitch",), "joint_forces": ("speed",)}
lane_system_t = arrays(*FILLED, "row_kinds", "wrenches", "work", "dof_work")
_system_at = opener(lane_system_t)
_row_kinds = rows_of(row_kind_t)


class Openers(NamedTuple):
    """Kernels that open tables on a scalar at an address: `Tables` (without the bodies, and without force elements of
    registered kinds), `Rows` and `RowSweep`."""

    scalar: Scalar
    tables: Any
    rows: Any
    sweep: Any


def openers(scalar: Scalar) -> Openers:
    """Those of lanes, or of duals."""
    _world, _links, _dofs, _springs = map(scalar.rows_of, (world_t, link_t, dof_t, spring_t))
    _loads, _pieces, _wrenches = map(scalar.rows_of, (load_t, piece_t, wrench_t))
    _cuts = scalar.rows_of(cut_t, SHARED["cuts"])
    _joint_forces = scalar.rows_of(joint_force_t, SHARED["joint_forces"])
    _work, _dof_work, _rows = map(scalar.rows_of, (link_work_t, dof_work_t, row_t))

    def tables(here: Any) -> Any:
        s = _system_at(here)
        elements = Elements(_springs(s.springs), _loads(s.loads), _joint_forces(s.joint_forces), _cuts(s.cuts), None)
        return Tables(
            _world(s.world), _links(s.links), _dofs(s.dofs), None, elements, _work(s.work), _dof_work(s.dof_work)
        )

    def rows(here: Any) -> Any:
        s = _system_at(here)
        return Rows(_row_kinds(s.row_kinds), _rows(s.rows), _pieces(s.pieces), _wrenches(s.wrenches))

    def sweep(here: Any) -> Any:
        s = _system_at(here)
        work, links = _work(s.work), _links(s.links)
        return RowSweep(work, _cuts(s.cuts), _rows(s.rows), _pieces(s.pieces), _wrenches(s.wrenches), links)

    for function in (tables, rows, sweep):
        function.__name__ = function.__qualname__ = function.__name__ + scalar.ending
    return Openers(scalar, kernel(tables), kernel(rows), kernel(sweep))


OF_LANES = openers(ON_LANES)
lane_tables, lane_rows, open_lane_sweep = OF_LANES.tables, OF_LANES.rows, OF_LANES.sweep


def structure_of(system: System) -> bytes | None:
    """What systems that share tables of lanes have in common; None for a system that cannot be on lanes."""
    return system.cached("structure on lanes", lambda: _structure_of(system))


def _structure_of(system: System) -> bytes | None:
    kinds = all_kinds(system.cuts, system.extra_rows)
    if system.elements.kinds or system.extra_rows.user or not all(kind.on_lanes for kind, _, _ in kinds):
        return None
    tables = system.tables
    parts = [what_is_shared(tables[name], SHARED.get(name, ())) for name in FILLED]
    parts += [kind.of.__qualname__.encode() + what_is_shared(own, kind.shared) for kind, own, _ in kinds]
    return b"/".join(parts)


class LaneTables:
    """Tables for systems with the structure of this one, opened by `by`; here: address of their record."""

    def __init__(self, system: System, by: Openers = OF_LANES, rows: bool = True) -> None:
        """rows: with the kernels of the kinds of constraints, which have to be compiled."""
        tables = system.tables
        self.tables = {name: LaneTable(len(tables[name]), t, SHARED.get(name, ())) for name, t in FILLED.items()}
        counts = {"wrenches": (len(tables["pieces"]), wrench_t), "work": (len(system.links), link_work_t)}
        counts["dof_work"] = (len(system.dofs), dof_work_t)
        self.written = {name: LaneTable(n, t) for name, (n, t) in counts.items()}
        kinds = all_kinds(system.cuts, system.extra_rows) if rows else []
        self.own = [LaneTable(len(table), kind.table_t, kind.shared) for kind, table, _ in kinds]
        self.kinds = _kind_table(kinds, self.own, by)
        self.record = record(lane_system_t)
        for name, table in {**self.tables, **self.written}.items():
            put_array(self.record[name], table.rows)
        put_array(self.record["row_kinds"], self.kinds)
        self.here = address_of(self.record)

    def put(self, lane: int, system: System) -> None:
        """Fill a lane with the numbers of a system."""
        given = system.tables
        for name, table in self.tables.items():
            table.put(lane, given[name])
        if self.own:
            for own, (_, theirs, _) in zip(self.own, all_kinds(system.cuts, system.extra_rows), strict=True):
                own.put(lane, theirs)


def _kind_table(
    kinds: list[tuple[RowKind, NDArray[np.void], int]], own: list[LaneTable], by: Openers
) -> NDArray[np.void]:
    table = np.zeros(len(kinds), row_kind_t)
    for row, (kind, _, base), lanes in zip(table, kinds, own, strict=True):
        parts: Any = (("gaps", "put"), ("wrenches", "judge"), ("rates", "move"))
        for name, shape in parts:
            span = lane_span(getattr(kind, name), kind.table_t, kind.shared, by.sweep, shape, by.scalar)
            row[name] = span.address
        row["base"] = base
        put_array(row["table"], lanes.rows)
    return table
