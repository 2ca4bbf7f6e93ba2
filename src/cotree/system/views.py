"""What kernels see of a system: its tables by name, behind one record whose address stands for all of them.

Each table passed to a compiled function costs about 0.2 microseconds at the call, and a system has over a dozen. `make_record`
notes where they lie; a kernel takes the record's address (`system.here`) and opens what it needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.engine.records import array_places, arrays, opener, put_words, record_with_words, rows_of
from cotree.errors import CopyError
from cotree.system.tables import (
    body_t,
    cut_t,
    dof_t,
    dof_work_t,
    effort_t,
    force_kind_t,
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

TABLES = {
    "world": world_t, "links": link_t, "dofs": dof_t, "bodies": body_t,
    "springs": spring_t, "loads": load_t, "joint_forces": joint_force_t, "cuts": cut_t,
    "row_kinds": row_kind_t, "rows": row_t, "pieces": piece_t,
    "force_kinds": force_kind_t, "force_pieces": piece_t, "efforts": effort_t,
    "wrenches": wrench_t, "work": link_work_t, "dof_work": dof_work_t,
}  # fmt: skip
system_t = arrays(*TABLES)
_system_at = opener(system_t)
_world, _links, _dofs, _bodies = map(rows_of, (world_t, link_t, dof_t, body_t))
_springs, _loads, _joint_forces, _cuts = map(rows_of, (spring_t, load_t, joint_force_t, cut_t))
_row_kinds, _rows, _pieces, _wrenches = map(rows_of, (row_kind_t, row_t, piece_t, wrench_t))
_force_kinds, _efforts = map(rows_of, (force_kind_t, effort_t))
_work, _dof_work = map(rows_of, (link_work_t, dof_work_t))


class Forces(NamedTuple):
    """Force elements of registered kinds: where the system is, how each kind is evaluated, their pieces, and the wrenches as
    they were evaluated last."""

    here: Any
    kinds: Any
    pieces: Any
    efforts: Any


class ForceSweep(NamedTuple):
    """What kinds of force elements are given: links that are placed and have moved, and where the wrenches go."""

    work: Any
    pieces: Any
    efforts: Any


class Elements(NamedTuple):
    """Tables of the force elements; `cuts` because some act across cut joints."""

    springs: Any
    loads: Any
    joint_forces: Any
    cuts: Any
    others: Forces | None  # None on lanes


class Tables(NamedTuple):
    """The tree: what is constant, and the rows that a sweep writes (`work` one a link, `dof_work` one a velocity)."""

    world: Any
    links: Any
    dofs: Any
    bodies: Any
    elements: Elements
    work: Any
    dof_work: Any


class Rows(NamedTuple):
    """All compiled rows: how each kind is measured, the rows and their pieces, and the wrenches as they were measured last."""

    kinds: Any
    rows: Any
    pieces: Any
    wrenches: Any


class RowSweep(NamedTuple):
    """What kinds of rows are given: links that are placed (and have moved), cut joints, where the wrenches go, and the links
    as they are in the reference assembly."""

    work: Any
    cuts: Any
    rows: Any
    pieces: Any
    wrenches: Any
    links: Any


def make_record(tables: dict[str, NDArray[np.void]]) -> Any:
    """The record of the tables, which the caller keeps alive."""
    made, words = record_with_words(system_t)
    places = array_places(system_t)
    for name, expected in TABLES.items():
        if tables[name].dtype != expected:
            raise CopyError("this system was compiled by another version of Cotree; compile it again")
        put_words(words, places[name], tables[name])
    return made


@kernel
def open_tables(here):
    """`Tables` of the system at an address."""
    s = _system_at(here)
    others = Forces(here, _force_kinds(s.force_kinds), _pieces(s.force_pieces), _efforts(s.efforts))
    elements = Elements(_springs(s.springs), _loads(s.loads), _joint_forces(s.joint_forces), _cuts(s.cuts), others)
    return Tables(
        _world(s.world),
        _links(s.links),
        _dofs(s.dofs),
        _bodies(s.bodies),
        elements,
        _work(s.work),
        _dof_work(s.dof_work),
    )


@kernel
def open_cuts(here):
    """Table of the cut joints."""
    return _cuts(_system_at(here).cuts)


@kernel
def open_rows(here):
    """`Rows` of the system at an address."""
    s = _system_at(here)
    return Rows(_row_kinds(s.row_kinds), _rows(s.rows), _pieces(s.pieces), _wrenches(s.wrenches))


@kernel
def open_row_sweep(here):
    """`RowSweep` of the system at an address."""
    s = _system_at(here)
    work, links = _work(s.work), _links(s.links)
    return RowSweep(work, _cuts(s.cuts), _rows(s.rows), _pieces(s.pieces), _wrenches(s.wrenches), links)


@kernel
def open_force_sweep(here):
    """`ForceSweep` of the system at an address."""
    s = _system_at(here)
    return ForceSweep(_work(s.work), _pieces(s.force_pieces), _efforts(s.efforts))
