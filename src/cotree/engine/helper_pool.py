"""Helper processes that compile for this one: kept for a while, since they know the kernels that they have compiled.

A helper ends by itself when it has had no order for a minute (`helper`), and with this process.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from pathlib import Path

SWITCH = "COTREE_COMPILE_JOBS"  # processes that compile at a time; 1: only this one


class Pool:
    """Helpers that wait for orders, each with the environment that it was started in."""

    def __init__(self) -> None:
        self.idle: list[tuple[subprocess.Popen[str], dict[str, str]]] = []
        self.started: dict[int, dict[str, str]] = {}  # environments, by process

    def helper(self) -> subprocess.Popen[str]:
        """One that waits, or a new one."""
        environment = _environment()
        while True:
            try:
                helper, its = self.idle.pop()
            except IndexError:  # none waits
                break
            if helper.poll() is None and its == environment:
                return helper
            self.end(helper)
        made = subprocess.Popen(
            [sys.executable, "-m", "cotree.engine.helper"], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.started[made.pid] = environment
        return made

    def keep(self, helper: subprocess.Popen[str]) -> None:
        """Let it wait for further orders."""
        self.idle.append((helper, self.started.get(helper.pid, {})))

    def end(self, helper: subprocess.Popen[str]) -> None:
        self.started.pop(helper.pid, None)
        helper.kill()
        helper.communicate()

    def close(self) -> None:
        """End all that wait."""
        while self.idle:
            self.end(self.idle.pop()[0])

    def forget(self) -> None:
        """They belong to the process that this one was forked from."""
        self.idle = []


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return os.environ | {SWITCH: "1", "PYTHONPATH": os.pathsep.join(p for p in paths if p)}


pool = Pool()
atexit.register(pool.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.forget)
