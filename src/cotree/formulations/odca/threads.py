"""The plan on threads: whole subtrees at once, the rest of the way up and down alone.

Nodes are in postorder, so that a subtree is a range of nodes. Each thread has a share of the subtrees, of the parts and of the
groups of rows, room of its own, and notes. What is computed does not depend on the number of threads, to the last bit.
"""

from __future__ import annotations

import heapq
import os
from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from cotree.engine.arena import base_in, beyond
from cotree.engine.entry import entry
from cotree.engine.kernel import kernel, threaded
from cotree.engine.records import integers, matrix, put_array, record
from cotree.formulations.odca.solve import (
    assemble,
    disassemble,
    put_other_rows,
    put_parts,
    put_tree_rows,
    reassemble,
)
from cotree.formulations.odca.tables import AGAIN, division_at, division_t, open_parts, team_at, team_t
from cotree.kinematics.sweep import move_all
from cotree.system.views import open_tables
from cotree.topology.plan import Plan

Integers = NDArray[np.int64]
NOTES = 8  # floats: rank, least and largest ratio; a line of the cache each
SPINS = 1000  # looks at a flag before a thread that waits sleeps
SHARES = 4  # subtrees for each thread, or more


def subtrees(plan: Plan, cost: NDArray[np.float64], threads: int) -> tuple[list[int], Integers]:
    """(roots of disjoint subtrees of similar cost, the nodes above them): the dearest is split until there are enough."""
    total = np.cumsum(cost)
    below = total - np.where(plan.first > 0, total[plan.first - 1], 0.0)
    heap = [(-below[r], int(r)) for r in plan.roots]
    heapq.heapify(heap)
    above = []
    while heap and len(heap) < SHARES * threads and plan.body[heap[0][1]] < 0:
        node = heapq.heappop(heap)[1]
        above.append(node)
        for part in (int(plan.left[node]), int(plan.right[node])):
            heapq.heappush(heap, (-below[part], part))
    return sorted(r for _, r in heap), np.array(sorted(above), dtype=np.int64)


def shares(roots: list[int], below: NDArray[np.float64], threads: int) -> list[list[int]]:
    """Subtrees of each thread: the dearest first, to whom has least."""
    load, given = [0.0] * threads, [list[int]() for _ in range(threads)]
    for r in sorted(roots, key=lambda r: -below[r]):
        k = int(np.argmin(load))
        load[k] += below[r]
        given[k].append(r)
    return given


def team(
    plan: Plan, cost: NDArray[np.float64], room: int, threads: int
) -> tuple[Any, list[NDArray[Any]], list[Integers], Integers]:
    """(record, arrays to be kept, roots of each thread's subtrees, nodes above them) of a team of threads."""
    start_threads()
    roots, top = subtrees(plan, cost, threads)
    total = np.cumsum(cost)
    below = total - np.where(plan.first > 0, total[plan.first - 1], 0.0)
    given = shares(roots, below, threads)
    starts = np.concatenate([[0], np.cumsum([len(g) for g in given])]).astype(np.int64)
    last = np.array([r for g in given for r in g], dtype=np.int64)
    first = plan.first[last]
    made, arrays = record(team_t), {
        "starts": starts, "first": first, "last": last, "top": top, "room": np.zeros((threads, room + 64)),
        "notes": np.zeros((threads, NOTES)),
    }  # fmt: skip
    made.threads = threads
    for name, array in arrays.items():
        put_array(made.arrays[name], array)
    return made, list(arrays.values()), [np.array(g, dtype=np.int64) for g in given], top


def start_threads() -> None:
    """Start Numba's threads. GNU's OpenMP reads its settings when it is loaded; threads that wait sleep after a short spin
    (some ten microseconds; milliseconds by default, in which they take the processor from the one that is waited for)."""
    user = "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ
    if not user:
        os.environ["GOMP_SPINCOUNT"] = str(SPINS)
    try:
        _wake(np.zeros(1))
    finally:
        if not user:
            del os.environ["GOMP_SPINCOUNT"]


