"""Many runs of one mechanism from different velocities at equal accuracy: `simulate_many` beside MuJoCo's threaded `rollout`
and mjbatch, each on all processors.

A program takes the quickest of its settings that keeps the first and the last run within `TARGET` of their references. Times
are processor time of the whole process divided by the number of runs: that of one core for one run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import cotree as ct
from benchmarks.peers.cases import CASES, T_END, TIMES, Array, Case, States, cotree_states
from benchmarks.peers.contest import TARGET
from cotree.engine.together import cores

RUNS = 16
SPREAD = 0.05  # of velocities that are added, rad/s and m/s
ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = "COTREE_MJBATCH_PYTHON"  # an interpreter with mjbatch, which wants a MuJoCo of its own
Trial = tuple[str, float, list[States]]  # setting, processor seconds of a run, states of the first and the last run


class Starts:
    """The case, its starting velocities (runs, nv), and references of the first and the last."""

    def __init__(self, name: str) -> None:
        self.case: Case = next(c for c in CASES if c.name == name)
        self.system = self.case.system()
        nominal = self.case.velocities(self.system)
        nominal = np.zeros(self.system.nv) if nominal is None else nominal
        way = ct.consistent_velocity(self.system, self.system.q0, np.ones(self.system.nv))
        way = way / np.abs(way).max()
        self.v = nominal + SPREAD * np.linspace(0.0, 1.0, RUNS)[:, None] * way
        self.known = [self._watched(self._reference(v)) for v in (self.v[0], self.v[-1])]

    def _reference(self, v: Array) -> States:
        run = ct.simulate(self.system, T_END, v=v, rtol=1e-11, atol=1e-11, output=TIMES)
        assert run.status == "done", run.message
        return cotree_states(self.system, run)

    def _watched(self, states: States) -> Array:
        return states.watched(self.system.mechanism, self.case.marks)

    def error(self, found: list[States]) -> float:
        """Largest distance of a point from its reference [m]."""
        off = [
            np.linalg.norm(self._watched(x) - known, axis=2).max() for x, known in zip(found, self.known, strict=True)
        ]
        return float(max(off)) if np.isfinite(off).all() else float("inf")

    def rates(self) -> Array:
        """(runs, n, 3): angular velocities of the bodies at the start."""
        order = [self.system.body_names.index(name) + 1 for name in self.system.mechanism.bodies]
        return np.array([ct.twists(self.system, self.system.q0, v, "spatial")[order, :3] for v in self.v])


def ours(starts: Starts) -> Iterator[Trial]:
    """Adaptive steps of order 5 and 8, coarse first; of trees fixed steps of order 8 too."""
    system, v = starts.system, starts.v
    options: list[tuple[str, dict[str, Any]]] = [
        (f"{method}, tolerance {x:.0e}", {"method": method, "rtol": x, "atol": x})
        for x in (1e-5, 1e-6, 3e-7, 1e-7, 1e-8)
        for method in ("dopri5", "dop853")
    ]
    if not system.n_loops:
        steps = [100 * k for k in (4, 6, 8, 10, 12)]
        options += [(f"dop853, step {T_END / n:.1e}", {"method": "dop853", "step": T_END / n}) for n in steps]
    ct.simulate_many(system, 0.1, v=v, lanes=True)  # compiled
    for setting, choice in options:
        spent, runs = _spent(lambda c=choice: ct.simulate_many(system, T_END, v=v, lanes=True, output=TIMES, **c))  # type: ignore[misc]
        if set(runs.status) == {"done"}:
            yield setting, spent, [cotree_states(system, runs[k]) for k in (0, -1)]


def rollout(starts: Starts) -> Iterator[Trial]:
    """MuJoCo's threaded rollout, from long steps to short ones."""
    import mujoco
    from mujoco import rollout as module

    from benchmarks.peers.mujoco_models import MujocoModel

    model = MujocoModel(starts.system.mechanism)
    v = np.array([model.velocities(w) for w in starts.rates()])
    zero, q = np.zeros((RUNS, 1)), np.tile(model.model.qpos0, (RUNS, 1))
    first = np.concatenate([zero, q, v], axis=1)
    data = [mujoco.MjData(model.model) for _ in range(cores())]
    for per_row, constant in _steps(bool(model.tree.cuts)):
        model.set_stiff(TIMES[1] / per_row, constant)
        spent, (kept, _) = _spent(
            lambda n=per_row: module.rollout(model.model, data, first, nstep=n * (len(TIMES) - 1))  # type: ignore[misc]
        )
        rows = [np.concatenate([first[k, None, 1:], kept[k, per_row - 1 :: per_row, 1:]]) for k in (0, -1)]
        yield _named(per_row, constant, bool(model.tree.cuts)), spent, [model.states(x) for x in rows]


def mjbatch(starts: Starts) -> Iterator[Trial]:
    """The same steps by mjbatch."""
    from benchmarks.peers.mujoco_models import MujocoModel

    model = MujocoModel(starts.system.mechanism)
    v = np.array([model.velocities(w) for w in starts.rates()])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.xml").write_text(model.spec.to_xml(), encoding="utf-8")
        for per_row, constant in _steps(bool(model.tree.cuts)):
            np.savez(
                folder / "given.npz", v=v, h=TIMES[1] / per_row, constant=constant, rows=len(TIMES), per_row=per_row,
                threads=cores(),
            )  # fmt: skip
            command = [os.environ.get(ENVIRONMENT, sys.executable), "-m", "benchmarks.beside.mjbatch_runs", name]
            subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
            spent, *versions = (folder / "spent.txt").read_text().split()
            kept = np.load(folder / "kept.npy")
            setting = f"{_named(per_row, constant, bool(model.tree.cuts))} ({versions[0]}, MuJoCo {versions[1]})"
            yield setting, float(spent) / RUNS, [model.states(kept[:, k]) for k in (0, -1)]


def _steps(loops: bool) -> Iterator[tuple[int, float]]:
    """Steps between two rows, and time constants of the loops in steps."""
    for per_row in (20, 30, 40, 56, 80, 112, 160, 224, 320, 450, 640, 900, 1280):
        for constant in (2.0, 0.5) if loops else (2.0,):
            yield per_row, constant


def _named(per_row: int, constant: float, loops: bool) -> str:
    return f"RK4, step {TIMES[1] / per_row:.1e}" + (f", solref {constant:g} h" if loops else "")


def _spent(call: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of a run, and what the call gave."""
    begin = time.process_time()
    found = call()
    return (time.process_time() - begin) / RUNS, found


PROGRAMS: dict[str, Callable[[Starts], Iterator[Trial]]] = {"cotree": ours, "mujoco": rollout, "mjbatch": mjbatch}


def many(tool: str, name: str) -> dict[str, Any]:
    """The quickest setting within the target, or the most accurate one. Settings go from coarse to fine: those after the first
    that is within it take longer, but for other methods of the same fineness."""
    starts, best, good = Starts(name), None, list[tuple[float, float, str]]()
    for setting, spent, states in PROGRAMS[tool](starts):
        with np.errstate(all="ignore"):
            error = starts.error(states)
        if error <= TARGET:
            good.append((spent, error, setting))
        if best is None or error < best[1]:
            best = (spent, error, setting)
        if good and spent > 2.0 * min(good)[0]:
            break
    assert best is not None
    seconds, error, setting = min(good, default=best)
    return {"setting": setting, "error": error, "seconds": seconds, "runs": RUNS}


if __name__ == "__main__":
    for tool in sys.argv[2:] or PROGRAMS:
        print(sys.argv[1], tool, many(tool, sys.argv[1]), flush=True)
