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


def run_all(trials: Iterable[Trial], jobs: int, limit: float, interpreted: bool) -> Iterator[Outcome]:
    """Outcomes as they come."""
    waiting, running = list(trials)[::-1], dict[int, tuple[Trial, float]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            trial = waiting.pop()
            running[_started(trial, limit, interpreted)] = trial, time.perf_counter()
        pid, status = os.wait()
        trial, start = running.pop(pid)
        yield Outcome(trial, _words(status), time.perf_counter() - start)


def _words(status: int) -> str:
    if os.WIFSIGNALED(status):
        return "late" if os.WTERMSIG(status) == signal.SIGALRM else "failed"  # a crash is noticed too
    code = os.WEXITSTATUS(status)
    return {PASSED: "passed", FAILED: "failed"}.get(code, f"pytest ended with {code}")


def _started(trial: Trial, limit: float, interpreted: bool) -> int:
    """Number of the process that runs a test."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        signal.alarm(int(limit))
        os.environ["COTREE_INTERPRETED"] = "1" if interpreted else "0"
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        if trial.path is not None and trial.mutation is not None:
            install(trial.path, trial.function, trial.mutation)
        profile = "mutants-interpreted" if interpreted else "mutants"
        code = int(pytest.main([trial.test, "-x", "-q", "--no-header", "--tb=no", f"--hypothesis-profile={profile}"]))
    except BaseException:
        code = FAILED  # the package does not even load
    finally:
        os._exit(code)
