"""equations.toml stays true: each entry's code exists, its test exists, and nothing of a finished section is missing."""

import ast
import importlib
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = tomllib.loads((ROOT / "equations.toml").read_text())
ENTRIES = [(paper, number, entry) for paper in REGISTRY["papers"] for number, entry in REGISTRY[paper].items()]
STATUS = {"verified", "derived", "erratum", "unreadable", "unused"}
FINISHED = {
    "DCA": [*map(str, range(1, 73)), "Table 1"],
    "Geo": [*map(str, range(1, 69)), "Table 1", "Table 2"],
    "Lie": [*map(str, range(1, 49))],
    "Reg": [*map(str, range(1, 30))],
    "VTM": [*map(str, range(1, 40)), "Definition 1"],
}


def names(entries):
    return [f"{paper}-{number}" for paper, number, _ in entries]


@pytest.mark.parametrize(("paper", "number", "entry"), ENTRIES, ids=names(ENTRIES))
def test_entry_is_complete(paper, number, entry):
    assert entry["status"] in STATUS
    assert entry["title"]
    if entry["status"] in ("erratum", "derived", "unused", "unreadable"):
        assert entry.get("note"), f"{paper} ({number}): say what differs"


IMPLEMENTED = [e for e in ENTRIES if e[2]["status"] in ("verified", "derived", "erratum")]


@pytest.mark.parametrize(("paper", "number", "entry"), IMPLEMENTED, ids=names(IMPLEMENTED))
def test_code_exists(paper, number, entry):
    module, _, name = entry["code"].rpartition(".")
    assert hasattr(importlib.import_module(module), name), f"{paper} ({number}): no {entry['code']}"


@pytest.mark.parametrize(("paper", "number", "entry"), IMPLEMENTED, ids=names(IMPLEMENTED))
def test_test_exists(paper, number, entry):
    path, _, name = entry["test"].partition("::")
    functions = {n.name for n in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(n, ast.FunctionDef)}
    assert name in functions, f"{paper} ({number}): no test {entry['test']}"


@pytest.mark.parametrize("paper", FINISHED)
def test_nothing_is_missing(paper):
    assert set(FINISHED[paper]) <= set(REGISTRY[paper])
