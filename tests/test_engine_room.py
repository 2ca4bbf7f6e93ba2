"""The rule of the engine room: its checker finds planted offences, and the package is clean."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "engine_room.py"


@pytest.fixture(scope="module")
def room():
    spec = importlib.util.spec_from_file_location("engine_room", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plant(root, file, text):
    path = root / "cotree" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


OFFENCES = {
    "address": ("x = a.ctypes.data\n", "the address of an array"),
    "carray": ("from numba import carray\n", "carray"),
    "by module": ("import numba\nx = numba.carray(p, 3)\n", "carray"),
    "intrinsic": ("from numba.extending import intrinsic\n", "intrinsic"),
    "llvmlite": ("from llvmlite import ir\n", "llvmlite"),
    "import llvmlite": ("import llvmlite.binding\n", "llvmlite.binding"),
    "cfunc": ("from numba import cfunc\n", "cfunc"),
    "CFunc": ("from numba.core.ccallback import CFunc\n", "CFunc"),
    "vector_at": ("from cotree.engine.records import vector_at\n", "vector_at"),
    "records.matrix_at": ("from cotree.engine import records\nx = records.matrix_at(a, 1, 2)\n", "matrix_at"),
    "raw": ("from cotree.engine.entry import raw_call\n", "raw_call"),
    "bytes": ("@kernel\ndef f(base, at):\n    return g(base + 8 * at)\n", "address arithmetic"),
    "more bytes": ("@entry(run_t)\ndef f(p, t, q, v, w):\n    return p.at + 8 * q.size * t\n", "address arithmetic"),
    "tables": ("world, links = open_tables(here)\n", "tables by their order"),
    "tables in a line": ("n, (world, links) = 1, open_tables(here)\n", "tables by their order"),
    "one table": ("work = open_tables(here)[5]\n", "a table by its number"),
}
ALLOWED = {
    "names": "tables, cuts = open_tables(here), open_cuts(here)\nwork = open_tables(here).work\n",
    "numbers": "x = 1.0 + 8 * [2.0][0]\n\n\n@kernel\ndef f(n, k):\n    return 8 * n >= k\n",
    "flags": "x = q.flags.carray\n",
    "another vector_at": "from cotree.io.xml.values import vector_at\n",
    "arena": "from cotree.engine.arena import vector\n",
}


@pytest.mark.parametrize(("text", "what"), OFFENCES.values(), ids=OFFENCES)
def test_an_offence_is_found(room, tmp_path, text, what):
    plant(tmp_path, "engine/fine.py", text)
    plant(tmp_path, "lie/a.py", text)
    line = text.count("\n")
    assert room.offences(tmp_path / "cotree") == [f"cotree/lie/a.py:{line}: {what} belongs in engine/"]


@pytest.mark.parametrize("text", ALLOWED.values(), ids=ALLOWED)
def test_what_is_allowed(room, tmp_path, text):
    plant(tmp_path, "lie/a.py", text)
    assert room.offences(tmp_path / "cotree") == []


def test_the_package_is_clean(room):
    assert room.offences() == []
    assert list(room.ROOT.rglob("*.py"))


def test_the_command_fails_for_an_offence(tmp_path):
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/engine_room.py").write_text(TOOL.read_text())
    plant(tmp_path / "src", "lie/a.py", "from numba import carray\n")
    command = [sys.executable, str(tmp_path / "tools/engine_room.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "carray belongs in engine/" in result.stdout
