"""The plan on threads: whole subtrees at once, the rest of the way up and down alone.

Nodes are in postorder, so that a subtree is a range of nodes. Each thread has a share of the subtrees, of the parts and of the
groups of rows, room of its own, and notes. What is computed does not depend on the number of threads, to the last bit.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from cotree.engine.entry import raw_entry
from cotree.engine.kernel import kernel, threaded
from cotree.engine.records import integers_at, matrix_at, vector_at
from cotree.formulations.odca.solve import (
    AGAIN,
    NUMBERS,
    assemble,
    disassemble,
    put_other_rows,
    put_parts,
    put_tree_rows,
    reassemble,
)
from cotree.formulations.odca.tables import HANDLE_SIZE, TEAM, open_parts
from cotree.kinematics.sweep import move_all
from cotree.system.views import open_rows, open_tables
from cotree.topology.plan import Plan

Integers = NDArray[np.int64]
# Places in the team's handle: numbers of threads, tasks and nodes on top; addresses; floats of room for each thread
THREADS, TASKS, TOP, STARTS_AT, FIRST_AT, LAST_AT, TOP_AT, ROOM_AT, ROOM, NOTES_AT, TEAM_SIZE = range(11)
NOTES = 8  # floats: rank, least and greatest ratio; a line of the cache each
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
) -> tuple[Integers, list[NDArray[Any]], list[Integers], Integers]:
    """(handle, arrays to be kept, roots of each thread's subtrees, nodes above them) of a team of threads."""
    _wake(np.zeros(1))
    roots, top = subtrees(plan, cost, threads)
    total = np.cumsum(cost)
    below = total - np.where(plan.first > 0, total[plan.first - 1], 0.0)
    given = shares(roots, below, threads)
    starts = np.concatenate([[0], np.cumsum([len(g) for g in given])]).astype(np.int64)
    last = np.array([r for g in given for r in g], dtype=np.int64)
    first = plan.first[last]
    arrays: list[NDArray[Any]] = [
        starts, first, last, top, np.zeros((threads, room + 64)), np.zeros((threads, NOTES)),
    ]  # fmt: skip
    addresses = [a.ctypes.data for a in arrays]
    handle = np.array(
        [threads, len(last), len(top), *addresses[:4], addresses[4], room + 64, addresses[5]], dtype=np.int64
    )
    return handle, [handle, *arrays], [np.array(g, dtype=np.int64) for g in given], top


@threaded
def _wake(x):
    """Numba starts its threads when a function of its own is called, not when an address is."""
    for k in prange(x.size):
        x[k] = k


@kernel
def _share(n, k, threads):
    """Range of the k-th share of n things."""
    return n * k // threads, n * (k + 1) // threads


@raw_entry
def put_rows_together(division, level, here, q_at, v_at):
    """What `put_rows` does, on threads."""
    o = integers_at(division, HANDLE_SIZE)
    tables = open_tables(here)
    q, v = vector_at(q_at, NUMBERS), vector_at(v_at, tables.dofs.size)
    shift = move_all(tables, q, v)
    return _put_rows(o, here, shift, level, integers_at(o[TEAM], TEAM_SIZE))


@threaded
def _put_rows(o, here, shift, level, team):
    parts, groups = open_parts(o)[1:3]
    threads, n, m = team[THREADS], parts.size, groups.size
    notes = matrix_at(team[NOTES_AT], threads, NOTES)
    for k in prange(threads):
        first, last = _share(n, k, threads)
        notes[k, 0] = put_parts(here, o, shift, level, first, last)
    for k in range(threads):
        if notes[k, 0] < 0.0:
            return int(notes[k, 0])
    alone = open_rows(here).couplings.size > 0  # couplings of one joint share its room
    for k in prange(threads):
        first, last = _share(n, k, threads)
        put_tree_rows(o, first, last)
        first, last = _share(m, k, threads)
        if not alone:
            put_other_rows(here, o, first, last)
    if alone:
        put_other_rows(here, o, 0, m)
    return 0


@raw_entry
def solve_together(division, which, ratios_at, __, ___):
    """What `solve` and `solve_again` do, on threads."""
    o = integers_at(division, HANDLE_SIZE)
    team = integers_at(o[TEAM], TEAM_SIZE)
    if which == AGAIN:
        return _solve_again(o, team)
    return _solve(o, team, vector_at(ratios_at, 2))


@threaded
def _solve_again(o, team):
    threads, room = team[THREADS], team[ROOM_AT]
    starts, top = integers_at(team[STARTS_AT], threads + 1), integers_at(team[TOP_AT], team[TOP])
    first, last = integers_at(team[FIRST_AT], team[TASKS]), integers_at(team[LAST_AT], team[TASKS])
    for k in prange(threads):
        for j in range(starts[k], starts[k + 1]):
            reassemble(o, first[j], last[j] + 1)
    for j in range(top.size):
        reassemble(o, top[j], top[j] + 1)
    for j in range(top.size - 1, -1, -1):
        disassemble(o, top[j], top[j] + 1, room)
    for k in prange(threads):
        for j in range(starts[k], starts[k + 1]):
            disassemble(o, first[j], last[j] + 1, room + 8 * k * team[ROOM])
    return 0


@threaded
def _solve(o, team, ratios):
    threads, room = team[THREADS], team[ROOM_AT]
    starts, top = integers_at(team[STARTS_AT], threads + 1), integers_at(team[TOP_AT], team[TOP])
    first, last = integers_at(team[FIRST_AT], team[TASKS]), integers_at(team[LAST_AT], team[TASKS])
    notes = matrix_at(team[NOTES_AT], threads, NOTES)
    for k in prange(threads):
        mine, rank = notes[k, 1:3], 0
        mine[0], mine[1] = np.inf, 0.0
        for j in range(starts[k], starts[k + 1]):
            rank += assemble(o, first[j], last[j] + 1, room + 8 * k * team[ROOM], mine)
        notes[k, 0] = rank
    ratios[0], ratios[1], total = np.inf, 0.0, 0
    for j in range(top.size):
        total += assemble(o, top[j], top[j] + 1, room, ratios)
    for j in range(top.size - 1, -1, -1):
        disassemble(o, top[j], top[j] + 1, room)
    for k in prange(threads):
        for j in range(starts[k], starts[k + 1]):
            disassemble(o, first[j], last[j] + 1, room + 8 * k * team[ROOM])
    for k in range(threads):
        ratios[0], ratios[1] = min(ratios[0], notes[k, 1]), max(ratios[1], notes[k, 2])
        total += int(notes[k, 0])
    return total
