"""Kernels that own no array are compiled without counting references.

Numba counts who refers to an array at every assignment, argument and view; a third of the code that it makes for kernels was
for that, although hardly any of them makes an array: they are given them, or open them at an address. Here each kernel is
looked at after its types are known. One that makes no array, calls nothing that returns one of its own, and returns none that
it was given, is compiled without counting. What is opened at an address has no owner and is not counted.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import LoweringPass, register_pass

from cotree.engine.dependencies import PACKAGE

# of what these expressions give, nothing is new: parts, views and groups of what is there already
PARTS = ("getattr", "getitem", "static_getitem", "typed_getitem", "build_tuple", "exhaust_iter", "cast", "phi")
_openers: set[tuple[Any, tuple[Any, ...]]] = set()  # kernels, by function and types, that only open arrays at addresses


@register_pass(mutates_CFG=False, analysis_only=True)
class CountReferencesWhereNeeded(LoweringPass):
    """Choose whether references are counted in the function, before it is lowered."""

    _name = "count_references_where_needed"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        if state.func_id.modname.startswith(PACKAGE + ".") and not _owns(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
            if _counted(state, state.return_type):
                _openers.add((state.func_id.func, tuple(state.args)))
        return False


def opens(function: Any) -> Any:
    """Mark an intrinsic whose result has no owner."""
    function.opens = True
    return function


def _owns(state: Any) -> bool:
    """Whether the function may hold a reference that it must give back, or returns one."""
    if _counted(state, state.return_type) and any(_counted(state, kind) for kind in state.args):
        return True
    return any(_makes(state, line) for block in state.func_ir.blocks.values() for line in block.body)


def _makes(state: Any, line: Any) -> bool:
    """Whether a line of the function makes something with an owner: an assignment to a slice may make a copy."""
    if isinstance(line, (ir.SetItem, ir.StaticSetItem)):
        return _counted(state, state.typemap[line.value.name])
    if not isinstance(line, ir.Assign) or not isinstance(line.value, ir.Expr):
        return isinstance(line, ir.Yield)
    value = line.value
    if not _counted(state, state.typemap[line.target.name]):
        return False
    if value.op == "call":
        return not _opens(state, value) and not isinstance(state.typemap[value.func.name], types.NamedTupleClass)
    return value.op not in PARTS or not _plain_index(state, value)


def _opens(state: Any, call: Any) -> bool:
    """Whether a call only opens an array at an address."""
    kind = state.typemap[call.func.name]
    if isinstance(kind, types.Dispatcher):
        return (kind.dispatcher.py_func, tuple(state.calltypes[call].args)) in _openers
    return isinstance(kind, types.Function) and getattr(kind.typing_key, "opens", False)


def _plain_index(state: Any, value: Any) -> bool:
    """Whether an index gives a view: numbers and slices do, arrays give a copy."""
    if value.op != "getitem":
        return True
    kind: Any = state.typemap[value.index.name]
    parts: Any = kind if isinstance(kind, types.BaseTuple) else (kind,)
    return all(isinstance(part, (types.Integer, types.SliceType, types.EllipsisType)) for part in parts)


def _counted(state: Any, kind: Any) -> bool:
    """Whether values of a type refer to something that is counted."""
    return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())
