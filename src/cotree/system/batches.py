"""Many states evaluated in one call: on lanes, and on several threads where there is enough to do.

A `Batch` is made from a kernel that evaluates one state. Results that are not finite, or whose kernel reports something, are
left to the function for single states, which raises an error that says what is wrong, or knows better.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.interpreted import INTERPRETED
from cotree.engine.kernel import kernel
from cotree.engine.together import cores
from cotree.system.members import Members
from cotree.system.system import System

Array = NDArray[np.float64]
FIRST = 8  # members, a multiple of the numbers of lanes
SHARE = 4000  # links evaluated by a thread, at least: some hundred microseconds, more than it takes to start one


class Batch:
    """evaluate(tables, values, q, v, w, out) -> status: a kernel of one state, which writes a vector."""

    def __init__(self, evaluate: Any) -> None:
        self.evaluate = kernel(evaluate)
        self.__name__, self.__doc__ = evaluate.__name__, evaluate.__doc__

    @cached_property
    def on_lanes(self) -> Any:
        from cotree.system.batch_loops import on_lanes

        return on_lanes(self.evaluate)

    @cached_property
    def on_numbers(self) -> Any:
        from cotree.system.batch_loops import on_numbers

        return on_numbers(self.evaluate)

    def __call__(
        self,
        system: System,
        members: Members,
        shape: tuple[int, ...],
        single: Callable[..., Array],
        values: Array | None = None,
    ) -> Array:
        """(..., *shape): the results; single(q, v, w): that of one member, of this shape. values: of the force elements."""
        out, status = self.raw(system, list(members.rows.values()), members.count, int(np.prod(shape)), values)
        for i in np.flatnonzero(status):
            out[i] = members.single(int(i), single).ravel()
        return out.reshape(*members.shape, *shape)

    def raw(
        self, system: System, rows: list[Array], count: int, width: int, values: Array | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """(count, width) results, and a status for each."""
        out, status = np.empty((count, width)), np.zeros(count, np.int64)
        values = system.elements.constants if values is None else values
        given = [*rows, *(np.zeros((1, system.nv)) for _ in range(3 - len(rows)))]
        lanes = takes_lanes(system)
        loop = self.on_lanes if lanes else self.on_numbers

        here, mine = system.here, threading.get_ident()

        def part(first: int, last: int) -> None:
            if lanes:  # the system's own rows are only read
                own = _lane_rows(system, width, threading.get_ident() == mine)
                loop(here, own.here, values, *given, out, status, first, last)
            else:
                loop(system.here, 0, values, *given, out, status, first, last)

        _shared(part, count, len(system.links))
        return out, status


def takes_lanes(system: System) -> bool:
    """Whether kernels run on lanes here: compiled code of registered force elements takes numbers."""
    if INTERPRETED or system.elements.kinds:
        return False
    from cotree.engine.lane_type import count

    return count() > 0


def _lane_rows(system: System, width: int, keep: bool) -> Any:
    """Rows of lanes for results of some width; kept: those of this thread, made once."""
    from cotree.system.lane_views import LaneRows

    sizes = (system.nq, system.nv, system.nv, width)
    n_links, n_dofs = len(system.links), len(system.dofs)
    if not keep:
        return LaneRows(n_links, n_dofs, sizes)
    return system.cached(f"lanes for {width}", lambda: LaneRows(n_links, n_dofs, sizes))


def _shared(part: Callable[[int, int], None], count: int, links: int) -> None:
    """part(first, last) over all members, on as many threads as there is work for; a few members alone first, since code may
    have to be compiled for them."""
    threads = min(cores(), 1 + count * links // SHARE)
    if threads == 1:
        part(0, count)
        return
    part(0, FIRST)
    whole = FIRST * (1 + count // (2 * FIRST * threads))  # two for each thread: one of them may be held up
    parts = [(k, min(k + whole, count)) for k in range(FIRST, count, whole)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda both: part(*both), parts))
