"""Kernels behind function pointers.

Numba links a callee's code into each caller and optimizes it there again, so that a time loop that reaches everything
takes a minute to compile. An entry is compiled once, cached, and called by its address. All have one signature,
status = entry(record, t, q, v, w): a record that begins with `header_t`, a number, a vector of nq entries and two of nv; a
caller gives `NOTHING` for a vector that an entry does not look at.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cotree.engine.cache import is_compiled_elsewhere, lacks
from cotree.engine.interpreted import INTERPRETED, call_at, number_of
from cotree.engine.kernel import addressed, kernel
from cotree.engine.records import array_t, at_t, integers_at, opener, vector_at

SIGNATURE = types.int64(types.int64, types.float64, types.int64, types.int64, types.int64)
header_t = np.dtype([("here", at_t), ("nq", "i8"), ("nv", "i8")], align=True)  # own address, sizes of q and v
door_t = np.dtype([*((name, header_t[name]) for name in header_t.names or ()), ("scratch", array_t)], align=True)
NOTHING = np.empty(0)
ENTRIES: dict[int, Entry] = {}  # by address: all whose address was asked for


class Entry:
    """A function of the common signature; compiled when its address is first asked for."""

    signature = SIGNATURE
    scratch: int | None = None  # of doors: where in the record the address of memory for arrays is

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    @cached_property
    def kernel(self) -> Any:
        """Not compiled yet."""
        return addressed(self.function, self.signature)

    @cached_property
    def compiled(self) -> Any:
        self.kernel.compile()
        return self.kernel

    @cached_property
    def address(self) -> int:
        address = number_of(self.function) if INTERPRETED else int(self.compiled.address)
        ENTRIES[address] = self
        return address

    @property
    def symbol(self) -> str:
        """A name for linkers, the same in every process."""
        return re.sub(r"\W", "_", f"ct_{self.function.__module__}_{self.function.__qualname__}")

    def is_missing(self, _types: Any = None) -> bool:
        """Whether it has to be compiled, and can be stored."""
        return not INTERPRETED and "compiled" not in self.__dict__ and lacks(self.kernel._cache, self.kernel._sig)

    def is_awaited(self, _types: Any = None) -> bool:
        """Whether another process is at work on it."""
        return is_compiled_elsewhere(self.kernel._cache, self.kernel._sig)


def entry(record_t: np.dtype[np.void]) -> Any:
    """A kernel (record, t, q, v, w) to be called by address."""
    record_at = opener(record_t)

    def make(function: Any) -> Entry:
        inner = kernel(function)

        def outer(here, t, q_at, v_at, w_at):
            head = integers_at(here, 3)
            nq, nv = head[1], head[2]
            return inner(record_at(here), t, vector_at(q_at, nq), vector_at(v_at, nv), vector_at(w_at, nv))

        outer.__name__, outer.__qualname__ = function.__name__, function.__qualname__
        outer.__module__, outer.__doc__ = function.__module__, function.__doc__
        return Entry(outer)

    return make


def door(record_t: np.dtype[np.void]) -> Any:
    """An entry that is called from outside of all kernels, in code that needs no Python: its record begins with `door_t`, which
    says where memory is for arrays that kernels make for themselves."""
    inside = entry(record_t)

    def make(function: Any) -> Entry:
        new: Entry = inside(function)
        new.scratch = dict(door_t.fields or {})["scratch"][1]
        return new

    return make


def _call(context, address, problem, t, a, b, c):
    """Call what is at an address, with the common signature."""

    def generate(context, builder, signature, arguments):
        word, number = ir.IntType(64), ir.DoubleType()
        kind = ir.FunctionType(word, [word, number, word, word, word])
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(types.int64, *SIGNATURE.args), generate


raw_call: Any = intrinsic(_call)


@kernel
def call(address, here, t, q, v, w):
    """status of the entry at an address, for the record at `here`."""
    return raw_call(address, here, t, q.ctypes.data, v.ctypes.data, w.ctypes.data)


if INTERPRETED:
    call = call_at
