"""What each Python thread has of a system for itself: the rows that kernels write, addresses, and what is made once.

Kernels on Numba's threads release the lock of the interpreter, and some results take several kernels: threads that shared
these rows would read each other's numbers.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.system.handle import make_handle
from cotree.system.tables import dof_work_t, link_work_t


class Workspace(threading.local):
    """Scratch rows that the kernels write; nothing in them outlives a call."""

    def __init__(self, n_links: int, n_dofs: int) -> None:  # called in each thread
        self.links: NDArray[np.void] = np.zeros(n_links, link_work_t)
        self.dofs: NDArray[np.void] = np.zeros(n_dofs, dof_work_t)

    def __reduce__(self) -> tuple[Any, ...]:
        return Workspace, (len(self.links), len(self.dofs))


class Own(threading.local):
    """handle: see `cotree.system.handle`; cache: what was made for the system, by name."""

    def __init__(self, tables: tuple[NDArray[np.void], ...], work: Workspace) -> None:  # called in each thread
        self.handle = make_handle(*tables[:7], work.links, work.dofs, *tables[7:])
        self.cache: dict[str, Any] = {}
