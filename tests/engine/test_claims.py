"""One process compiles, others wait for what it stores; a process that dies holds nobody up."""

import itertools
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from cotree.engine import claims

pytestmark = pytest.mark.skipif(claims.fcntl is None, reason="there are no locks on parts of files here")

HOLDER = "from cotree.engine import claims; print(claims.take('{name}'), flush=True); input()"
COMPILER = """
import sys
from numba import types
from cotree.engine.bar import listen
from cotree.engine.vectors import fill
count = []
listen(count.append)
from cotree.engine import claims, compilers
compile = compilers.ForPython.compile
def counted(self, *given):
    count.append(self.py_func)
    return compile(self, *given)
compilers.ForPython.compile = counted
print("ready", flush=True)
{between}
fill.compile((types.float64[::1], types.float64))
print(len(count), flush=True)
"""


def started(text, **environment):
    env = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)} | environment
    return subprocess.Popen(
        [sys.executable, "-c", text], env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def test_a_claim_ends_with_its_process():
    name = f"a claim of test {os.getpid()}"
    with started(HOLDER.format(name=name)) as holder:
        assert holder.stdout.readline() == "True\n"
        assert claims.taken(name)
        assert not claims.take(name)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert not claims.taken(name)
        assert not claims.wait_for(name, lambda: None)  # at once
        claims.give_back(name)


def test_patience_ends(monkeypatch):
    """A process that was stopped while it compiles: after a while others compile as well."""
    moments = itertools.count(0.0, claims.PATIENCE / 4)  # a quarter of it passes between looks at the clock
    monkeypatch.setattr(claims, "time", SimpleNamespace(monotonic=lambda: next(moments), sleep=lambda _: None))
    name, looks = f"another claim of test {os.getpid()}", []
    with started(HOLDER.format(name=name)) as holder:
        assert holder.stdout.readline() == "True\n"
        assert claims.wait_for(name, lambda: looks.append(1))
        assert len(looks) == 3
        assert claims.taken(name)
        holder.kill()


def test_without_locks_everybody_compiles(monkeypatch):
    monkeypatch.setattr(claims, "_file", lambda _process: None)
    assert claims.take("anything")
    assert not claims.taken("anything")


LATE = """
import subprocess
wait = claims.wait_for
def late(*given):
    subprocess.run([sys.executable, "-c", {other!r}], input="", text=True, check=True, capture_output=True)
    return wait(*given)
claims.wait_for = late
"""


def test_what_is_stored_just_before_the_claim_is_found(tmp_path):
    """Another process compiles, stores and releases its claim between the look at what is stored and the claim."""
    text = COMPILER.format(between=LATE.format(other=COMPILER.format(between="")))
    with started(text, NUMBA_CACHE_DIR=str(tmp_path)) as process:
        assert process.communicate()[0] == "ready\n0\n"
    assert len(list(tmp_path.rglob("*.nbc"))) == 1


def test_two_processes_compile_once(tmp_path):
    text = COMPILER.format(between="input()")
    both = [started(text, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    counts = sorted(int(process.communicate()[0]) for process in both)
    assert counts == [0, 1]
    assert len(list(tmp_path.rglob("*.nbc"))) == 1
