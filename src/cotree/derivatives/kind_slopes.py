"""Exact derivatives of the forces of elements of registered kinds: the kernels that the kinds wrote, on dual numbers.

The tables of the kinds stay numbers, which are constants beside duals; links, coordinates and wrenches are duals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.derivatives.dual_case import DualCase, dual_tables, own_case, turns
from cotree.dynamics.elements import put_efforts
from cotree.dynamics.user_forces import element_values
from cotree.engine.dual_records import ON_DUALS, dual_matrix_at, dual_vector
from cotree.engine.dual_type import DIRECTIONS
from cotree.engine.kernel import kernel
from cotree.engine.lane_records import LaneTable
from cotree.engine.lane_spans import address_if_it_compiles, lane_span
from cotree.engine.records import address_of, arrays, opener, put_array, record, rows_of
from cotree.engine.vectors import fill
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.system.force_kinds import ForceKind
from cotree.system.system import System
from cotree.system.tables import effort_t, force_kind_t, link_work_t, piece_t
from cotree.system.views import Forces, ForceSweep

Array = NDArray[np.float64]
forces_t = arrays("work", "kinds", "pieces", "efforts")
case_t = np.dtype([("system", "i8"), ("forces", "i8"), ("arrays", arrays("q", "v", "values", "out"))], align=True)
_forces_at, _case_at = opener(forces_t), opener(case_t)
_work, _efforts = ON_DUALS.rows_of(link_work_t), ON_DUALS.rows_of(effort_t)
_kinds, _pieces = rows_of(force_kind_t), rows_of(piece_t)


@kernel
def add_path(links, dof_work, link, factor, W, out):
    """The powers of a wrench on a link on the unit motions of the joints that carry it."""
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            out[j] += factor * se3.pair(twist(dof_work[j].S), W)
        link = links[link].parent


@kernel
def put_kind_forces(tables, others, values, q, v, out):
    """Generalized forces of the elements of registered kinds."""
    move_all(tables, q, v)
    fill(out, 0.0)
    put_efforts(others, values, q, v)
    for i in range(others.pieces.size):
        W = twist(others.efforts[i].W)
        add_path(tables.links, tables.dof_work, others.pieces[i].link_b, 1.0, W, out)
        add_path(tables.links, tables.dof_work, others.pieces[i].link_a, -1.0, W, out)


@kernel
def open_dual_sweep(here):
    """`ForceSweep` on duals of the record at an address."""
    s = _forces_at(here)
    return ForceSweep(_work(s.work), _pieces(s.pieces), _efforts(s.efforts))


@kernel
def _evaluate(here):
    case = _case_at(here)
    a, s = case.arrays, _forces_at(case.forces)
    others = Forces(case.forces, _kinds(s.kinds), _pieces(s.pieces), _efforts(s.efforts))
    values = dual_matrix_at(a.values.at, a.values.m // 3, 3)
    put_kind_forces(dual_tables(case.system), others, values, dual_vector(a.q), dual_vector(a.v), dual_vector(a.out))


class _Case(DualCase):
    """Tables and arrays of a system; exact: whether the kernels of all its kinds compile on duals."""

    def __init__(self, system: System) -> None:
        n = system.nv
        sizes = {"q": system.nq, "v": n, "values": 3 * len(system.elements.constants), "out": n}
        super().__init__(system, case_t, sizes, rows=False)
        kinds = system.elements.kinds
        spans = [_address(kind) for kind, _ in kinds]
        self.exact = all(address is not None for address in spans)
        self.kinds = np.zeros(len(kinds), force_kind_t)
        for row, (_, own), address in zip(self.kinds, kinds, spans, strict=True):
            row["wrenches"] = address or 0
            put_array(row["table"], own)
        pieces: Any = system.tables["force_pieces"]
        self.efforts = LaneTable(len(pieces), effort_t)
        self.forces: Any = record(forces_t)
        given = {
            "work": self.tables.written["work"].rows,
            "kinds": self.kinds,
            "pieces": pieces,
            "efforts": self.efforts.rows,
        }
        for name, table in given.items():
            put_array(self.forces[name], table)
        self.record.forces = address_of(self.forces)


def _address(kind: ForceKind) -> int | None:
    """Where the wrenches of a kind on duals are compiled."""
    constant = tuple(kind.table_t.names or ())
    return address_if_it_compiles(lane_span(kind.wrenches, kind.table_t, constant, open_dual_sweep, "put", ON_DUALS))


def kind_slopes(system: System, q: Array, v: Array, t: float) -> tuple[Array, Array] | None:
    """Derivatives of the generalized forces of the elements of registered kinds by q (along `displace`) and by v, (nv, nv)
    each, with numbers that an element does not give as zero; None where a kind is not written for duals."""
    case = own_case(system, "slopes of force elements", _Case)
    if not case.exact:
        return None
    n = system.nv
    case.arrays["values"][:, 0] = element_values(system, q, v, t).ravel()
    one, none = np.eye(n), np.zeros((n, n))
    given = {"q": (q, turns(system, q, np.hstack([one, none]))), "v": (v, np.hstack([none, one]))}
    out = np.empty((n, 2 * n))
    for first in range(0, 2 * n, DIRECTIONS):
        width = case.put(given, first)
        _evaluate(case.here)
        out[:, first : first + width] = case.arrays["out"][:, 1 : 1 + width]
    out[~np.isfinite(out)] = 0.0
    return out[:, :n], out[:, n:]
