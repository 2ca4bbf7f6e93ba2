"""Several problems of one structure at once, on lanes: what `problem_t` is for one.

A pack has the equations of motion, and the arrays of a step, of as many systems as there are lanes. Its entries evaluate and
solve them all by the kernels of single ones; a lane whose rows depend on each other, or that has no inertia, ends with NaN and
is looked at alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.articulated import forward_dynamics as articulated_bodies
from cotree.dynamics.power import element_powers
from cotree.engine.choosing import select
from cotree.engine.entry import NOTHING, call, entry, header_t
from cotree.engine.kernel import kernel
from cotree.engine.lane_records import aligned_zeros, lane_matrix_at, lane_vector
from cotree.engine.lane_type import LANES
from cotree.engine.records import address_of, addresses, arrays, at_t, put_array, record
from cotree.engine.vectors import inner
from cotree.formulations.acceleration import fill_positions, fill_terms
from cotree.formulations.problem import Terms
from cotree.formulations.schur import by_complement, invert_diagonal
from cotree.system.lane_tables import LaneTables, lane_rows, lane_tables
from cotree.system.system import System

VECTORS = (
    "q", "v", "a", "power", "zero", "f", "eta", "g", "b", "lam", "diagonal", "change", "x", "moved", "least",
    "q_now", "v_now", "a_now", "power_now", "psi", "dv", "dq", "size", "length", "corrections", "ends", "where",
)  # fmt: skip
MATRICES = ("values", "motions", "M", "J", "S", "kq", "kv", "kx", "kw", "err", "room")
pack_t = np.dtype(
    [
        *((name, header_t[name]) for name in header_t.names or ()),
        ("rows", "i8"),
        ("stages", "i8"),
        ("slots", "i8"),  # numbers of force elements, and functions of time, which are constant here
        ("drives", "i8"),
        ("system", at_t),  # `LaneTables`, by address
        ("vectorial", "?"),
        ("stabilize", "?"),
        ("adaptive", "?"),
        ("entries", addresses("terms", "solve", "positions", "project", "step", "between")),
        ("arrays", arrays(*VECTORS, *MATRICES, "holonomic", "tableau", "weights", "error")),
    ],
    align=True,
)  # fmt: skip


@kernel
def pack_terms(p):
    """The equations of motion, as `terms_of` a problem."""
    a, n, m = p.arrays, p.nv, p.rows
    M, J = lane_matrix_at(a.M.at, n, n), lane_matrix_at(a.J.at, m, n)
    return Terms(M, J, lane_vector(a.f), lane_vector(a.eta), lane_vector(a.g), lane_vector(a.b), lane_vector(a.lam))


@entry(pack_t)
def tree(p, _, __, ___, ____):
    """Accelerations of systems without constraints at (q, v)."""
    a, tables = p.arrays, lane_tables(p.system)
    values, power, v = lane_matrix_at(a.values.at, p.slots, 3), lane_vector(a.power), lane_vector(a.v)
    out = lane_vector(a.a)
    if articulated_bodies(tables, values, lane_vector(a.q), v, lane_vector(a.zero), out) != 0:
        for j in range(p.nv):
            out[j] = select(tables.dof_work[j].d > 0.0, out[j], np.nan)
    power[0], power[1] = element_powers(tables.elements, tables.work, values, v)
    return 0


@entry(pack_t)
def terms(p, _, __, ___, ____):
    """M, f, g, J, b, eta and powers at (q, v)."""
    a, tables, rows = p.arrays, lane_tables(p.system), lane_rows(p.system)
    values, motions = lane_matrix_at(a.values.at, p.slots, 3), lane_matrix_at(a.motions.at, p.drives, 3)
    q, v, zero, power = lane_vector(a.q), lane_vector(a.v), lane_vector(a.zero), lane_vector(a.power)
    fill_terms(pack_terms(p), p.system, tables, rows, values, motions, zero, power, q, v)
    return 0


@entry(pack_t)
def positions(p, _, __, ___, ____):
    """M, g, J, b at q."""
    motions = lane_matrix_at(p.arrays.motions.at, p.drives, 3)
    fill_positions(
        pack_terms(p), p.system, lane_tables(p.system), lane_rows(p.system), motions, lane_vector(p.arrays.q)
    )
    return 0


@entry(pack_t)
def solve(p, _, __, ___, ____):
    """x and lam from the terms, x being what M x + J^T lam = f, J x = eta has for a solution; the least singular value."""
    a, e = p.arrays, pack_terms(p)
    S, x = lane_matrix_at(a.S.at, p.rows, p.rows), lane_vector(a.x)
    diagonal, change = lane_vector(a.diagonal), lane_vector(a.change)
    places = np.empty(x.size + 3 * p.rows, np.int64)
    status, least = by_complement(e.M, e.J, e.f, e.eta, x, e.lam, S, diagonal, change, places)
    invert_diagonal(e.M)
    lane_vector(a.least)[0] = least
    return 0 if status >= 0 else status


@kernel
def evaluate(p):
    """Accelerations and powers at (q, v), in `a` and `power`; 0, or negative where no lane has any."""
    status = call(p.entries.terms, p.here, 0.0, NOTHING, NOTHING, NOTHING)
    if status < 0 or p.rows == 0:
        return status
    status = call(p.entries.solve, p.here, 0.0, NOTHING, NOTHING, NOTHING)
    if status < 0:
        return status
    x, out, least = lane_vector(p.arrays.x), lane_vector(p.arrays.a), lane_vector(p.arrays.least)
    for j in range(p.nv):
        out[j] = x[j]
    least[1] = min(least[0], least[1])  # what is not a number stays
    least[2] += least[0]
    if p.drives > 0:
        lane_vector(p.arrays.power)[0] -= inner(lane_vector(p.arrays.lam), lane_vector(p.arrays.b))
    return 0


class Pack:
    """The record for systems with the structure of this one, and the arrays behind it by name, (..., LANES)."""

    def __init__(self, system: System, stages: int) -> None:
        n, nq, m = system.nv, system.nq, system.n_constraints
        slots, drives = len(system.elements.constants), len(system.extra_rows.constants)
        sizes = dict.fromkeys(("v", "a", "f", "x", "v_now", "a_now", "psi", "dv"), n)
        sizes |= dict.fromkeys(("q", "moved", "q_now", "dq"), nq) | dict.fromkeys(
            ("power", "power_now", "corrections"), 2
        )
        sizes |= dict.fromkeys(("eta", "g", "b", "lam", "diagonal", "change"), m)
        sizes |= {
            "zero": max(n, m),
            "least": 3,
            "size": 1,
            "length": 1,
            "where": 2,
            "ends": 2 * (nq + 2 * n),
            "room": 6 * n,
        }
        sizes |= {"values": 3 * slots, "motions": 3 * drives, "M": n * n, "J": m * n, "S": m * m, "err": 4 * n}
        sizes |= {"kq": (stages + 1) * n, "kv": (stages + 1) * n, "kx": (stages + 1) * nq, "kw": 2 * (stages + 1)}
        self.record: Any = record(pack_t)
        self.kept: dict[str, NDArray[Any]] = {}
        for name, count in sizes.items():
            self.hold(name, aligned_zeros(max(count, 1) * LANES, np.float64).reshape(-1, LANES)[:count])
        self.tables = LaneTables(system)
        p = self.record
        p.here = self.here = address_of(p)
        p.nq, p.nv, p.rows, p.stages, p.slots, p.drives = nq, n, m, stages, slots, drives
        p.system = self.tables.here

    def hold(self, name: str, array: NDArray[Any]) -> None:
        """Keep an array and let kernels find it by its name."""
        self.kept[name] = array
        put_array(self.record.arrays[name], array)
