"""What type checkers and editors know of the package: names, types, completion; and that functions are annotated at all."""

import ast
import inspect
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cotree as ct
from tests.language_server import completions

ROOT, PACKAGE = Path(__file__).resolve().parent.parent, Path(ct.__file__).parent
USE = ROOT / "tests" / "typed_use.py"
COMPILED = {
    "Batch",
    "kernel",
    "inlined",
    "dense",
    "released",
    "threaded",
    "entry",
    "door",
    "intrinsic",
    "overload",
    "njit",
    "generated",
    "fast_matrix",
    "fast_arrays",
    "span",
}
OTHERWISE = {
    "outer",
    "_call",
    "generate",
    "_function",
    "vector_at",
    "matrix_at",
    "integers_at",
    "integer_rows_at",
}  # of engine/, compiled without a decorator
BARE = re.compile(r"\s*(Any|'Any'|Any \| None|None \| Any)\s*")


def beside(name):
    """A program of the environment that runs the tests."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    return found or pytest.skip(f"{name} is not installed; it comes with the extra 'check'")


def environment():
    return {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "MYPYPATH": str(PACKAGE.parent)}


def test_the_stub_is_current():
    stubs = runpy.run_path(str(ROOT / "tools" / "stubs.py"))
    assert (PACKAGE / "__init__.pyi").read_text(encoding="utf-8") == stubs["text"](), "run python tools/stubs.py"
    assert (PACKAGE / "py.typed").is_file()


def test_forty_names_are_used():
    used = {n.attr for n in ast.walk(ast.parse(USE.read_text(encoding="utf-8"))) if isinstance(n, ast.Attribute)}
    assert len(used & set(ct.__all__)) >= 40


@pytest.mark.long
def test_mypy_knows_the_types(tmp_path):
    """With the options of a user; with those of the project `make check` looks at the same file."""
    command = [
        beside("mypy"),
        "--strict",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--cache-dir",
        tmp_path,
    ]
    done = subprocess.run(
        [*command, "--config-file=", USE], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


WRONG = {
    "assert_type(run.t, Array)": ("assert_type(run.t, str)", "reportAssertTypeFailure"),
    "ct.poses(mech, q)": ("ct.posse(mech, q)", "reportAttributeAccessIssue"),
    "stiffness=100.0": ("stiffness='hard'", "reportArgumentType"),
}


def test_pyright_knows_the_types(tmp_path):
    """One file that is right, and the same with three faults."""
    text = USE.read_text(encoding="utf-8")
    (tmp_path / "right.py").write_text(text, encoding="utf-8")
    for old, (new, _) in WRONG.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "wrong.py").write_text(text, encoding="utf-8")
    command = [beside("basedpyright"), "--level", "error", "--pythonpath", sys.executable, "--outputjson", "."]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    errors = json.loads(done.stdout)["generalDiagnostics"]
    assert {Path(e["file"]).name for e in errors} == {"wrong.py"}, done.stdout
    assert {rule for _, rule in WRONG.values()} <= {e["rule"] for e in errors}, done.stdout


OFFERED = {
    "import cotree as ct\nct.": {"Mechanism", "simulate", "gallery", "load"},
    "import cotree as ct\nct.Mechanism().": {"body", "joint", "motor", "compile"},
    "import cotree as ct\nct.simulate(ct.gallery.four_bar(), 1.0).": {"t", "q", "energy", "plot", "html"},
}


def test_editors_complete(tmp_path):
    """The package is found where it would be installed: beside the file."""
    (tmp_path / "cotree").symlink_to(PACKAGE)
    found = completions([beside("basedpyright-langserver"), "--stdio"], tmp_path, list(OFFERED))
    assert [expected - labels for expected, labels in zip(OFFERED.values(), found, strict=True)] == [set()] * 3


def functions(tree):
    """(function, whether Numba compiles it) of a module; what is nested in a compiled function is compiled too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            names = {n.id for d in node.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
            compiled = bool(names & COMPILED) or any(n.startswith(("fast_", "row_", "force_")) for n in names)
            yield node, compiled
            if compiled:
                continue
        yield from functions(node)


def missing_annotations(function):
    a = function.args
    every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    return [x.arg for x in every if x.annotation is None and x.arg not in ("self", "cls")] + (
        [] if function.returns is not None else ["return"]
    )


def test_every_function_that_is_not_compiled_is_annotated():
    """Of the papers' examples only the harness is."""
    bare = []
    for path in sorted(PACKAGE.rglob("*.py")):
        where = path.relative_to(PACKAGE)
        if where.parts[0] == "papers" and len(where.parts) > 2:
            continue
        for function, compiled in functions(ast.parse(path.read_text(encoding="utf-8"))):
            if compiled or (where.parts[0] == "engine" and function.name in OTHERWISE):
                continue
            if missing_annotations(function):
                bare.append(f"{where}:{function.lineno} {function.name}: {missing_annotations(function)}")
    assert not bare, "\n".join(bare)


def public_functions():
    for name in ct.__all__:
        yield name, getattr(ct, name)
    for c in (ct.Mechanism, ct.System, ct.Run):
        for name, member in inspect.getmembers(c):
            if not name.startswith("_") and callable(getattr(member, "fget", member)):
                yield f"{c.__name__}.{name}", getattr(member, "fget", member)


def test_no_public_function_takes_or_returns_just_anything():
    """Any inside a Callable or a dict is allowed; alone it says nothing."""
    bare = []
    for name, function in public_functions():
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            continue
        kinds = {p.name: p.annotation for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD}
        kinds["return"] = signature.return_annotation
        bare += [f"{name}: {k}" for k, a in kinds.items() if BARE.fullmatch(str(a))]
    assert not bare, "\n".join(bare)


def test_help_is_a_table_of_contents():
    assert all(re.search(rf"\b{name}\b", ct.__doc__) for name in (*ct.__all__, *ct._SUBPACKAGES))
    assert "Simulation:\n    " in ct.__doc__
    assert {"Any", "annotations", "importlib"}.isdisjoint(dir(ct))
