"""Tables and arrays of dual numbers for a system, which kernels find by the address of a record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.dual_records import ON_DUALS
from cotree.engine.dual_type import DIRECTIONS
from cotree.engine.lane_records import aligned_zeros
from cotree.engine.lane_type import LANES
from cotree.engine.records import address_of, put_array, record
from cotree.kinematics.coordinates import coordinate_rates
from cotree.system.lane_tables import LaneTables, openers
from cotree.system.system import System

Array = NDArray[np.float64]
OF_DUALS = openers(ON_DUALS)
dual_tables = OF_DUALS.tables


class DualCase:
    """A record of type `case_t` (the field `system`, and `arrays` by name); arrays: so many duals each, (n, LANES), the number
    first and then its derivatives; here: address of the record. The tables of the system are constants."""

    def __init__(self, system: System, case_t: np.dtype[np.void], sizes: Mapping[str, int]) -> None:
        self.tables: LaneTables = own_case(system, "tables of duals", _tables_of)
        self.record: Any = record(case_t)
        self.record.system = self.tables.here
        self.arrays = {x: aligned_zeros(max(k, 1) * LANES, np.float64).reshape(-1, LANES)[:k] for x, k in sizes.items()}
        for name, array in self.arrays.items():
            put_array(self.record.arrays[name], array)
        self.here = address_of(self.record)

    def put(self, given: Mapping[str, tuple[Array, Array]], first: int) -> int:
        """Fill arrays with numbers and their derivatives along as many directions as there is place for, from one of them on;
        returns how many."""
        width = 0
        for name, (x, along) in given.items():
            width, array = min(DIRECTIONS, along.shape[1] - first), self.arrays[name]
            array[:, 0], array[:, 1:] = x, 0.0
            array[:, 1 : 1 + width] = along[:, first : first + width]
        return width


def _tables_of(system: System) -> LaneTables:
    tables = LaneTables(system, OF_DUALS)
    tables.put(0, system)
    return tables


def own_case(system: System, name: str, make: Callable[[System], Any]) -> Any:
    """What this thread has made for a system, made when it is first asked for."""
    cache = system.own.cache
    if name not in cache:
        cache[name] = make(system)
    return cache[name]


def turns(system: System, q: Array, steps: Array) -> Array:
    """(nq, directions): how q changes along velocities, one in each column of steps."""
    found = np.array([coordinate_rates(system, q, x) for x in np.ascontiguousarray(steps.T)])
    return found.reshape(steps.shape[1], system.nq).T
