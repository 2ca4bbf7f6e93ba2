"""The digest that guards stored code: it changes with everything that compiled code depends on, and with nothing else."""

import importlib
import os
import subprocess
import sys

import pytest

from cotree.engine.dependencies import digest_of

SOURCE = '''
"""A module with kernels."""
import numpy as np
from cotree.engine.kernel import kernel

FACTOR = 2.0
ROW = np.dtype([("mass", "f8"), ("place", "f8", (3,))])
NAMES = ("a", "b")


@kernel
def lowest(x):
    """The lowest."""
    return FACTOR * x


@kernel
def middle(x, shift=1.0):
    return lowest(x) + shift


def unrelated(x):
    return x - 17.0


def top(x):
    # a comment
    return middle(x) + ROW.itemsize + len(NAMES)
'''


def digest(tmp_path, monkeypatch, text, options=None):
    """Digest of `top` in a module of its own."""
    folder = tmp_path / f"v{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    (folder / "kernels_in_a_test.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "kernels_in_a_test", raising=False)
    importlib.invalidate_caches()
    return digest_of(importlib.import_module("kernels_in_a_test").top, options or {})


CHANGES = {
    "own code": ("middle(x) + ROW", "middle(x) - ROW"),
    "a constant": ("len(NAMES)", "len(NAMES) + 3"),
    "a callee": ("lowest(x) + shift", "lowest(x) - shift"),
    "a callee's callee": ("FACTOR * x", "FACTOR + x"),
    "a global number below": ("FACTOR = 2.0", "FACTOR = 2.5"),
    "a record type": ('("mass", "f8")', '("mass", "f4")'),
    "a tuple": ('("a", "b")', '("a", "c")'),
    "a default": ("shift=1.0", "shift=1.5"),
    "a decorator": ("@kernel\ndef lowest", "from cotree.engine.kernel import dense\n\n\n@dense\ndef lowest"),
}
NEUTRAL = {
    "a docstring": ('"""The lowest."""', '"""Another text,\n    of two lines."""'),
    "a comment and the lines below": ("# a comment", "# a comment\n\n    # and another"),
    "what is not reached": ("x - 17.0", "x - 18.0"),
}


@pytest.mark.parametrize(("old", "new"), CHANGES.values(), ids=CHANGES)
def test_what_changes_the_digest(tmp_path, monkeypatch, old, new):
    assert old in SOURCE
    before = digest(tmp_path, monkeypatch, SOURCE)
    assert digest(tmp_path, monkeypatch, SOURCE.replace(old, new)) != before


@pytest.mark.parametrize(("old", "new"), NEUTRAL.values(), ids=NEUTRAL)
def test_what_leaves_it(tmp_path, monkeypatch, old, new):
    assert old in SOURCE
    before = digest(tmp_path, monkeypatch, SOURCE)
    assert digest(tmp_path, monkeypatch, SOURCE.replace(old, new)) == before


def test_options_of_the_compiler_count(tmp_path, monkeypatch):
    options = [{}, {"fastmath": {"contract", "nsz"}}, {"fastmath": {"contract"}}]
    assert len({digest(tmp_path, monkeypatch, SOURCE, o) for o in options}) == 3


def test_every_process_finds_the_same():
    """Orders of sets and addresses of objects must not enter."""
    script = (
        "from cotree.engine.dependencies import digest_of; from cotree.integrate import loop\n"
        "from cotree.derivatives import duals; from cotree.dynamics import forward; from cotree.system import lane_tables\n"
        "functions = (loop.advance.py_func, duals._evaluate.py_func, lane_tables.lane_tables.py_func, "
        "forward._fast_forward_dynamics.function)\n"
        "print(''.join(digest_of(f, {}) for f in functions))"
    )
    found = set()
    for seed in "01":
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        found.add(run.stdout.strip())
    assert [len(digests) for digests in found] == [4 * 32]
