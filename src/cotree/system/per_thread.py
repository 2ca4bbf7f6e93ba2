"""What each Python thread has of a system for itself: the rows that kernels write, addresses, and what is made once.

Kernels on Numba's threads release the lock of the interpreter, and some results take several kernels: threads that shared
these rows would read each other's numbers.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.records import address_of
from cotree.system.force_kinds import force_kind_table
from cotree.system.row_kinds import RowKind, kind_table
from cotree.system.tables import dof_work_t, effort_t, link_work_t, wrench_t
from cotree.system.views import make_record

Array = NDArray[np.float64]


class Workspace(threading.local):
    """Scratch rows that the kernels write; nothing in them outlives a call."""

    def __init__(self, n_links: int, n_dofs: int) -> None:  # called in each thread
        self.links: NDArray[np.void] = np.zeros(n_links, link_work_t)
        self.dofs: NDArray[np.void] = np.zeros(n_dofs, dof_work_t)

    def __reduce__(self) -> tuple[Any, ...]:
        return Workspace, (len(self.links), len(self.dofs))


class Own(threading.local):
    """record: where the tables lie (`cotree.system.views`), here: its address; cache: what was made for the system, by name;
    values: the numbers of the force elements that fast calls read."""

    def __init__(
        self,
        tables: dict[str, NDArray[np.void]],
        kinds: list[tuple[RowKind, NDArray[np.void], int]],
        elements: Any,
        work: Workspace,
    ) -> None:  # called in each thread
        self.tables = {
            **tables, "row_kinds": kind_table(kinds), "wrenches": np.zeros(len(tables["pieces"]), wrench_t),
            "force_kinds": force_kind_table(elements.kinds), "efforts": np.zeros(len(elements.pieces), effort_t),
            "work": work.links, "dof_work": work.dofs,
        }  # fmt: skip
        self.record = make_record(self.tables)
        self.here = address_of(self.record)
        self.cache: dict[str, Any] = {}
        self.work, self.values = (work.links, work.dofs), elements.constants.copy()
