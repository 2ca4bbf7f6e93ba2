"""One comparison by one program, in this process: `python -m benchmarks.beside.measure TASK TOOL` prints what it found.

Times of single evaluations are processor times of this thread; of runs of ten seconds the lesser of clock and processor times.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Found = dict[str, Any]
SIZES = (7, 15, 30, 60, 120, 240)
BATCHES = (1, 8, 64, 512, 4096)
JOINTS = 30  # of the chain whose states come in batches
FINENESS = {  # tolerances to the power of -1, or steps in ten seconds
    "cotree": (1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9),
    "exudyn": (500, 1000, 2000, 4000, 8000, 16000, 40_000),
    "mujoco": (1000, 3000, 10_000, 50_000),
    "pinocchio": (200, 500, 1000, 2000, 4000, 16000),
}


def cpu_time(call: Callable[[], object], seconds: float = 0.3) -> float:
    """Best processor time of a call [µs], in bunches of about a hundredth of a second."""
    call()
    begin = time.thread_time()
    call()
    count = max(1, int(0.01 / max(1e-7, time.thread_time() - begin)))
    best, spent = float("inf"), 0.0
    while spent < seconds:
        begin = time.thread_time()
        for _ in range(count):
            call()
        took = time.thread_time() - begin
        best, spent = min(best, took / count), spent + took
    return 1e6 * best


def chain(tool: str, quantity: str) -> Found:
    """Cost of one evaluation for chains of n joints, called from Python."""
    return {str(n): cpu_time(_evaluation(tool, quantity, n)) for n in SIZES}


def batch(tool: str) -> Found:
    """Cost of a state of a chain in batches on one processor: one call of Cotree, a Python loop over states of the others."""
    if tool != "cotree":
        alone = cpu_time(_evaluation(tool, "forward", JOINTS))
        return {str(count): alone for count in BATCHES}
    import cotree as ct
    from benchmarks.trees import chain_parents, cotree_tree

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    system = cotree_tree(chain_parents(JOINTS)).compile()
    found = {}
    for count in BATCHES:
        q, v, tau = np.random.default_rng(1).standard_normal((3, count, JOINTS))
        found[str(count)] = cpu_time(lambda x=(q, v, tau): ct.forward_dynamics(system, *x).v_dot) / count  # type: ignore[misc]
    return found


def _evaluation(tool: str, quantity: str, n: int) -> Callable[[], object]:
    from benchmarks.trees import chain_parents, cotree_tree, pinocchio_tree

    q, v, tau = np.random.default_rng(1).standard_normal((3, n))
    if tool == "pinocchio":
        import pinocchio as pin

        model = pinocchio_tree(chain_parents(n))
        data = model.createData()
        peer = pin.aba if quantity == "forward" else pin.computeABADerivatives
        return lambda: peer(model, data, q, v, tau)
    import cotree as ct

    if tool == "cotree":
        system = cotree_tree(chain_parents(n)).compile()
        ours = ct.forward_dynamics if quantity == "forward" else ct.forward_dynamics_derivatives
        return lambda: ours(system, q, v, tau)
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.xml"
        ct.save(cotree_tree(chain_parents(n)), path)
        compiled = mujoco.MjModel.from_xml_path(str(path))
    state = mujoco.MjData(compiled)
    state.qpos[:], state.qvel[:], state.qfrc_applied[:] = q, v, tau
    return lambda: mujoco.mj_forward(compiled, state)


def precision(tool: str, name: str) -> Found:
    """Seconds and largest position error of ten seconds of motion, from coarse to fine."""
    from benchmarks.peers.cases import CASES
    from benchmarks.peers.contest import Judge
    from benchmarks.peers.contestants import ALL
    from benchmarks.simulation import reference

    case = next(c for c in CASES if c.name == name)
    system = case.system()
    known = reference(case, system)
    judge, one = Judge(case, system.mechanism, known), ALL[tool](case, system, known)
    rows = []
    for fineness in FINENESS[tool]:
        trials = [judge.measure(t) for t in one.at(fineness)]
        trials = [t for t in trials if np.isfinite(t.error)]
        for t in trials:
            for _ in range(2):
                t.seconds = min(t.seconds, *_timed(t.run))
        rows += [{"setting": t.setting, "error": t.error, "seconds": t.seconds} for t in trials]
    return {"rows": rows}


def _timed(run: Callable[[], tuple[float, Any]]) -> tuple[float, float]:
    """Seconds of a run by the clock, and of the processor with the conversion of its states: on a busy machine the first is
    too long, and the second never too short."""
    begin = time.process_time()
    clock = run()[0]
    return clock, time.process_time() - begin


SCRIPTS = {
    "cotree": "import cotree as ct; import numba; ct.simulate",
    "pinocchio": "import pinocchio",
    "mujoco": "import mujoco",
    "exudyn": "import exudyn",
}


def runs(tool: str, name: str) -> Found:
    """Many runs on all processors, see `benchmarks.beside.many`."""
    from benchmarks.beside.many import many

    return many(tool, name)


def start(tool: str) -> Found:
    """A new process that imports the program: processor seconds, and the most memory [MB]; of Cotree also with a first run."""
    found = {"import": _child(SCRIPTS[tool])}
    if tool == "cotree":
        found["first run"] = _child("import cotree as ct; ct.simulate(ct.gallery.four_bar(), 1.0)")
    return found


def compiling(tool: str) -> Found:
    """Nothing stored: import, compilation and a first run, in one process."""
    assert tool == "cotree"
    with tempfile.TemporaryDirectory() as folder:
        more = {"NUMBA_CACHE_DIR": folder, "COTREE_COMPILE_JOBS": "1"}
        return {"first run": _child("import cotree as ct; ct.simulate(ct.gallery.four_bar(), 1.0)", more)}


def _child(code: str, more: dict[str, str] | None = None) -> Found:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    tell = "; import resource as r; print(r.getrusage(r.RUSAGE_SELF).ru_maxrss)"
    done = subprocess.run(
        [sys.executable, "-c", code + tell],
        env={**os.environ, **(more or {})},
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "megabytes": int(done.stdout.split()[-1]) / 1024.0}


TASKS: dict[str, tuple[Callable[..., Found], tuple[str, ...], tuple[str, ...]]] = {  # function, its argument, programs
    "forward dynamics": (chain, ("forward",), ("cotree", "pinocchio", "mujoco")),
    "derivatives": (chain, ("derivatives",), ("cotree", "pinocchio")),
    "batches": (batch, (), ("cotree", "pinocchio", "mujoco")),
    "four-bar": (precision, ("four-bar",), ("cotree", "exudyn", "mujoco", "pinocchio")),
    "heavy top": (precision, ("heavy top",), ("cotree", "exudyn", "mujoco", "pinocchio")),
    **{
        f"many runs, {name}": (runs, (name,), ("cotree", "mujoco", "mjbatch"))
        for name in ("10 four-bars", "four-bar", "Bricard 6R", "heavy top")
    },
    "start": (start, (), ("cotree", "pinocchio", "mujoco", "exudyn")),
    "compiling": (compiling, (), ("cotree",)),
}

if __name__ == "__main__":
    function, arguments, _ = TASKS[sys.argv[1]]
    print("FOUND " + json.dumps(function(sys.argv[2], *arguments)))
