"""From a description to tables: seconds for chains and ladders of growing size; both grow linearly.

`python -m benchmarks.building 1000000 10000` takes a chain to that many bodies and a ladder to that many loops.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import numpy as np

import cotree as ct
from benchmarks.trees import chain_parents, cotree_tree


def chain(n: int) -> ct.Mechanism:
    return cotree_tree(chain_parents(n))


def main(bodies: int = 100_000, loops: int = 3_000) -> None:
    print("Building: describing, compiling [s], both [us per body], memory of the process at most [MB]")
    print(f"{'':8} {'bodies':>8} {'loops':>7} {'describe':>9} {'compile':>8} {'us/body':>8} {'MB':>7}")
    _grow("chain", chain, [bodies // 100, bodies // 10, bodies])
    _grow("ladder", ct.gallery.n_four_bar, [loops // 100, loops // 10, loops])


def _grow(name: str, make: Callable[[int], ct.Mechanism], sizes: list[int]) -> None:
    make(3).compile()  # what is loaded once
    counts, seconds = [], []
    for n in sizes:
        start = time.perf_counter()
        mech = make(n)
        described = time.perf_counter()
        system = mech.compile()
        end = time.perf_counter()
        counts.append(system.n_bodies)
        seconds.append(end - start)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{name:8} {system.n_bodies:8d} {system.n_loops:7d} {described - start:9.3f} {end - described:8.3f} "
            f"{(end - start) / system.n_bodies * 1e6:8.1f} {memory:7.0f}"
        )
        del mech, system
    print(f"{name:8} exponent of the time over two decades: {np.polyfit(np.log(counts), np.log(seconds), 1)[0]:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
