"""Adaptive methods at equal accuracy on the mechanisms of the simulation benchmark: what `method="auto"` is chosen by.

`python -m benchmarks methods` prints, for each case and target, the processor time of the coarsest tolerance (in steps of half
a decade) by which each method keeps all watched points within the target; names of cases select some.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import cotree as ct
from benchmarks.peers.cases import CASES, T_END, TIMES, Case, cotree_states
from benchmarks.simulation import reference

METHODS = ("dopri5", "dop853")
TARGETS = (1e-2, 1e-4, 1e-6)
TOLERANCES = 10.0 ** np.arange(-4.0, -11.1, -0.5)
REPEAT = 3


def trial(case: Case, system: ct.System, points: np.ndarray, method: str, tolerance: float) -> tuple[float, float]:
    """(largest distance from the reference, seconds) of a run; infinite where it fails."""
    options = {"method": method, "rtol": tolerance, "atol": tolerance, "v": case.velocities(system), "output": TIMES}
    begin = time.thread_time()
    run = ct.simulate(system, T_END, **options)
    seconds = time.thread_time() - begin
    if run.status != "done":
        return np.inf, seconds
    there = cotree_states(system, run).watched(system.mechanism, case.marks)
    return float(np.linalg.norm(there - points, axis=2).max()), seconds


def measured(case: Case, system: ct.System, points: np.ndarray, method: str) -> dict[float, tuple[float, float]]:
    """Target: (tolerance, seconds) of the first tolerance that meets it."""
    found: dict[float, tuple[float, float]] = {}
    trial(case, system, points, method, 1e-4)
    for tolerance in TOLERANCES:
        error, seconds = trial(case, system, points, method, tolerance)
        met = [x for x in TARGETS if x not in found and error <= x]
        if met:
            seconds = min(seconds, *(trial(case, system, points, method, tolerance)[1] for _ in range(REPEAT - 1)))
            found.update(dict.fromkeys(met, (tolerance, seconds)))
        if len(found) == len(TARGETS):
            break
    return found


def main() -> None:
    names = [word for word in sys.argv[1:] if not word.startswith("-") and word != "methods"]
    print(f"  {'':<14}{'target m':>10}" + "".join(f"{m:>12} s{'tolerance':>11}" for m in METHODS) + f"{'ratio':>8}")
    for case in CASES:
        if names and not any(name in case.name for name in names):
            continue
        system = case.system()
        points = reference(case, system).watched(system.mechanism, case.marks)
        found = [measured(case, system, points, method) for method in METHODS]
        for target in TARGETS:
            if all(target in x for x in found):
                cells = "".join(f"{x[target][1]:14.4f}{x[target][0]:11.0e}" for x in found)
                ratio = found[0][target][1] / found[1][target][1]
                print(f"  {case.name:<14}{target:10.0e}{cells}{ratio:8.2f}", flush=True)


if __name__ == "__main__":
    main()
