"""Kernels behind function pointers that go through a part of a table: what kinds of rows and of forces are made of.

The author of a kind writes a function of one row of the kind's own table; here it becomes a loop that is compiled once, stored,
and called by its address, status = span(here, table, base, first, last, m, a, b): the record that the sweep is opened from,
where the table lies, the number from which its rows count, the part of it that is asked for, and where a matrix with three
columns and two vectors lie. Their lengths are not known here and not needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cotree.engine.entry import Entry
from cotree.engine.interpreted import INTERPRETED, call_span_at
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix_at, rows_at, vector_at

SIGNATURE = types.int64(*(types.int64,) * 8)
MANY = 1 << 40  # entries of an array whose length is not needed


class Span(Entry):
    """A loop over a part of a table; `kernel_of_row` is what it does for one row."""

    signature = SIGNATURE

    def __init__(self, function: Any, kernel_of_row: Any) -> None:
        super().__init__(function)
        self.kernel_of_row = kernel_of_row


def span(table_t: np.dtype[np.void], open_sweep: Any, shape: str) -> Callable[[Any], Span]:
    """Decorator for a kernel of one row x; shape describes its arguments and what is done with its result.

    "put": f(x, base, s, m, a, b), nothing; "judge": f(x, base, s), a status, of which the first that is not zero is returned
    as 1 + the row; "move": f(x, base, s), nothing; "add": f(x, base, s, m, a), numbers that are added to b.
    """
    return span_over(rows_at(table_t), open_sweep, shape, matrix_at, vector_at)


def span_over(
    opened: Any, open_sweep: Any, shape: str, matrix: Any, vector: Any, ending: str = ""
) -> Callable[[Any], Span]:
    """Decorator for a kernel of one row, with all that it opens arrays by; ending: of the name under which code is stored."""
    make = _SHAPES[shape]

    def decorate(function: Any) -> Span:
        inner = function if hasattr(function, "py_func") else kernel(function)
        told = getattr(function, "py_func", function)
        outer = make(inner, opened, open_sweep, matrix, vector)
        for name in ("__module__", "__doc__"):
            setattr(outer, name, getattr(told, name))
        outer.__name__, outer.__qualname__ = told.__name__ + ending, told.__qualname__ + ending
        return Span(outer, inner)

    return decorate


def _put(inner: Any, opened: Any, open_sweep: Any, matrix: Any, vector: Any) -> Any:
    def outer(here, table, base, first, last, m, a, b):
        rows, sweep = opened(table, last), open_sweep(here)
        x, y, z = matrix(m, MANY, 3), vector(a, MANY), vector(b, MANY)
        for k in range(first, last):
            inner(rows[k], base, sweep, x, y, z)
        return 0

    return outer


def _judge(inner: Any, opened: Any, open_sweep: Any, matrix: Any, vector: Any) -> Any:
    def outer(here, table, base, first, last, m, a, b):
        rows, sweep, status = opened(table, last), open_sweep(here), 0
        for k in range(first, last):
            if inner(rows[k], base, sweep) != 0 and status == 0:
                status = k + 1
        return status

    return outer


def _move(inner: Any, opened: Any, open_sweep: Any, matrix: Any, vector: Any) -> Any:
    def outer(here, table, base, first, last, m, a, b):
        rows, sweep = opened(table, last), open_sweep(here)
        for k in range(first, last):
            inner(rows[k], base, sweep)
        return 0

    return outer


def _add(inner: Any, opened: Any, open_sweep: Any, matrix: Any, vector: Any) -> Any:
    def outer(here, table, base, first, last, m, a, b):
        rows, sweep = opened(table, last), open_sweep(here)
        x, y, sums = matrix(m, MANY, 3), vector(a, MANY), vector(b, MANY)
        for k in range(first, last):
            given = inner(rows[k], base, sweep, x, y)
            for i in range(len(given)):
                sums[i] += given[i]
        return 0

    return outer


_SHAPES = {"put": _put, "judge": _judge, "move": _move, "add": _add}


def _call(context, address, here, table, base, first, last, m, a, b):
    """Call the span at an address."""

    def generate(context, builder, signature, arguments):
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word] * 8)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(types.int64, *SIGNATURE.args), generate


raw_span: Any = intrinsic(_call)


@kernel
def call_span(address, here, table, base, first, last, m, a, b):
    """status of the span at an address; `table`: its field, m, a, b: arrays."""
    return raw_span(address, here, table.at, base, first, last, m.ctypes.data, a.ctypes.data, b.ctypes.data)


if INTERPRETED:
    call_span = call_span_at
