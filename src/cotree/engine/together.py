"""Several functions compiled at the same time, each in a process of its own.

This process compiles as well. Helpers store what they make, so that it is
found on disk when it is asked for. A helper that fails costs nothing but time: what it leaves undone is compiled here.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Thread
from typing import Any, NamedTuple

from cotree.engine import claims
from cotree.engine.bar import bar
from cotree.engine.claims import PAUSE
from cotree.engine.helper import order_for
from cotree.engine.helper_pool import SWITCH, pool
from cotree.engine.plain_numba import PLAIN
from cotree.engine.signals import deliver

MOST = 4  # processes unless the switch says otherwise; more have little left to do and much to do again
PACKAGE = __name__.split(".", 1)[0]


_there: set[Any] = set()  # what was found stored or compiled, so that no file is looked at for it again


class Job(NamedTuple):
    """A function to be compiled, None for all that a call reaches: the order for a helper, how to do it here, and whether
    another process is at it."""

    function: Any
    order: str
    here: Callable[[], Any]
    awaited: Callable[[], bool] = bool


def job_for(wanted: Any, types: tuple[Any, ...] | None = None) -> Job | None:
    """The job of compiling an entry, or a kernel for these types; none where that has been done, or cannot be stored."""
    if PLAIN or (wanted, types) in _there:  # ordinary functions of Numba are compiled where they are called
        return None
    function = getattr(wanted, "py_func", None) or wanted.function
    if not function.__module__.startswith(PACKAGE + "."):
        return None
    if not wanted.is_missing(types):
        _there.add((wanted, types))
        return None
    order = order_for(function.__module__, function.__qualname__, types)
    here = (lambda: wanted.compile(types)) if types is not None else (lambda: wanted.address)
    return Job(function, order, here, lambda: wanted.is_awaited(types))


def job_of_call(function: Callable[[], Any]) -> Job:
    """The job of calling a function of the package, for all that it lets be compiled."""
    return Job(None, order_for(function.__module__, function.__qualname__, None), function)


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
    """Compile all of these, the longest first; nothing is done where there is no more than one to be compiled. What another
    process is at work on is left to it, and comes last here."""
    waiting = deque(job for job in jobs if job is not None)
    if len(waiting) < 2:
        return
    with bar.over(*(job.function for job in waiting if job.function is not None)):
        run_all(waiting, min(processes(), len(waiting)) - 1, here=True)


def run_all(waiting: deque[Job], helpers: int, here: bool) -> list[Job]:
    """Have jobs done by helpers, and in this process too if it is to help; returns those that failed."""
    failed: list[Job] = []
    threads, running = [], [pool.helper() for _ in range(helpers)]
    try:
        for helper in running:
            threads.append(Thread(target=_feed, args=(helper, waiting, failed), daemon=True))
            threads[-1].start()
        while here and (job := _next(waiting)) is not None:
            job.here()
            deliver()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                deliver()  # Ctrl-C that a run keeps for later is heard now
    finally:
        working = [thread.is_alive() for thread in threads] + [True] * (len(running) - len(threads))
        for helper, busy in zip(running, working, strict=True):
            if busy or failed:
                pool.end(helper)
            else:
                pool.keep(helper)
    return failed


def _next(waiting: deque[Job]) -> Job | None:
    """The next job that no other process is at, or has been at for too long; None when there are no more."""
    end = time.monotonic() + claims.PATIENCE
    while True:
        for _ in range(len(waiting)):
            try:
                job = waiting.popleft()
            except IndexError:  # somebody was faster
                return None
            if not job.awaited() or time.monotonic() > end:
                return job
            waiting.append(job)
        if not waiting:
            return None
        time.sleep(PAUSE)
        deliver()


def _feed(helper: subprocess.Popen[str], waiting: deque[Job], failed: list[Job]) -> None:
    """Hand jobs to a helper, one after another, until there are none or it fails."""
    while (job := _next(waiting)) is not None:
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
