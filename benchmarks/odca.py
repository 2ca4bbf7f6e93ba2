"""Divide and conquer: growth with the number of bodies, Pinocchio's `lcaba` and SciPy's sparse LU beside it, and p processors.

`python -m benchmarks odca` stops at 1000 loops and 30,000 bodies, `--full` goes on to 10,000 and 1,000,000. All times but
those of threads are processor time, so that they hold on a busy machine too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numba
import numpy as np

from benchmarks.beside_odca import beside_lcaba, beside_sparse
from benchmarks.divided import Divided, chain, ladder
from benchmarks.parallel_model import measured_costs, show_classes, show_speed_up
from benchmarks.timing import best, settled

LOOPS, CHAINS = (10, 30, 100, 160, 300, 1000), (10, 100, 300, 1000, 3000, 10_000, 30_000)
MORE_LOOPS, MORE_CHAINS = (3000, 10_000), (100_000, 300_000, 1_000_000)
PROCESSORS = (1, 2, 4, 8, 16, 64)
COLUMNS = ("compiled", "Python", "division", "all", "depth", "bound", "build", "plan")


def _row(case: Divided, n: int) -> float:
    """Seconds of an evaluation; prints what there is to know about it."""
    time, face = settled([case.evaluate, case.from_python], [case.count, 1])
    b, d = case.bodies, case.division
    print(
        f"{n:9d}{time / n * 1e6:10.3f}{face / n * 1e6:10.3f}{d.memory / b:10.0f}{case.memory / b:10.0f}"
        f"{d.plan.depth:10d}{2 * np.log2(b) + 4:10.1f}{case.built / b * 1e6:10.1f}{case.divided / b * 1e6:10.1f}",
        flush=True,
    )
    return time


def growth(what: str, units: str, make: Callable[[int], Divided], sizes: tuple[int, ...]) -> None:
    """Cost, memory and depth against size; the exponent of the time over the last two decades."""
    print(
        f"{what}: one evaluation, compiled and by the public function [us each], division's and all tables [bytes per body],"
    )
    print("depth of the plan and 2 log2(bodies) + 4, compile() and plan [us per body]")
    print(f"{units:>9}" + "".join(f"{name:>10}" for name in COLUMNS))
    seconds = [_row(make(n), n) for n in sizes]
    last = np.array(sizes) >= sizes[-1] / 100
    slope = np.polyfit(np.log(np.array(sizes)[last]), np.log(np.array(seconds)[last]), 1)[0]
    print(f"exponent of the time over the last two decades: {slope:.3f} (wanted: 0.95 to 1.1)")


def measured_on_threads(case: Divided) -> dict[int, float]:
    """Seconds on the clock of an evaluation, by number of threads; best of many, since other work on the machine adds."""
    found = {}
    for threads in [p for p in PROCESSORS if p <= numba.config.NUMBA_NUM_THREADS]:
        numba.set_num_threads(threads)
        team = case.on_threads(threads)
        found[threads] = best(team.evaluate, team.count, 50)
    numba.set_num_threads(1)
    return found


def parallel(name: str, case: Divided) -> None:
    """Costs of the plan's nodes, and the time on p processors that follows."""
    print(f"Time on p processors, {name}")
    costs = measured_costs(case)
    show_classes(costs)
    show_speed_up(case, costs, PROCESSORS, measured_on_threads(case))


def main() -> None:
    full = "--full" in sys.argv
    numba.set_num_threads(1)
    growth("Planar ladder", "loops", ladder, LOOPS + MORE_LOOPS if full else LOOPS)
    print()
    growth("Chain in space", "bodies", chain, CHAINS + MORE_CHAINS if full else CHAINS)
    print()
    beside_lcaba((10, 160, 1000))
    print()
    beside_sparse((10, 160, 1000))
    for name, make, n in (("ladder", ladder, 10_000 if full else 1000), ("chain", chain, 100_000 if full else 10_000)):
        print()
        parallel(f"{name} of {n}", make(n))


if __name__ == "__main__":
    main()
