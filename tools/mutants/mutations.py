"""Ways to break a function: each changes one place of its syntax tree."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

Change = Callable[[ast.AST], ast.AST | None]
KERNELS = {"kernel", "inlined", "dense", "released", "threaded", "entry"}
OTHER_SIGN: dict[type[ast.AST], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
RANKING = ("sign", "negated", "factor", "added", "transposed", "result", "constant", "arguments", "call", "condition")
SPARE = ("assignment", "comparison", "term", "parts", "zeroed", "order")  # where those above are fewer than asked for
COMPLAINTS = ("complain", "not_finite", "require", "warn")  # in names of functions that raise errors
SPOILED, ZEROED = "_spoiled_by_a_mutant", "_zeroed_by_a_mutant"  # the functions that change a result
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Lt: ast.GtE, ast.GtE: ast.Lt}


class Mutation(NamedTuple):
    """One fault: its kind, where it is, and the number of its node among those of the function."""

    kind: str
    line: int
    text: str
    node: int

    def __str__(self) -> str:
        return f"{self.kind} at line {self.line}: {self.text}"


def find(tree: ast.Module, name: str) -> ast.AST | None:
    """The function or class of a name at the top level of a module."""
    kinds = ast.FunctionDef | ast.ClassDef
    return next((node for node in tree.body if isinstance(node, kinds) and node.name == name), None)


def mutations(target: ast.AST) -> list[Mutation]:
    """All faults that are known for a function or class, best first."""
    found = [Mutation(kind, line, text, k) for k, kind, line, text in _candidates(target, _kind)]
    return sorted(found, key=lambda m: (RANKING.index(m.kind), m.line))


def chosen(target: ast.AST, count: int = 2, harmless: Collection[tuple[str, str]] = ()) -> list[Mutation]:
    """Some of them, none of `harmless` (kind, text): of different kinds and from different lines where there is a choice."""
    left, taken = [m for m in mutations(target) if (m.kind, m.text) not in harmless], list[Mutation]()
    if len(left) < count:
        spare = [Mutation(kind, line, text, k) for k, kind, line, text in _candidates(target, _spare_kind)]
        spare = [m for m in spare if (m.kind, m.text) not in harmless]
        left += sorted(spare, key=lambda m: (SPARE.index(m.kind), m.line))[: count - len(left)]
    while left and len(taken) < count:
        kinds, lines = {m.kind for m in taken}, {m.line for m in taken}
        best = min(left, key=lambda m: (m.line in lines, m.kind in kinds, (RANKING + SPARE).index(m.kind)))
        taken.append(best)
        left.remove(best)
    return taken


def mutated(tree: ast.Module, name: str, mutation: Mutation) -> ast.Module:
    """A copy of a module with one fault in the function of this name."""
    tree = copy.deepcopy(tree)
    target = find(tree, name)
    assert target is not None
    node = list(ast.walk(target))[mutation.node]
    changed = CHANGES[mutation.kind](node)
    if changed is not node:
        _Replace(node, changed).visit(target)
    return ast.fix_missing_locations(tree)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST | None) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def _candidates(target: ast.AST, kind_of: Callable[[ast.AST], str | None]) -> Iterator[tuple[int, str, int, str]]:
    """(number of the node, kind, line, text) of each place that can be changed."""
    skipped, compiled = set(_out_of_bounds(target)), _is_kernel(target)
    for k, node in enumerate(ast.walk(target)):
        kind = None if id(node) in skipped else kind_of(node)
        if kind is not None and not (kind in ("result", "zeroed") and compiled):
            yield k, kind, getattr(node, "lineno", 0), ast.unparse(node).split("\n")[0][:70]


def _kind(node: ast.AST) -> str | None:
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign(op=ast.Add() | ast.Sub()):
            return "sign"
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id="inf" | "status")):
            return None  # bounds, and codes of errors
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            return "negated"
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            return "factor"
        case ast.BinOp(op=ast.MatMult()):
            return "added"
        case ast.Attribute(attr="T"):
            return "transposed"
        case ast.Constant(value=float()):
            return "constant"
        case ast.Expr(value=ast.Call()):
            return "call"
        case ast.Call(args=[ast.Name(id=a), ast.Name(id=b), *_]) if a != b:
            return "arguments"
        case ast.If():
            return "condition"
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            return "result"
    return None


def _spare_kind(node: ast.AST) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Subscript()]):
            return "assignment"
        case ast.Compare(ops=[ast.Gt() | ast.Lt() | ast.GtE() | ast.LtE()]):
            return "comparison"
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return "term"
        case ast.Return(value=ast.Tuple(elts=[_, _, *_])):
            return "parts"
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            return "zeroed"
        case ast.Call(func=func, args=[a, b, *_]) if ast.unparse(func) not in ("max", "min"):
            return "order" if ast.unparse(a) != ast.unparse(b) else None
    return None


def _out_of_bounds(target: ast.AST) -> Iterator[int]:
    """Nodes in messages, indices, ranges, sizes, annotations, decorators and default values: a fault there says little."""
    for node in ast.walk(target):
        parts: list[ast.AST] = []
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
            parts = [node]
        elif isinstance(node, ast.Subscript):
            parts = [node.slice]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("range", "prange"):
            parts = [node]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.empty", "np.zeros", "np.ones"):
            parts = list(node.args)
        elif isinstance(node, ast.FunctionDef):
            parts = [node.args, *node.decorator_list, *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.AnnAssign):
            parts = [node.annotation]
        elif _is_status(node) or _only_complains(node):
            parts = [node]
        yield from (id(inner) for part in parts for inner in ast.walk(part))


def _is_status(node: ast.AST) -> bool:
    """Whether a kernel returns here the number of the row or joint at fault: -1 - number."""
    return isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value).startswith("-1 - ")


def _only_complains(node: ast.AST) -> bool:
    """Whether a branch ends in an error: what tests of errors are for."""
    if not isinstance(node, ast.If):
        return False
    last = node.body[-1]
    called = last.value.func if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
    return isinstance(last, ast.Raise) or any(word in name for word in COMPLAINTS)


def _is_kernel(target: ast.AST) -> bool:
    marks = [d.func if isinstance(d, ast.Call) else d for d in getattr(target, "decorator_list", [])]
    return any(isinstance(d, ast.Name) and d.id in KERNELS for d in marks)


def _other_sign(node: Any) -> ast.AST:
    node.op = OTHER_SIGN[type(node.op)]()
    return node


def _minus(node: Any) -> ast.AST:
    return ast.UnaryOp(ast.USub(), node)


def _larger(node: Any) -> ast.AST:
    return ast.Constant(node.value + 0.5)


def _swapped(node: Any) -> ast.AST:
    node.args[:2] = node.args[1], node.args[0]
    return node


def _otherwise(node: Any) -> ast.AST:
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def _other_side(node: Any) -> ast.AST:
    node.ops = [_OPPOSITE[type(op)]() for op in node.ops]
    return node


def _other_parts(node: Any) -> ast.AST:
    node.value.elts[:2] = node.value.elts[1], node.value.elts[0]
    return node


def _zeroed(node: Any) -> ast.AST:
    node.value = ast.Call(ast.Name(ZEROED, ast.Load()), [node.value], [])
    return node


def _spoiled(node: Any) -> ast.AST:
    node.value = ast.Call(ast.Name(SPOILED, ast.Load()), [node.value], [])
    return node


CHANGES: dict[str, Change] = {
    "sign": _other_sign,
    "negated": lambda node: node.operand,  # type: ignore[attr-defined]
    "factor": lambda node: node.left,  # type: ignore[attr-defined]
    "added": _minus,
    "transposed": lambda node: node.value,  # type: ignore[attr-defined]
    "constant": _larger,
    "call": lambda node: ast.Pass(),
    "arguments": _swapped,
    "condition": _otherwise,
    "result": _spoiled,
    "assignment": lambda node: ast.Pass(),
    "comparison": _other_side,
    "term": lambda node: node.left,  # type: ignore[attr-defined]
    "parts": _other_parts,
    "zeroed": _zeroed,
    "order": _swapped,
}
