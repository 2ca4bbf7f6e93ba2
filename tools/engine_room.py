"""The rule of the engine room: addresses, pointers and Numba's internals stay in `engine`. Prints the offenders and fails if
there are any."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "cotree"
ROOM = "engine"
INTERNALS = {"carray", "farray", "intrinsic", "CFunc", "cfunc"}  # of Numba
ADDRESSED = {"vector_at", "matrix_at", "integers_at", "pointer_to"}  # of the engine
MODULES = {"numba", "nb", "extending", "records", "entry"}  # by which one could get at them
COMPILED = {"kernel", "inlined", "dense", "released", "threaded", "entry", "door"}
BYTES = {8, 16}  # of an entry, or of two


def offences(root: Path = ROOT) -> list[str]:
    out = []
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] != ROOM:
            for line, what in sorted(set(found_in(ast.parse(path.read_text())))):
                out.append(f"{path.relative_to(root.parent)}:{line}: {what} belongs in {ROOM}/")
    return out


def found_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what) of each offence."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)
        elif isinstance(node, ast.Attribute):
            yield from reached(node)
        elif isinstance(node, ast.Assign):
            yield from unpacked(node)
        elif isinstance(node, ast.Subscript) and opens_tables(node.value):
            yield node.lineno, "a table by its number"
        elif isinstance(node, ast.FunctionDef) and is_compiled(node):
            yield from computed(node)


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[int, str]]:
    """Imports of what is not for use elsewhere."""
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    if any(m.split(".")[0] in ("llvmlite", "ctypes") for m in modules):
        yield node.lineno, modules[0]
    if isinstance(node, ast.ImportFrom):
        package = modules[0].split(".")
        for name in (a.name for a in node.names):
            numbas = package[0] == "numba" and name in INTERNALS
            engines = package[:2] == ["cotree", ROOM] and (name in ADDRESSED or name.startswith("raw_"))
            if numbas or engines:
                yield node.lineno, name


def reached(node: ast.Attribute) -> Iterator[tuple[int, str]]:
    """Addresses of arrays, and the same names through a module."""
    if node.attr == "ctypes":
        yield node.lineno, "the address of an array"
    of_module = isinstance(node.value, ast.Name) and node.value.id in MODULES
    if of_module and (node.attr in INTERNALS | ADDRESSED or node.attr.startswith("raw_")):
        yield node.lineno, node.attr


def opens_tables(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open_tables"


def unpacked(node: ast.Assign) -> Iterator[tuple[int, str]]:
    """a, b, … = open_tables(…), also as one of several assignments in a line."""
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        if any(isinstance(t, ast.Tuple) and opens_tables(v) for t, v in pairs):
            yield node.lineno, "tables by their order"


def is_compiled(node: ast.FunctionDef) -> bool:
    """Whether one of the engine's decorators is above a function."""
    names = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return any(isinstance(d, ast.Name) and d.id in COMPILED for d in names)


def computed(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """base + 8 * place."""
    for node in ast.walk(function):
        sums = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
        if isinstance(node, ast.BinOp) and sums and (_in_bytes(node.left) or _in_bytes(node.right)):
            yield node.lineno, "address arithmetic"


def _in_bytes(node: ast.AST) -> bool:
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return False
    sides = (node.left, node.right)
    return any(isinstance(x, ast.Constant) and type(x.value) is int and x.value in BYTES for x in sides) or any(
        _in_bytes(x) for x in sides
    )


if __name__ == "__main__":
    found = offences()
    print("\n".join(found) if found else "engine room: clean")
    sys.exit(bool(found))
