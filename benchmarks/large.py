"""Time and memory of long chains: work and memory grow linearly; beyond some 10,000 bodies the tables leave the caches, and
the time a body is that of the memory. What describing and compiling takes is in `building`."""

from __future__ import annotations

import time

import numpy as np

import cotree as ct
from benchmarks.timing import best
from benchmarks.trees import chain_parents, cotree_tree


def main() -> None:
    print("Long chains: forward and inverse dynamics [ns per body], tables [bytes per body], building [us per body]")
    print(f"{'bodies':>8} {'forward':>9} {'inverse':>9} {'tables':>8} {'build':>8}")
    sizes, seconds = [100, 1_000, 10_000, 100_000], []
    for n in sizes:
        start = time.perf_counter()
        system = cotree_tree(chain_parents(n)).compile()
        build = time.perf_counter() - start
        rng = np.random.default_rng(0)
        q, v, tau = 0.01 * rng.standard_normal((3, n))
        forward = best(lambda s=system, x=(q, v, tau): ct.forward_dynamics(s, *x))  # type: ignore[misc]
        inverse = best(lambda s=system, x=(q, v, tau): ct.inverse_dynamics(s, *x))  # type: ignore[misc]
        size = sum(
            t.nbytes for t in (system.links, system.dofs, system.bodies, system.workspace.links, system.workspace.dofs)
        )
        seconds.append(forward)
        print(f"{n:8d} {forward / n * 1e9:9.0f} {inverse / n * 1e9:9.0f} {size / n:8.0f} {build / n * 1e6:8.0f}")
    slope = np.polyfit(np.log(sizes[1:]), np.log(seconds[1:]), 1)[0]
    print(f"exponent of the forward dynamics' time over the last two decades: {slope:.2f}")


if __name__ == "__main__":
    main()
