"""Several functions compiled at the same time, each in a process of its own.

This process compiles as well. Helpers store what they make, so that it is
found on disk when it is asked for. A helper that fails costs nothing but time: what it leaves undone is compiled here.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from cotree.engine.bar import bar
from cotree.engine.helper import order_for
from cotree.engine.signals import deliver

SWITCH = "COTREE_COMPILE_JOBS"  # processes that compile at a time; 1: only this one
MOST = 4  # processes unless the switch says otherwise; more have little left to do and much to do again
PACKAGE = __name__.split(".", 1)[0]


class Job(NamedTuple):
    """A function to be compiled: the order for a helper, and how to do it here."""

    function: Any
    order: str
    here: Callable[[], Any]


def job_for(wanted: Any, types: tuple[Any, ...] | None = None) -> Job | None:
    """The job of compiling an entry, or a kernel for these types; none where that has been done, or cannot be stored."""
    function = getattr(wanted, "py_func", None) or wanted.function
    if not wanted.is_missing(types) or not function.__module__.startswith(PACKAGE + "."):
        return None
    order = order_for(function.__module__, function.__qualname__, types)
    return Job(function, order, (lambda: wanted.compile(types)) if types is not None else (lambda: wanted.address))


def processes() -> int:
    """How many processes may compile at a time, this one among them."""
    asked = os.environ.get(SWITCH, "")
    if asked.isdecimal():
        return max(1, int(asked))
    alone = multiprocessing.parent_process() is not None or not sys.executable or getattr(sys, "frozen", False)
    return 1 if alone else min(MOST, cores())


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_together(jobs: Sequence[Job | None]) -> None:
    """Compile all of these, the longest first; nothing is done where there is no more than one to be compiled."""
    waiting = deque(job for job in jobs if job is not None)
    helpers = min(processes(), len(waiting)) - 1
    if helpers < 1:
        return
    with bar.over(*(job.function for job in waiting)):
        run_all(waiting, helpers, here=True)


def run_all(waiting: deque[Job], helpers: int, here: bool) -> list[Job]:
    """Have jobs done by helpers, and in this process too if it is to help; returns those that failed."""
    failed: list[Job] = []
    threads, running = [], [_started() for _ in range(helpers)]
    try:
        for helper in running:
            threads.append(Thread(target=_feed, args=(helper, waiting, failed), daemon=True))
            threads[-1].start()
        while here and waiting:
            with suppress(IndexError):  # a helper was faster
                waiting.popleft().here()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                deliver()  # Ctrl-C that a run keeps for later is heard now
    finally:
        for helper in running:
            helper.kill()
            helper.communicate()
    return failed


def _started() -> subprocess.Popen[str]:
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = os.environ | {SWITCH: "1", "PYTHONPATH": os.pathsep.join(p for p in paths if p)}
    return subprocess.Popen(
        [sys.executable, "-m", "cotree.engine.helper"], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _feed(helper: subprocess.Popen[str], waiting: deque[Job], failed: list[Job]) -> None:
    """Hand jobs to a helper, one after another, until there are none or it fails."""
    while True:
        try:
            job = waiting.popleft()
        except IndexError:
            return
        if not _done(helper, job):
            failed.append(job)
            if helper.poll() is not None:
                return


def _done(helper: subprocess.Popen[str], job: Job) -> bool:
    assert helper.stdin is not None
    assert helper.stdout is not None
    try:
        print(job.order, file=helper.stdin, flush=True)
        for line in helper.stdout:
            kind, _, rest = line.strip().partition(" ")
            if kind == "+":
                bar.finished(rest)
            else:
                return kind == "done"
    except (OSError, ValueError):  # it has ended, or was ended
        pass
    return False
