"""Functions of the register are broken as `make mutants` does it, a few of them; their named tests notice."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import cotree
from tools.mutants.harmless import HARMLESS
from tools.mutants.loading import spoiled, zeroed
from tools.mutants.mutations import chosen, find, mutated, mutations
from tools.mutants.register import where

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ("lie.so3",)
SOURCE = ast.parse("""
def f(x, y):
    if x > 3.0:
        raise ValueError(x + 1.0)
    z = -(x - y)
    g(x, y)
    return z * A[x + 1]
""")


def test_named_tests_notice():
    path = os.pathsep.join([str(Path(cotree.__file__).parents[1]), str(ROOT)])
    command = [sys.executable, "-m", "tools.mutants", "--quick", "--again", "--jobs", "1", *SAMPLE]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 of 4 faults in 2 functions were noticed" in done.stdout


def test_faults_stay_out_of_errors_and_indices():
    target = find(SOURCE, "f")
    found = {m.kind: m.text for m in mutations(target)}
    assert found == {
        "sign": "x - y", "negated": "-(x - y)", "factor": "z * A[x + 1]", "result": "return z * A[x + 1]",
        "arguments": "g(x, y)", "call": "g(x, y)",
    }  # fmt: skip
    assert [m.kind for m in chosen(target)] == ["sign", "factor"]


def test_what_is_called_harmless_could_be_chosen():
    """Each fault that is left out is one of its function, so that none stays in the list when the code has changed."""
    for code, faults in HARMLESS.items():
        path, name = where(code)
        target = find(ast.parse(path.read_text(encoding="utf-8")), name)
        known = {(m.kind, m.text) for m in mutations(target)}
        assert set(faults) <= known, code
        assert not set(faults) & {(m.kind, m.text) for m in chosen(target, harmless=faults)}


def test_each_fault_changes_one_place():
    before = ast.unparse(SOURCE)
    changed = {ast.unparse(mutated(SOURCE, "f", m)) for m in mutations(find(SOURCE, "f"))}
    assert len(changed) == 6
    assert before not in changed
    assert any("z = -(x + y)" in text for text in changed)


def test_functions_with_little_in_them_have_two_faults():
    """A call and a tuple, nothing else: other kinds of faults are taken where the first ones are too few."""
    for text in (
        "@kernel\ndef f(x, y):\n    return g(x, y), h(x)",
        "def f(Y):\n    return g(Y)[2]",
        "@kernel\ndef f(g, k):\n    g[k] = h(g, k)",
        "@kernel\ndef f(d):\n    return call(d) - d.rows",
    ):
        tree = ast.parse(text)
        found = [ast.unparse(mutated(tree, "f", m)) for m in chosen(find(tree, "f"))]
        assert len(set(found)) == 2
        assert ast.unparse(tree) not in found


def test_results_are_spoiled():
    assert spoiled(2.0) != 2.0
    assert spoiled(True) is False
    assert spoiled(3) == 4
    assert spoiled(("a",)) == ("",)
    assert spoiled(object()) is None
    assert zeroed(2.0) == 0.0
    assert zeroed(3) == 4
