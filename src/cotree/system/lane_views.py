"""What kernels see of a system when they run on lanes: the same tables, with rows of lanes to write into.

The constant tables are those of numbers: a number beside lanes stands for itself in each. Rows that sweeps write, and the
vectors q, v, w and the result, are lanes; they belong to whoever makes them (`LaneRows`), not to the system.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.engine.lane_records import aligned_zeros, lane_dtype, lane_rows_of
from cotree.engine.lane_type import LANES
from cotree.engine.records import address_of, arrays, opener, put_array, record
from cotree.system.tables import dof_work_t, link_work_t
from cotree.system.views import Elements, Tables, open_tables

VECTORS = ("q", "v", "w", "out")
lane_rows_t = arrays("work", "dof_work", *VECTORS)
lanes_at = opener(lane_rows_t)
_work, _dof_work = lane_rows_of(link_work_t), lane_rows_of(dof_work_t)


@cache
def _types() -> tuple[np.dtype[np.void], np.dtype[np.void]]:
    return lane_dtype(link_work_t), lane_dtype(dof_work_t)


class LaneRows:
    """Rows of lanes for one thread; here: address of their record. sizes: entries of q, v, w and of the result."""

    def __init__(self, n_links: int, n_dofs: int, sizes: tuple[int, int, int, int]) -> None:
        self.kept: list[NDArray[Any]] = [
            aligned_zeros(n_links, _types()[0]),
            aligned_zeros(n_dofs, _types()[1]),
            *(aligned_zeros(n * LANES, np.float64).reshape(n, LANES) for n in sizes),
        ]
        self.record = record(lane_rows_t)
        for name, array in zip(("work", "dof_work", *VECTORS), self.kept, strict=True):
            put_array(self.record[name], array)
        self.here = address_of(self.record)


@kernel
def open_lane_tables(here, lanes):
    """`Tables` of the system at an address, with rows of lanes. Force elements of registered kinds, whose compiled code takes
    numbers, are left out: systems that have any are not evaluated on lanes."""
    t = open_tables(here)
    e = t.elements
    elements = Elements(e.springs, e.loads, e.joint_forces, e.cuts, None)
    return Tables(t.world, t.links, t.dofs, t.bodies, elements, _work(lanes.work), _dof_work(lanes.dof_work))
