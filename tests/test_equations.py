"""equations.toml stays true: each entry's code exists, its test exists, and nothing of a finished section is missing."""

import ast
import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest

import cotree as ct

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


@pytest.mark.parametrize(("paper", "number", "entry"), IMPLEMENTED, ids=names(IMPLEMENTED))
def test_what_to_call_exists(paper, number, entry):
    """`call` names public functions and methods, and arguments that they have."""
    roots = {"ct": ct, "mech": ct.Mechanism, "run": ct.Run, "system": ct.System}
    found = re.findall(r"\b(ct|mech|run)\.([\w.]+)", entry["call"])
    assert found, f"{paper} ({number}): {entry['call']}"
    for root, path in found:
        target = roots[root]
        for name in path.split("."):
            target = getattr(target, name)
        for option in re.findall(r"(\w+)=", entry["call"]):
            assert option in inspect.signature(target).parameters


def order_of(number):
    """Numbers first, then tables, figures, definitions, remarks, then claims by their words."""
    kinds = ("Table", "Figure", "Definition", "Remark")
    if number.isdigit():
        return 0, int(number), ""
    kind = number.split()[0]
    return (1 + kinds.index(kind), int(re.findall(r"\d+", number)[0]), number) if kind in kinds else (9, 0, number)


@pytest.mark.parametrize("paper", FINISHED)
def test_entries_are_in_the_order_of_their_numbers(paper):
    assert list(REGISTRY[paper]) == sorted(REGISTRY[paper], key=order_of)


@pytest.mark.parametrize("paper", FINISHED)
def test_nothing_is_missing(paper):
    assert set(FINISHED[paper]) <= set(REGISTRY[paper])
