"""Ten seconds of loops and of the heavy top beside Exudyn, MuJoCo and Pinocchio, at equal accuracy.

`python -m benchmarks simulation` prints all; `--warm` leaves the first run without a cache out (about a minute), names of cases
(or parts of them) select some.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import cotree as ct
from benchmarks.peers.cases import CASES, T_END, TIMES, Case, States, cotree_states
from benchmarks.peers.contest import TARGET, Judge, Trial
from benchmarks.peers.contestants import ALL, installed, start_differences

FIRST = """
import time
start = time.perf_counter()
import cotree as ct
run = ct.simulate(ct.gallery.four_bar(), 10.0)
print(time.perf_counter() - start)
"""


def reference(case: Case, system: ct.System) -> States:
    """Exact where an equation is known, else Cotree with tolerances of 1e-11."""
    if case.exact is not None:
        return case.exact()
    run = ct.simulate(system, T_END, v=case.velocities(system), rtol=1e-11, atol=1e-11, output=TIMES)
    if run.status != "done":
        raise RuntimeError(f"{case.name}: no reference, {run.message}")
    return cotree_states(system, run)


def compare(case: Case) -> list[Trial]:
    """Default and equal-accuracy trials of every program, Cotree's first."""
    system = case.system()
    known = reference(case, system)
    for name, (energy, acceleration) in start_differences(case, system, known).items():
        soft = 1e-2 if name == "mujoco" and system.n_loops else 1e-8  # MuJoCo's loops give by design
        if energy > 1e-12 or acceleration > soft:
            raise RuntimeError(
                f"{case.name}: {name} starts with energy off by {energy:.1e}, acceleration {acceleration:.1e}"
            )
    judge, found = Judge(case, system.mechanism, known), list[Trial]()
    for name in installed():
        contestant = ALL[name](case, system, known)
        if contestant.default is not None:
            found.append(judge.measure(contestant.default))
        found.append(judge.search(contestant))
    judge.retime(found)
    return found


def show(case: Case, trials: list[Trial]) -> None:
    ours = next(t.seconds for t in trials if t.tool == "Cotree" and "comes" not in t.setting)
    print(f"{case.name}")
    for t in trials:
        verdict = "" if t.error <= TARGET or "comes" in t.setting else "  not reached"
        verdict = verdict if np.isfinite(t.error) else "  gave up"
        print(
            f"  {t.tool:>9}  {t.setting:<32} {t.error:9.1e} {t.gap:9.1e} {t.energy:9.1e} {t.seconds:10.4f} "
            f"{t.seconds / ours:8.1f}{verdict}",
            flush=True,
        )


def first_run() -> None:
    """Import, compilation of everything and ten seconds of the four-bar, in fresh processes."""
    print("First run of the four-bar [s], import and machine code included")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("nothing cached", "cached"):
            result = subprocess.run(
                [sys.executable, "-c", FIRST],
                env={**os.environ, "NUMBA_CACHE_DIR": folder}, capture_output=True, text=True, check=True,
            )  # fmt: skip
            files = sum(1 for _ in Path(folder).rglob("*.nbi"))
            print(f"  {name:>15} {float(result.stdout):8.2f}   ({files} functions in the cache afterwards)", flush=True)


def main() -> None:
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    names = [word for word in sys.argv[1:] if not word.startswith("-") and word != "simulation"]
    begin = time.perf_counter()
    print(f"Ten seconds of motion, every joint and mass centre within {TARGET:g} m of the reference, one core")
    print(f"  {'':>9}  {'setting':<32} {'error m':>9} {'gap m':>9} {'energy J':>9} {'seconds':>10} {'/ Cotree':>8}")
    for case in CASES:
        if not names or any(name in case.name for name in names):
            show(case, compare(case))
    if "--warm" not in options:
        first_run()
    print(f"all of this took {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
