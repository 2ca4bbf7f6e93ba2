"""All comparisons in turns, each in a process of its own, some rounds; best and worst of each figure, machine and versions.

`python -m benchmarks.beside.rounds [--rounds 3] [TASK ...]` writes benchmarks/results/beside.json; tasks that are named
replace those that are stored, the others stay.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.beside.measure import TASKS

FILE = Path(__file__).parent.parent / "results" / "beside.json"
ONCE = ("compiling",)  # what takes minutes
PACKAGES = {"cotree": "cotree", "pinocchio": "pin", "mujoco": "mujoco", "exudyn": "exudyn"}
Record = dict[str, Any]


def measured(task: str, tool: str) -> Any:
    """What one process found; None where it failed."""
    command = [sys.executable, "-m", "benchmarks.beside.measure", task, tool]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    if done.returncode or not lines:
        print(f"{task}, {tool}: failed\n{done.stderr[-2000:]}", file=sys.stderr)
        return None
    return json.loads(lines[-1].removeprefix("FOUND "))


def merged(rounds: list[Any]) -> Any:
    """The same structure with [best, worst] for each time; errors and memory are those of the round with the best time."""
    if isinstance(rounds[0], dict):
        if "error" in rounds[0]:
            times = [r["seconds"] for r in rounds]
            return {**rounds[int(np.argmin(times))], "seconds": [min(times), max(times)]}
        return {key: merged([r[key] for r in rounds]) for key in rounds[0]}
    if isinstance(rounds[0], list):
        return [merged(list(rows)) for rows in zip(*rounds, strict=True)]
    return [min(rounds), max(rounds)]


def machine() -> Record:
    """Processor, cores, how busy it is, versions."""
    names = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in names if line.startswith("model name")), platform.processor()
    )
    versions = {"python": platform.python_version()}
    for name in ("cotree", "numpy", "numba", "pin", "mujoco", "exudyn"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "date": datetime.now(UTC).date().isoformat(), "processor": model, "cores": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1), "versions": versions,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", help=f"default: all of {', '.join(TASKS)}")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    tasks = given.tasks or list(TASKS)
    found: dict[str, dict[str, list[Any]]] = {task: {tool: [] for tool in TASKS[task][2]} for task in tasks}
    for k in range(given.rounds):
        for task in tasks:
            for tool in TASKS[task][2]:
                if k and task in ONCE:
                    continue
                print(f"round {k + 1}: {task}, {tool}", flush=True)
                one = measured(task, tool)
                if one is not None:
                    found[task][tool].append(one)
        _store(found, k + 1)


def _store(found: dict[str, dict[str, list[Any]]], rounds: int) -> None:
    """After each round, so that an interruption leaves those that are done."""
    stored = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"tasks": {}}
    about = {**machine(), "rounds": rounds}
    for task in found:
        stored["tasks"][task] = {tool: merged(rounds) for tool, rounds in found[task].items() if rounds}
        stored["tasks"][task]["about"] = about
    FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
