"""Many states of a tree in one call, beside Pinocchio called for one state after the other; on one processor, then on all.

Ratios are taken within one run: the calls take turns, and each is given the least of its times. Batches on one processor are
charged with the processor time of this process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cotree as ct
from benchmarks.trees import chain_parents, cotree_tree, pinocchio_tree
from cotree.engine.lane_type import LANES
from cotree.engine.together import cores

JOINTS, STATES, ROUNDS = 30, 2048, 9


def pinocchio_calls(n: int, q: Any, v: Any, w: Any) -> dict[str, Callable[[], Any]]:
    """Each quantity for all states."""
    import pinocchio as pin

    model = pinocchio_tree(chain_parents(n))
    data = model.createData()
    return {
        "forward dynamics": lambda: [pin.aba(model, data, *x) for x in zip(q, v, w, strict=True)],
        "inverse dynamics": lambda: [pin.rnea(model, data, *x) for x in zip(q, v, w, strict=True)],
        "mass matrix": lambda: [pin.crba(model, data, x) for x in q],
    }


def our_calls(n: int, q: Any, v: Any, w: Any) -> dict[str, Callable[[], Any]]:
    """The same, each in one call."""
    system = cotree_tree(chain_parents(n)).compile()
    return {
        "forward dynamics": lambda: ct.forward_dynamics(system, q, v, w).v_dot,
        "inverse dynamics": lambda: ct.inverse_dynamics(system, q, v, w),
        "mass matrix": lambda: ct.mass_matrix(system, q),
    }


def least(calls: list[Callable[[], Any]], clock: Callable[[], float]) -> list[float]:
    """Seconds of each call, the least of several taken in turns."""
    found = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for k, call in enumerate(calls):
            begun = clock()
            call()
            found[k] = min(found[k], clock() - begun)
    return found


def rows(n: int = JOINTS, count: int = STATES) -> list[tuple[str, float, float, float]]:
    """(quantity, ours, Pinocchio's [us of a state], greatest relative difference), on one processor."""
    q, v, w = np.random.default_rng(1).standard_normal((3, count, n))
    ours, theirs = our_calls(n, q, v, w), pinocchio_calls(n, q, v, w)
    mine, out = os.sched_getaffinity(0), []
    os.sched_setaffinity(0, {min(mine)})
    try:
        for quantity, call in ours.items():
            expected, found = np.array(theirs[quantity]()[:20]), call()[:20]
            difference = float(np.abs(found - expected).max() / np.abs(expected).max())
            seconds = least([call, theirs[quantity]], time.process_time)
            out.append((quantity, *(1e6 * s / count for s in seconds), difference))
    finally:
        os.sched_setaffinity(0, mine)
    return out


def speedup(n: int = JOINTS, count: int = 8 * STATES) -> float:
    """Elapsed time of forward dynamics on one processor over that on all of them."""
    q, v, w = np.random.default_rng(1).standard_normal((3, count, n))
    call = our_calls(n, q, v, w)["forward dynamics"]
    mine = os.sched_getaffinity(0)

    def alone() -> None:
        os.sched_setaffinity(0, {min(mine)})
        try:
            call()
        finally:
            os.sched_setaffinity(0, mine)

    call()
    one, all_of_them = least([alone, call], time.perf_counter)
    return one / all_of_them


def main() -> None:
    print(f"{STATES} states of a chain of {JOINTS} joints in one call, {LANES} lanes, one processor [us of a state]")
    print(f"{'quantity':>17} {'batch':>8} {'Pinocchio':>10} {'ratio':>6} {'difference':>11}")
    for quantity, ours, peer, difference in rows():
        print(f"{quantity:>17} {ours:8.2f} {peer:10.2f} {peer / ours:6.1f} {difference:11.1e}")
    print(f"forward dynamics on {cores()} processors: {speedup():.2f} times as fast as on one")


if __name__ == "__main__":
    main()
