"""Time of an assembly plan on several processors, by list scheduling: the node with the longest way to its root first."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cotree.engine.kernel import kernel
from cotree.errors import ShapeError
from cotree.topology.plan import Plan


@kernel
def _push(key, item, size, new_key, new_item):
    """Into a heap with the least key on top, held in key[:size], item[:size]; returns its new size."""
    i = size
    while i > 0 and key[(i - 1) // 2] > new_key:
        key[i], item[i] = key[(i - 1) // 2], item[(i - 1) // 2]
        i = (i - 1) // 2
    key[i], item[i] = new_key, new_item
    return size + 1


@kernel
def _pop(key, item, size):
    """Least key, its item, and the heap's new size."""
    top_key, top_item, last_key, last_item = key[0], item[0], key[size - 1], item[size - 1]
    size -= 1
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and key[child + 1] < key[child]:
            child += 1
        if key[child] >= last_key:
            break
        key[i], item[i] = key[child], item[child]
        i = child
    key[i], item[i] = last_key, last_item
    return top_key, top_item, size


@kernel
def _time(left, parent, cost, processors):
    n = parent.size
    rest = cost.copy()  # from the start of a node to the end of its root
    for i in range(n - 1, -1, -1):
        if parent[i] >= 0:
            rest[i] += rest[parent[i]]
    ready_key, ready, n_ready = np.empty(n), np.empty(n, np.int64), 0
    run_key, running, n_running = np.empty(n), np.empty(n, np.int64), 0
    waits = np.where(left < 0, 0, 2)
    for i in range(n):
        if waits[i] == 0:
            n_ready = _push(ready_key, ready, n_ready, -rest[i], i)
    now = 0.0
    while n_ready or n_running:
        while n_ready and n_running < processors:
            _, i, n_ready = _pop(ready_key, ready, n_ready)
            n_running = _push(run_key, running, n_running, now + cost[i], i)
        now, i, n_running = _pop(run_key, running, n_running)
        done = i
        while True:  # all that end now, before anything starts
            if parent[done] >= 0:
                waits[parent[done]] -= 1
                if waits[parent[done]] == 0:
                    n_ready = _push(ready_key, ready, n_ready, -rest[parent[done]], parent[done])
            if n_running == 0 or run_key[0] > now:
                break
            _, done, n_running = _pop(run_key, running, n_running)
    return now


def work_and_span(plan: Plan, cost_of_node: ArrayLike, processors: int) -> float:
    """Time until the last root is done; a node starts when its parts are done and a processor is free.

    max(work / p, span) <= time <= work / p + span, with work the sum of the costs and span the costliest way up to a root.
    """
    cost = np.ascontiguousarray(cost_of_node, np.float64)
    if cost.shape != plan.parent.shape:
        raise ShapeError(
            f"cost_of_node has shape {cost.shape}; give one cost for each of the plan's {plan.parent.size} nodes"
        )
    if processors < 1:
        raise ShapeError(f"processors is {processors}; give 1 or more")
    return float(_time(plan.left, plan.parent, cost, int(processors)))
