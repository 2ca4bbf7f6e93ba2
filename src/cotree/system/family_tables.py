"""The numbers of several systems of one structure on lanes, groups of them in one set of tables each."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.lane_records import aligned_zeros
from cotree.engine.lane_type import LANES
from cotree.engine.records import address_of
from cotree.system.lane_tables import LaneTables
from cotree.system.system import System


class FamilyTables:
    """tables: addresses of the tables of each group, values: of what their force elements have for numbers (slots, 3). The rows
    that kernels write belong to a group: one call at a time, `lock`, and one thread for each group."""

    def __init__(self, systems: Sequence[System]) -> None:
        self.lock, self.slots = threading.Lock(), len(systems[0].elements.constants)
        self.kept: list[tuple[LaneTables, NDArray[Any]]] = []
        for first in range(0, len(systems), LANES):
            tables, values = LaneTables(systems[0], rows=False), aligned_zeros(3 * self.slots * LANES + 1, np.float64)
            by_lane = values[:-1].reshape(3 * self.slots, LANES)
            for lane in range(LANES):
                system = systems[min(first + lane, len(systems) - 1)]  # the last one fills the lanes that remain
                tables.put(lane, system)
                by_lane[:, lane] = system.elements.constants.ravel()
            self.kept.append((tables, values))
        self.tables = np.array([tables.here for tables, _ in self.kept])
        self.values = np.array([address_of(values) for _, values in self.kept])
