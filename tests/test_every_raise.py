"""The plugin that asks for a test of every raise: on the package itself, and on a toy in runs of every kind."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cotree
from tests.raise_log import raise_statements

PACKAGE, REPOSITORY = Path(cotree.__file__).parent, Path(__file__).parents[1]

ERRORS = """
class ToyError(Exception): ...
class OwnError(ToyError, AttributeError):
    def __init__(self, text):
        super().__init__(text, name="toy")
"""
CODE = """
from toy.errors import OwnError, ToyError
def one(x):
    if x < 0:
        raise ToyError(
            f"negative: {x}"
        )
    if x > 9:
        raise helper(x)
def helper(x): return OwnError(f"large: {x}")
def two(x):
    try:
        one(x)
    except OwnError:
        raise
    raise ToyError("small")
"""
CONFTEST = """
from pathlib import Path
from tests.raise_log import EveryRaise
from toy.errors import ToyError
HERE = Path(__file__).parent
def pytest_configure(config):
    config.pluginmanager.register(EveryRaise(config, HERE.parent / "toy", ToyError, HERE), "every-raise")
"""
TEST_ONE = """
import pytest
from toy.code import one
from toy.errors import ToyError
def test_negative():
    with pytest.raises(ToyError):
        one(-1)
def test_large():
    with pytest.raises(AttributeError):
        one(10)
"""
TEST_TWO = """
import pytest
from toy.code import two
from toy.errors import ToyError
def test_small():
    with pytest.raises(ToyError):
        two(1)
"""


@pytest.fixture
def toy(tmp_path):
    """A package with three raises that count, and a test of each in two files."""
    files = {
        "pytest.ini": "[pytest]\ntestpaths = checks\n", "toy/__init__.py": "", "toy/errors.py": ERRORS, "toy/code.py": CODE,
        "checks/conftest.py": CONFTEST, "checks/test_one.py": TEST_ONE, "checks/test_two.py": TEST_TWO,
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(toy, *arguments):
    """Exit code and output of a test session on the toy."""
    path = os.pathsep.join([str(REPOSITORY), str(toy)])
    quick = {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    result = subprocess.run(command, cwd=toy, env={**os.environ, **quick}, capture_output=True, text=True)
    return result.returncode, result.stdout


def place(toy, text):
    """file:line of a text in the toy's code."""
    return f"code.py:{(toy / 'toy/code.py').read_text().split(text)[0].count(chr(10)) + 1}"


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")])
def test_a_run_that_reaches_every_raise_passes(toy, workers):
    code, output = run(toy, *workers)
    assert code == 0, output
    assert "3 passed" in output


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")])
def test_a_raise_without_a_test_fails_the_run(toy, workers):
    (toy / "checks/test_two.py").unlink()
    code, output = run(toy, *workers)
    assert code == 1
    assert "1 failed, 2 passed" in output
    assert place(toy, 'raise ToyError("small")') in output
    assert set(re.findall(r"code\.py:\d+", output)) == {place(toy, 'raise ToyError("small")')}  # the only one


def test_an_error_of_another_family_counts_as_untested(toy):
    source = toy / "toy/code.py"
    source.write_text(source.read_text().replace("return OwnError", "return AttributeError"))
    code, output = run(toy)
    assert code == 1
    assert place(toy, "raise helper") in output


@pytest.mark.parametrize("part", [("checks/test_one.py",), ("-k", "negative"), ("--deselect", "checks/test_two.py")])
def test_a_part_of_the_tests_is_not_judged(toy, part):
    code, output = run(toy, *part)
    assert code == 0, output


def test_a_run_cut_short_is_not_judged(toy):
    (toy / "checks/test_a.py").write_text("def test_wrong(): assert False\n")
    assert "code.py:" not in run(toy, "-x")[1]
    assert "1 failed, 3 passed" in run(toy)[1]


def test_the_statements_of_the_package_are_found():
    found = list(raise_statements(PACKAGE))
    text = "".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    assert len(found) > 60
    assert len(found) <= text.count("raise ")
    assert "model/mechanism.py" in {file for file, _, _ in found}


def is_compiled(function):
    """Whether a function is decorated as a kernel."""
    return any(isinstance(d, ast.Name) and d.id in ("kernel", "inlined") for d in function.decorator_list)


def test_kernels_raise_nothing():
    """Compiled code returns a status; the face that called it knows the names for an error."""
    compiled = [
        (path.name, node)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and is_compiled(node)
    ]
    assert len(compiled) > 50
    assert not [(file, f.name) for file, f in compiled if any(isinstance(n, ast.Raise) for n in ast.walk(f))]
