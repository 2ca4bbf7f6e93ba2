"""Run the benchmarks whose figures README and docs show, and store what they found in benchmarks/results/*.json.

`python -m benchmarks.store [tree_dynamics | derivatives | simulation [CASE ...]]`; then `python tools/figures.py` puts the
figures into the pages.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cotree
from benchmarks import derivatives, simulation, tree_dynamics
from benchmarks.peers.cases import CASES
from benchmarks.peers.contest import TARGET
from benchmarks.timing import settled
from benchmarks.trees import branched_parents, chain_parents

FOLDER = Path(__file__).parent / "results"
TREES = {
    "chain 7": chain_parents(7),
    "chain 30": chain_parents(30),
    "chain 300": chain_parents(300),
    "branched 100": branched_parents(100),
}
PEERS = ("pin", "mujoco", "exudyn")


def trees() -> list[dict[str, Any]]:
    """Microseconds of processor time of an evaluation, beside Pinocchio."""
    names = ("case", "quantity", "loop", "python", "pinocchio", "difference")
    return [
        dict(zip(names, row, strict=True))
        for case, parents in TREES.items()
        for row in tree_dynamics.rows(case, parents, settled)
    ]


def slopes() -> list[dict[str, Any]]:
    """Microseconds of derivatives of the dynamics, beside Pinocchio, and of one evaluation."""
    names = ("case", "quantity", "python", "pinocchio", "evaluation", "difference")
    return [dict(zip(names, row, strict=True)) for row in derivatives.all_rows()]


def runs(wanted: list[str]) -> list[dict[str, Any]]:
    """Ten seconds of motion at equal accuracy: seconds, and errors at the defaults."""
    found = []
    for case in CASES:
        if wanted and case.name not in wanted:
            continue
        for t in simulation.compare(case):
            numbers = {"error": t.error, "gap": t.gap, "energy": t.energy, "seconds": t.seconds}
            numbers = {k: float(x) if math.isfinite(x) else None for k, x in numbers.items()}
            found.append({"case": case.name, "tool": t.tool, "setting": t.setting, **numbers})
        print(case.name, flush=True)
    return found


def stored(name: str, rows: list[dict[str, Any]], **more: Any) -> None:
    FOLDER.mkdir(exist_ok=True)
    versions = {p: version(p) for p in ("numpy", "numba", *PEERS)}
    about = {
        "cotree": cotree.__version__,
        **versions,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    busy = {"cores": os.cpu_count(), "load": round(os.getloadavg()[2], 1)}  # of the last fifteen minutes
    document = {"date": datetime.now(UTC).date().isoformat(), "versions": about, **busy, **more, "rows": rows}
    (FOLDER / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    which = sys.argv[1:2] or ["tree_dynamics", "simulation"]
    if "tree_dynamics" in which:
        stored("tree_dynamics", trees(), unit="microseconds")
    if "derivatives" in which:
        stored("derivatives", slopes(), unit="microseconds")
    if "simulation" in which:
        stored("simulation", runs(sys.argv[2:]), unit="seconds", target=TARGET)
