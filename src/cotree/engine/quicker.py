"""Parts of Numba that are slow and need not be, for the time in which kernels are compiled.

Each does what Numba's own does. Measured on the kernels of a first simulation: to list the variables of an instruction took
a tenth of the time, the names of record types, written anew for each pass over each function, and the notices around each call
of LLVM a twentieth; so did the search for new registrations before each function, what an operator does with numbers, found
anew for each of them, and lists of live variables that only generators need.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from llvmlite.binding import ffi
from numba.core import ir, types
from numba.core.base import BaseContext
from numba.core.cpu import CPUContext
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.transforms import canonicalize_cfg
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import Context

_leaves: set[type] = set()  # kinds of values in which there are no variables
_repr = types.Record.__repr__


def variables_in(instruction: Any, value: Any) -> list[Any]:
    """In the place of `ir.Inst._rec_list_vars`: the variables in a part of an instruction, in order."""
    found: list[Any] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Any]) -> None:
    kind = type(value)
    if kind in _leaves:
        return
    if kind is ir.Var:
        found.append(value)
    elif kind is dict:
        for part in value.values():
            _collect(part, found)
    elif kind is list or kind is tuple:
        for part in value:
            _collect(part, found)
    elif isinstance(value, ir.Inst):
        found.extend(value.list_vars())
    elif isinstance(value, (ir.Var, list, tuple, dict)):
        found.extend(_list_vars(value, value))  # type: ignore[arg-type]
    else:
        _leaves.add(kind)


_list_vars = ir.Inst._rec_list_vars


def name_of_record(kind: Any) -> str:
    """In the place of `types.Record.__repr__`: written once for each type."""
    name = kind.__dict__.get("_written")
    if name is None:
        name = kind._written = _repr(kind)
    return str(name)


_NUMBERS = (types.Integer, types.IntegerLiteral, types.Float, types.Boolean, types.BooleanLiteral)
_OPERATORS = {getattr(operator, name) for name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "neg", "lt", "le", "gt", "ge", "eq", "ne", "iadd", "isub", "imul",
    "itruediv", "not_", "and_", "or_",
)}  # fmt: skip
_operations: dict[tuple[Any, ...], tuple[Any, Any]] = {}  # by operator and types: signature, key of the implementation
_call_type = BaseFunction.get_call_type


def call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """In the place of `BaseFunction.get_call_type`: what an operator does with numbers is found once."""
    if function.typing_key not in _OPERATORS or kws or not all(type(a) in _NUMBERS for a in args):
        return _call_type(function, context, args, kws)
    key = context, function.typing_key, args
    if key not in _operations:
        found = _call_type(function, context, args, kws)
        _operations[key] = found, function.get_impl_key(found)
    signature, function._impl_keys[signature.args] = _operations[key]
    return signature


def post_process(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """In the place of `PostProcessor.run`: which variables live at the beginning of a block is used in generators alone."""
    f = self.func_ir
    if f.is_generator:
        _post_process(self, emit_dels, extend_lifetimes)
        return
    f.blocks = canonicalize_cfg(f.blocks)
    f.variable_lifetime, f.generator_info = VariableLifetime(f.blocks), None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


_post_process = PostProcessor.run


def _refreshing(refresh: Any) -> Any:
    """In the place of `refresh` of a context: nothing is looked through where nothing has been registered since."""

    def refresh_if_new(context: Any) -> None:
        if context.__dict__.get("_registered") != registered(context):
            refresh(context)
            context._registered = registered(context)

    return refresh_if_new


def registered(context: Any) -> int:
    """How many declarations and implementations there are for a context, and for that of its types."""
    registries = chain(context._registries, getattr(context, "typing_context", context)._registries)
    return sum(len(items) for registry in registries for items in vars(registry).values() if type(items) is list)


_sizes: dict[tuple[str, str], int] = {}


def size_of(context: Any, kind: Any) -> int:
    """In the place of `BaseContext.get_abi_sizeof`, which lets LLVM read a module with a variable of the type each time. Types
    with names of their own may mean something else in another module."""
    written = str(kind)
    if "%" in written:
        return int(_size_of(context, kind))
    key = written, str(context.target_data)
    if key not in _sizes:
        _sizes[key] = _size_of(context, kind)
    return _sizes[key]


_size_of = BaseContext.get_abi_sizeof


REPLACED: dict[tuple[Any, str], Any] = {
    (ir.Inst, "_rec_list_vars"): variables_in,
    (types.Record, "__repr__"): name_of_record,
    (BaseFunction, "get_call_type"): call_type,
    (PostProcessor, "run"): post_process,
    (CPUContext, "refresh"): _refreshing(CPUContext.refresh),
    (Context, "refresh"): _refreshing(Context.refresh),
    (CPUContext, "get_abi_sizeof"): size_of,
}


@contextmanager
def without_notices() -> Iterator[None]:
    """While this lasts, no notice is given of each call of LLVM."""
    lock = ffi.lib._lock
    kept, lock._cblist = lock._cblist, []
    try:
        yield
    finally:
        lock._cblist = kept
