"""One small array of addresses stands for all tables of a system, so that a kernel called from Python takes few arguments.

Each table passed to a compiled function costs about 0.2 microseconds at the call, and a system has fifteen. The addresses are
those of arrays that the System keeps alive.
"""

from __future__ import annotations

import numpy as np
from numba import carray
from numpy.typing import NDArray

from cotree.engine.entry import pointer_to
from cotree.engine.kernel import kernel
from cotree.errors import CopyError
from cotree.system.tables import (
    body_t,
    coupling_t,
    cut_t,
    distance_t,
    dof_t,
    dof_work_t,
    edge_t,
    joint_force_t,
    link_t,
    link_work_t,
    load_t,
    rolling_t,
    spring_t,
    term_t,
    world_t,
)

_ORDER = (
    world_t, link_t, dof_t, body_t, spring_t, load_t, joint_force_t, link_work_t, dof_work_t, cut_t,
    coupling_t, term_t, distance_t, edge_t, rolling_t, cut_t,
)  # fmt: skip
_world, _links, _dofs, _bodies, _springs, _loads, _joint_forces, _link_work, _dof_work, _cuts = map(
    pointer_to, _ORDER[:10]
)
_couplings, _terms, _distances, _edges, _rollings, _closings = map(pointer_to, _ORDER[10:])


def make_handle(*tables: NDArray[np.void]) -> NDArray[np.int64]:
    """Addresses and lengths of the tables, in the order of `open_handle`."""
    for table, expected in zip(tables, _ORDER, strict=True):
        if table.dtype != expected:
            raise CopyError("the tables of this system are those of another version of Cotree; compile it again")
        assert table.flags.c_contiguous
        assert table.flags.aligned
    return np.array([x for table in tables for x in (table.ctypes.data, table.size)], dtype=np.int64)


@kernel
def open_handle(h):
    """(world, links, dofs, bodies, elements, work, dof_work); elements is (springs, loads, joint_forces, cuts)."""
    return (
        carray(_world(h[0]), (h[1],)),
        carray(_links(h[2]), (h[3],)),
        carray(_dofs(h[4]), (h[5],)),
        carray(_bodies(h[6]), (h[7],)),
        (
            carray(_springs(h[8]), (h[9],)),
            carray(_loads(h[10]), (h[11],)),
            carray(_joint_forces(h[12]), (h[13],)),
            carray(_cuts(h[18]), (h[19],)),
        ),
        carray(_link_work(h[14]), (h[15],)),
        carray(_dof_work(h[16]), (h[17],)),
    )


@kernel
def open_cuts(h):
    """Table of the cut joints."""
    return carray(_cuts(h[18]), (h[19],))


@kernel
def open_rows(h):
    """Tables of the other constraints: (couplings, terms, distances, edges, rollings, closings)."""
    return (
        carray(_couplings(h[20]), (h[21],)),
        carray(_terms(h[22]), (h[23],)),
        carray(_distances(h[24]), (h[25],)),
        carray(_edges(h[26]), (h[27],)),
        carray(_rollings(h[28]), (h[29],)),
        carray(_closings(h[30]), (h[31],)),
    )