@threaded
def _wake(x):
    """Numba starts its threads when a function of its own is called, not when an address is."""
    for k in prange(x.size):
        x[k] = k


@kernel
def _share(n, k, threads):
    """Range of the k-th share of n things."""
    return n * k // threads, n * (k + 1) // threads


class Team(NamedTuple):
    """Of each thread its first task, and one more; of each task its first and last node; nodes above; room, and how much each
    has; notes of each thread."""

    starts: Any
    first: Any
    last: Any
    top: Any
    room: Any
    each: Any
    notes: Any


@kernel
def _team(division):
    """`Team` of a division by its address. Loops on threads take addresses and arrays, not records."""
    a = team_at(division_at(division).team).arrays
    lists = integers(a.starts), integers(a.first), integers(a.last), integers(a.top)
    return Team(lists[0], lists[1], lists[2], lists[3], base_in(a.room), a.room.n, matrix(a.notes))


@kernel
def _sizes(division):
    """Numbers of parts and of groups."""
    opened = open_parts(division_at(division))
    return opened.parts.size, opened.groups.size


@entry(division_t)
def put_rows_together(d, level, q, v, _):
    """What `put_rows` does, on threads."""
    return _put_rows(d.here, d.system, move_all(open_tables(d.system), q, v), level)


@threaded
def _put_rows(division, here, shift, level):
    (n, m), notes = _sizes(division), _team(division).notes
    threads = notes.shape[0]
    for k in prange(threads):
        first, last = _share(n, k, threads)
        notes[k, 0] = put_parts(here, division_at(division), shift, level, first, last)
    for k in range(threads):
        if notes[k, 0] < 0.0:
            return int(notes[k, 0])
    alone = division_at(division).alone
    for k in prange(threads):
        first, last = _share(n, k, threads)
        put_tree_rows(division_at(division), first, last)
        first, last = _share(m, k, threads)
        if not alone:
            put_other_rows(here, division_at(division), first, last)
    if alone:
        put_other_rows(here, division_at(division), 0, m)
    return 0


@entry(division_t)
def solve_together(d, which, _, __, ___):
    """What `solve` and `solve_again` do, on threads."""
    return _solve_again(d.here) if which == AGAIN else _solve(d.here, d.ratios)


@threaded
def _solve_again(division):
    starts, first, last, top, room, each, notes = _team(division)
    threads = notes.shape[0]
    for k in prange(threads):
        for j in range(starts[k], starts[k + 1]):
            reassemble(division_at(division), first[j], last[j] + 1)
    for j in range(top.size):
        reassemble(division_at(division), top[j], top[j] + 1)
    for j in range(top.size - 1, -1, -1):
        disassemble(division_at(division), top[j], top[j] + 1, room)
    for k in prange(threads):
        for j in range(starts[k], starts[k + 1]):
            disassemble(division_at(division), first[j], last[j] + 1, beyond(room, k * each))
    return 0


@threaded
def _solve(division, ratios):
    starts, first, last, top, room, each, notes = _team(division)
    threads = notes.shape[0]
    for k in prange(threads):
        mine, rank = notes[k, 1:3], 0
        mine[0], mine[1] = np.inf, 0.0
        for j in range(starts[k], starts[k + 1]):
            rank += assemble(division_at(division), first[j], last[j] + 1, beyond(room, k * each), mine)
        notes[k, 0] = rank
    ratios[0], ratios[1], total = np.inf, 0.0, 0
    for j in range(top.size):
        total += assemble(division_at(division), top[j], top[j] + 1, room, ratios)
    for j in range(top.size - 1, -1, -1):
        disassemble(division_at(division), top[j], top[j] + 1, room)
    for k in prange(threads):
        for j in range(starts[k], starts[k + 1]):
            disassemble(division_at(division), first[j], last[j] + 1, beyond(room, k * each))
    for k in range(threads):
        ratios[0], ratios[1] = min(ratios[0], notes[k, 1]), max(ratios[1], notes[k, 2])
        total += int(notes[k, 0])
    return total
