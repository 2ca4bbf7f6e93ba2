"""Parts of Numba that are slow and need not be, for the time in which kernels are compiled.

Each does what Numba's own does. Measured on the kernels of a first simulation: to list the variables of an instruction took
a tenth of the time, the names of record types, written anew for each pass over each function, and the notices around each call
of LLVM a twentieth.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import ffi
from numba.core import ir, types

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


REPLACED: dict[tuple[Any, str], Any] = {
    (ir.Inst, "_rec_list_vars"): variables_in,
    (types.Record, "__repr__"): name_of_record,
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
