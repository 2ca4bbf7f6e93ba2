"""equations.toml stays true: each entry's code exists, its test exists, and nothing of a finished section is missing."""

import ast
import importlib
import inspect
import re
import tomllib
from functools import cache
from operator import attrgetter
from pathlib import Path

import pytest

import cotree as ct

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = tomllib.loads((ROOT / "equations.toml").read_text())
STATUS = {"verified", "derived", "misprint", "erratum", "unreadable", "unused"}
FINISHED = {
    "DCA": [*map(str, range(1, 73)), "Table 1"],
    "Geo": [*map(str, range(1, 69)), "Table 1", "Table 2"],
    "Lie": [*map(str, range(1, 49))],
    "Reg": [*map(str, range(1, 30))],
    "VTM": [*map(str, range(1, 40)), "Definition 1"],
}


each_paper = pytest.mark.parametrize("paper", FINISHED)


def implemented(paper):
    """Number and entry of what the package computes."""
    return [(n, e) for n, e in REGISTRY[paper].items() if e["status"] in ("verified", "derived", "misprint", "erratum")]


@each_paper
def test_entries_are_complete(paper):
    for number, entry in REGISTRY[paper].items():
        assert entry["status"] in STATUS, number
        assert entry["title"], number
        if entry["status"] in ("misprint", "erratum", "derived", "unused", "unreadable"):
            assert entry.get("note"), f"{paper} ({number}): say what differs"


def exists(code):
    """Whether a module has what is named."""
    module, _, name = code.rpartition(".")
    return hasattr(importlib.import_module(module), name)


@each_paper
def test_code_exists(paper):
    assert [(number, e["code"]) for number, e in implemented(paper) if not exists(e["code"])] == []


@cache
def functions(path):
    """Names of the functions in a file."""
    return {n.name for n in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(n, ast.FunctionDef)}


@each_paper
def test_test_exists(paper):
    tests = [(number, *e["test"].split("::")) for number, e in implemented(paper)]
    assert [(number, path, name) for number, path, name in tests if name not in functions(path)] == []


@each_paper
def test_what_to_call_exists(paper):
    """`call` names public functions and methods, and arguments that they have."""
    roots = {"ct": ct, "mech": ct.Mechanism, "run": ct.Run, "system": ct.System}
    for number, entry in implemented(paper):
        found = re.findall(r"\b(ct|mech|run)\.([\w.]+)", entry["call"])
        assert found, f"{paper} ({number}): {entry['call']}"
        targets = [attrgetter(path)(roots[root]) for root, path in found]
        if options := set(re.findall(r"(\w+)=", entry["call"])):
            known = {name for target in targets for name in inspect.signature(target).parameters}
            assert options <= known, f"{paper} ({number}): {entry['call']}"


def test_every_paper_is_finished():
    assert set(FINISHED) == set(REGISTRY["papers"])


def order_of(number):
    """Numbers first, then tables, figures, definitions, remarks, then claims by their words."""
    kinds = ("Table", "Figure", "Definition", "Remark")
    if number.isdigit():
        return 0, int(number), ""
    kind = number.split()[0]
    return (1 + kinds.index(kind), int(re.findall(r"\d+", number)[0]), number) if kind in kinds else (9, 0, number)


@each_paper
def test_entries_are_in_the_order_of_their_numbers(paper):
    assert list(REGISTRY[paper]) == sorted(REGISTRY[paper], key=order_of)


@each_paper
def test_nothing_is_missing(paper):
    assert set(FINISHED[paper]) <= set(REGISTRY[paper])
