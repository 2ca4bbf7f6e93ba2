"""Many states evaluated in one call: on lanes, and on several threads where there is enough to do.

A `Batch` is made from a kernel that evaluates one state. Results that are not finite, or whose kernel reports something, are
left to the function for single states, which raises an error that says what is wrong, or knows better.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.interpreted import INTERPRETED
from cotree.engine.kernel import kernel
from cotree.engine.together import cores
from cotree.engine.workers import share
from cotree.system.members import Members
from cotree.system.system import System

if TYPE_CHECKING:
    from cotree.system.families import Systems

Array = NDArray[np.float64]
FIRST = 8  # members, a multiple of the numbers of lanes
PIECES = 4  # for each thread: one of them may be held up
KEPT = 4  # sets of rows of lanes in a thread
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

    @cached_property
    def of_lanes(self) -> Any:
        from cotree.system.batch_loops import of_systems

        return of_systems(self.evaluate)

    def of_systems(
        self, systems: Systems, members: Members, shape: tuple[int, ...], single: Callable[[int], Array]
    ) -> Array | None:
        """(..., *shape): results of members of several systems on lanes, whose values of force elements are their own; None
        where they cannot be. single(i): that of one member."""
        tables = systems.tables()
        if tables is None:
            return None
        count, width, states = len(systems), math.prod(shape), members.count // len(systems)
        out, status = np.empty((members.count, width)), np.zeros(members.count, np.int64)
        given = [*members.rows.values(), *(np.zeros((1, systems.nv)) for _ in range(3 - len(members.rows)))]
        sizes, groups = (1, 1, (systems.nq, systems.nv, systems.nv, width)), len(tables.tables)

        def part(first: int, last: int) -> None:
            own = _own.rows(*sizes)
            self.of_lanes(
                tables.tables, tables.values, tables.slots, own.here, *given, out, status, count, states, first, last
            )

        threads = min(cores(), groups, 1 + members.count * len(systems[0].links) // SHARE)
        whole = 1 + (groups - 1) // (PIECES * threads)
        with tables.lock:
            part(0, 1)  # code may have to be compiled
            share(lambda k: part(k, min(k + whole, groups)), range(1, groups, whole), threads)
        for i in np.flatnonzero(status):
            out[i] = np.asarray(single(int(i))).ravel()
        return out.reshape(*members.shape, *shape)

    def __call__(
        self,
        system: System,
        members: Members,
        shape: tuple[int, ...],
        single: Callable[..., Array],
        values: Array | None = None,
    ) -> Array:
        """(..., *shape): the results; single(q, v, w): that of one member, of this shape. values: of the force elements."""
        out, status = self.raw(system, list(members.rows.values()), members.count, math.prod(shape), values)
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
        here, sizes = system.here, (len(system.links), len(system.dofs), (system.nq, system.nv, system.nv, width))

        def part(first: int, last: int) -> None:
            if lanes:  # the system's own rows are only read
                own = _own.rows(*sizes)
                loop(here, own.here, values, *given, out, status, first, last)
            else:
                loop(system.here, 0, values, *given, out, status, first, last)

        _shared(part, count, len(system.links))
        return out, status


def takes_lanes(system: System) -> bool:
    """Whether kernels run on lanes here: compiled code of registered force elements takes numbers."""
    return not (INTERPRETED or system.elements.kinds) and lanes_here() > 0


def lanes_here() -> int:
    """How many lanes there are, 0 where they are switched off."""
    return _lanes(os.environ.get("COTREE_LANES"))


@cache
def _lanes(_asked: str | None) -> int:
    """The same where so many are asked for: to look at the processor takes a while."""
    from cotree.engine.lane_type import count

    return count()


class _Own(threading.local):
    """Rows of lanes of a thread, by their sizes; those of a few systems are kept."""

    def __init__(self) -> None:
        self.kept: dict[Any, Any] = {}

    def rows(self, *sizes: Any) -> Any:
        from cotree.system.lane_views import LaneRows

        if sizes not in self.kept:
            while len(self.kept) >= KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[sizes] = LaneRows(*sizes)
        return self.kept[sizes]


_own = _Own()


def _shared(part: Callable[[int, int], None], count: int, links: int) -> None:
    """part(first, last) over all members, on as many threads as there is work for; a few members alone first, since code may
    have to be compiled for them."""
    threads = min(cores(), 1 + count * links // SHARE)
    if threads == 1:
        part(0, count)
        return
    part(0, FIRST)
    whole = FIRST * (1 + count // (PIECES * FIRST * threads))
    share(lambda k: part(k, min(k + whole, count)), range(FIRST, count, whole), threads)
