"""Several functions compiled at the same time: by helpers where there are several, here where a helper fails."""

import io
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import deque

import pytest
from numba import types
from numba.core.caching import NullCache

from cotree.engine import helper, helper_pool, together
from cotree.engine.bar import bar
from cotree.engine.helper import order_for, serve
from cotree.engine.kernel import kernel
from cotree.engine.signals import Hold
from cotree.engine.together import Job, compile_together, job_for, processes, run_all
from cotree.engine.vectors import copy

SCRIPT = """
import os, sys
from numba import types
from cotree.engine.together import compile_together, job_for
from cotree.engine.vectors import copy, fill
x = types.float64[::1]
jobs = [job_for(copy, (x, x)), job_for(fill, (x, types.float64))]
print(sum(job is not None for job in jobs))
compile_together(jobs)
jobs = [job_for(copy, (x, x)), job_for(fill, (x, types.float64))]
print(sum(job is not None for job in jobs), len(copy.overloads) + len(fill.overloads))
"""


def script(tmp_path, **environment):
    """Run from a file without a guard for its main part, as users do."""
    (tmp_path / "users.py").write_text(SCRIPT)
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }
    run = subprocess.run(
        [sys.executable, str(tmp_path / "users.py")], env=env | environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return [list(map(int, line.split())) for line in run.stdout.splitlines()]


def test_a_helper_takes_its_part(tmp_path):
    """Two are missing; this process compiles one or both, both are stored, and none is missing afterwards."""
    first, second = script(tmp_path, COTREE_COMPILE_JOBS="2")
    assert first == [2]
    assert second[0] == 0
    assert len(list(tmp_path.glob("cache/*/*.nbc"))) == 2


def test_the_switch_turns_it_off(tmp_path):
    """Both are compiled here."""
    first, second = script(tmp_path, COTREE_COMPILE_JOBS="1")
    assert first == [2]
    assert second == [0, 2]


def test_helpers_wait_for_further_orders(monkeypatch):
    """The same process serves twice, unless its environment has changed; none is left in the end."""
    started, running = subprocess.Popen, []

    def willing(_arguments, **options):
        text = "import sys\nfor line in sys.stdin: print('done', flush=True)"
        running.append(started([sys.executable, "-c", text], **options))
        return running[-1]

    monkeypatch.setattr(helper_pool.subprocess, "Popen", willing)
    for _ in range(2):
        assert run_all(jobs(3, []), 1, here=False) == []
    assert len(running) == 1
    assert running[0].poll() is None
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")
    assert run_all(jobs(3, []), 1, here=False) == []
    assert len(running) == 2
    helper_pool.pool.close()
    assert [helper.returncode for helper in running] == [-signal.SIGKILL] * 2


def test_helpers_without_orders_end(monkeypatch):
    monkeypatch.setattr(helper, "IDLE", 0.05)
    read, write = os.pipe()
    os.write(write, b"one\n")
    with os.fdopen(read) as stream:
        assert list(helper.orders_in_time(stream)) == ["one\n"]
    os.close(write)


def called():
    pass


def test_calls_are_jobs_too(monkeypatch):
    """The bar counts what kernels reach, and takes no notice of what a call does."""
    done, began = [], []
    monkeypatch.setattr("cotree.engine.bar._listeners", [])
    monkeypatch.setattr(together, "run_all", lambda waiting, *_, **__: [job.here() for job in waiting])
    monkeypatch.setattr(bar, "_begin", began.append)
    monkeypatch.setattr(bar, "_end", began.append)
    job = together.job_of_call(called)
    compile_together([job, job._replace(here=lambda: done.append(1)), Job(copy.py_func, "", list)])
    assert done == [1]
    assert began == [(copy.py_func,)] * 2
    answers = io.StringIO()
    serve(iter([job.order]), answers)
    assert answers.getvalue() == "done\n"


def test_what_others_are_at_comes_last():
    """A job that another process has begun is left to it; when that has ended, it is done here from what was stored."""
    done, looks = [], iter([True, True, False])
    waiting = deque(
        [
            Job(kernel, "", lambda: done.append("theirs"), lambda: next(looks)),
            Job(kernel, "", lambda: done.append("own")),
        ]
    )
    run_all(waiting, 0, here=True)
    assert done == ["own", "theirs"]


def test_kernels_of_others_are_no_jobs():
    @kernel
    def alone(x):
        return x

    assert job_for(alone, (types.float64,)) is None  # not of the package: a helper could not import it


def jobs(n, done):
    return deque(Job(kernel, f"not an order {i}", lambda i=i: done.append(i)) for i in range(n))


@pytest.mark.parametrize("command", ["import sys; sys.exit(3)", "print('nonsense')", "print('failed'); input()"])
def test_helpers_that_fail_are_done_without(monkeypatch, command):
    """What they leave undone is left to this process, which neither waits nor fails."""
    started = subprocess.Popen

    def broken(_arguments, **options):
        return started([sys.executable, "-c", command], **options)

    monkeypatch.setattr(together.subprocess, "Popen", broken)
    done = []
    failed = run_all(jobs(4, done), 2, here=True)
    assert len(done) + len(failed) == 4


def test_helpers_end_with_an_interrupt(monkeypatch):
    """Ctrl-C while they work: heard at once, and no process is left."""
    running = []
    started = subprocess.Popen

    def slow(_arguments, **options):
        running.append(started([sys.executable, "-c", "import time; time.sleep(60)"], **options))
        return running[-1]

    monkeypatch.setattr(together.subprocess, "Popen", slow)

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(deque([Job(kernel, "", interrupted)] * 4), 1, here=True)
    assert [helper.returncode for helper in running] == [-signal.SIGKILL]  # not 0, with which it ends by itself


def test_an_interrupt_that_a_run_keeps_is_heard(monkeypatch):
    """While this process only waits for helpers."""
    running = []
    started = subprocess.Popen

    def slow(_arguments, **options):
        running.append(started([sys.executable, "-c", "import time; time.sleep(60)"], **options))
        return running[-1]

    monkeypatch.setattr(together.subprocess, "Popen", slow)
    with Hold() as hold:
        hold.waiting = 1
        with pytest.raises(KeyboardInterrupt):
            run_all(deque([Job(kernel, "", list)]), 1, here=False)
    assert [helper.returncode for helper in running] == [-signal.SIGKILL]


def test_one_job_needs_no_helper(monkeypatch):
    begun = []
    monkeypatch.setattr(together, "run_all", lambda *jobs, **_: begun.append(jobs))
    monkeypatch.setenv(together.SWITCH, "2")
    compile_together([None, Job(kernel, "", list), None])
    assert not begun
    compile_together([Job(kernel, "", list), None, Job(kernel, "", list)])
    assert len(begun) == 1


@pytest.mark.parametrize(("asked", "expected"), [("1", 1), ("0", 1), ("7", 7)])
def test_how_many(monkeypatch, asked, expected):
    monkeypatch.setenv(together.SWITCH, asked)
    assert processes() == expected


def test_how_many_by_default(monkeypatch):
    monkeypatch.delenv(together.SWITCH, raising=False)
    monkeypatch.setattr(together, "cores", lambda: 64)
    assert processes() == together.MOST
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: "one of many")
    assert processes() == 1


def test_orders():
    answers = io.StringIO()
    good = order_for("cotree.lie.so3", "__name__.upper", None)
    bad = order_for("cotree.nowhere", "nothing", None)
    serve(io.StringIO(f"{good}\n{bad}\nnot an order\n"), answers)
    assert [line.split()[0] for line in answers.getvalue().splitlines()] == ["done", "failed", "failed"]


def test_kernels_are_named_as_they_are_compiled(monkeypatch):
    named = []
    monkeypatch.setattr("cotree.engine.bar._listeners", [named.append])

    @kernel
    def inner(x):
        return x + 1

    @kernel
    def outer(x):
        return inner(x)

    outer._stored = NullCache()  # or it would be found on disk the next time
    with bar.over(outer.py_func):
        outer.compile((types.float64,))
    assert named == [f"{__name__}.test_kernels_are_named_as_they_are_compiled.<locals>.inner"]
