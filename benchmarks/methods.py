"""Adaptive methods at equal accuracy on the mechanisms of the simulation benchmark: what `method="auto"` is chosen by.

`python -m benchmarks methods` prints, for each case and target, the processor time of the coarsest tolerance (in steps of half
a decade) by which each method keeps all watched points within the target; names of cases select some. `--default` counts
evaluations at the default tolerances instead, with the 201 outputs of a run as it comes and with one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

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


def stiff() -> ct.Mechanism:
    """A spring across the four-bar."""
    mech = ct.gallery.four_bar()
    mech.spring("s", "crank", (0.6, 0.8, 0), "rocker", (2.4, 1.4, 0), stiffness=1e5)
    return mech


def damped() -> ct.Mechanism:
    mech = ct.gallery.four_bar()
    mech.joint_damper("d", "A", 2.0)
    mech.motor("m", "A", 5.0)
    return mech


def pushed() -> ct.Mechanism:
    mech = ct.gallery.four_bar()
    mech.motor("m", "A", lambda t: 5.0 * np.sin(3.0 * t))
    return mech


OTHERS: dict[str, Callable[[], ct.Mechanism]] = {
    "stiff spring": stiff,
    "damper, motor": damped,
    "function of t": pushed,
    "slider-crank": ct.gallery.slider_crank,
    "Stewart": ct.gallery.stewart,
    "3-PRRR": ct.gallery.three_prrr,
    "heavy top": ct.gallery.heavy_top,
    "snakeboard": ct.gallery.snakeboard,
    "planar 3R": ct.gallery.planar_3r,
    "satellite": ct.gallery.satellite,
}
SPAN = 5.0  # seconds


def as_it_comes() -> None:
    """Evaluations and errors of the last poses at the default tolerances."""
    systems = {case.name: (case.system(), case) for case in CASES} | {
        n: (make().compile(), None) for n, make in OTHERS.items()
    }
    heads = [f"{m}, {n} outputs" for m in METHODS for n in (201, 1)]
    print(f"  {'':<14}" + "".join(f"{head:>22}" for head in heads))
    for name, (system, case) in systems.items():
        options = {} if case is None else {"v": case.velocities(system)}
        known = ct.simulate(system, SPAN, method="dop853", rtol=1e-11, atol=1e-11, output=[SPAN], **options).poses()[-1]
        cells = ""
        for method in METHODS:
            for output in (201, [SPAN]):
                run = ct.simulate(system, SPAN, method=method, output=output, **options)
                error = np.abs(run.poses()[-1] - known).max()
                cells += f"{run.statistics['evaluations']:13d}{error:9.1e}"
        print(f"  {name:<14}{cells}", flush=True)


def main() -> None:
    if "--default" in sys.argv:
        as_it_comes()
        return
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
