"""One test with one fault, each in a process of its own, forked from one that has loaded all but the package."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import hypothesis  # noqa: F401  loaded once, for all that are forked
import numba  # noqa: F401
import pytest
import scipy.linalg  # noqa: F401

from tools.mutants.loading import install
from tools.mutants.mutations import Mutation

PASSED, FAILED = 0, 1  # codes of pytest
WAIT = 10.0  # times the limit, after which a test that does not even compute is left


class Trial(NamedTuple):
    """A test, and the fault that it is to notice (none: it is to pass)."""

    test: str
    path: Path | None
    function: str
    mutation: Mutation | None


class Outcome(NamedTuple):
    trial: Trial
    words: str  # "failed", "passed", "late" or what went wrong
    seconds: float
    case: str = ""  # the case of the test that failed, where one did


class _First:
    """Tells through a pipe which case of a test failed."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self.pipe, f"{report.nodeid}\n".encode())


def run_all(trials: Iterable[Trial], jobs: int, limit: float, interpreted: bool) -> Iterator[Outcome]:
    """Outcomes as they come."""
    waiting, running = list(trials)[::-1], dict[int, tuple[Trial, float, int]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            trial = waiting.pop()
            pid, pipe = _started(trial, limit, interpreted)
            running[pid] = trial, time.perf_counter(), pipe
        pid, status = _ended(running)
        trial, start, pipe = running.pop(pid)
        with os.fdopen(pipe) as told:
            case = told.readline().strip()
        yield Outcome(trial, _words(status), time.perf_counter() - start, case)


def _ended(running: Iterable[int]) -> tuple[int, int]:
    """The first of some processes to end, and its status."""
    while True:
        for pid in running:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return pid, status
        time.sleep(0.02)


def _words(status: int) -> str:
    if os.WIFSIGNALED(status):
        return "late" if os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGPROF) else "failed"  # a crash is noticed too
    code = os.WEXITSTATUS(status)
    return {PASSED: "passed", FAILED: "failed"}.get(code, f"pytest ended with {code}")


def _started(trial: Trial, limit: float, interpreted: bool) -> tuple[int, int]:
    """Number of the process that runs a test, and the end of a pipe that tells which of its cases failed."""
    sys.stdout.flush()
    told, tell = os.pipe()
    pid = os.fork()
    if pid:
        os.close(tell)
        return pid, told
    code = 70
    try:
        signal.setitimer(signal.ITIMER_PROF, limit)  # of computing, however busy the machine is
        signal.alarm(int(WAIT * limit))
        os.environ["COTREE_INTERPRETED"] = "1" if interpreted else "0"
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        if trial.path is not None and trial.mutation is not None:
            install(trial.path, trial.function, trial.mutation)
        profile = "mutants-interpreted" if interpreted else "mutants"
        options = ["-x", "-q", "--no-header", "--tb=no", f"--hypothesis-profile={profile}"]
        code = int(pytest.main([trial.test, *options], plugins=[_First(tell)]))
    except BaseException:
        code = FAILED  # the package does not even load
    finally:
        os._exit(code)
