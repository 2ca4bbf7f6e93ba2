"""From equations.toml to faults: which functions are broken how, and which tests must notice."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from tools.mutants.harmless import HARMLESS
from tools.mutants.mutations import Mutation, chosen, find
from tools.mutants.running import Trial

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"


def trials_of(registry: dict[str, Any], names: list[str], broken: bool = True) -> list[Trial]:
    """Two faults for each function and test of the register, or each test once without a fault."""
    pairs = sorted({(e["code"], e["test"]) for p, e in entries(registry) if wanted(p, e, names)})
    if not broken:
        return [Trial(test, None, "", None) for test in sorted({test for _, test in pairs})]
    return [trial for code, test in pairs for trial in faults(code, test)]


def entries(registry: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """(paper, entry) of all that have code."""
    return [(paper, e) for paper in registry["papers"] for e in registry[paper].values() if "code" in e]


def wanted(paper: str, entry: dict[str, str], names: list[str]) -> bool:
    return not names or paper in names or any(name in entry["code"] for name in names)


def faults(code: str, test: str) -> list[Trial]:
    """Two trials of a function, by its dotted name."""
    path, name = where(code)
    target = find(ast.parse(path.read_text(encoding="utf-8")), name)
    assert target is not None, code
    return [Trial(test, path, name, mutation) for mutation in chosen(target, harmless=HARMLESS.get(code, {}))]


def where(code: str) -> tuple[Path, str]:
    """File and name of a function, through packages that only pass it on."""
    module, _, name = code.rpartition(".")
    path = SOURCE / Path(*module.split("."))
    if not path.is_dir():
        return path.with_suffix(".py"), name
    tree = ast.parse((path / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and name in {a.name for a in node.names}:
            return where(f"{node.module}.{name}")
    raise LookupError(code)


__all__ = ["ROOT", "Mutation", "faults", "trials_of"]
