"""Kernels as plain Python: with COTREE_INTERPRETED=1 in the environment nothing is compiled.

Slow, but a debugger can step into everything, and a change of one line costs no compilation: `tools/mutants.py` runs so. Arrays
and records at an address are opened as views of the same memory; entries are found by a number in place of their address.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

SWITCH = "COTREE_INTERPRETED"
INTERPRETED = os.environ.get(SWITCH, "") not in ("", "0")

_WORD, _NUMBER = ctypes.c_int64, ctypes.c_double
_SIGNATURE = ctypes.CFUNCTYPE(_WORD, _WORD, _NUMBER, _WORD, _WORD, _WORD)
_entries: list[Callable[..., int]] = []  # by their numbers, from 1 on: addresses of functions of others are much larger


class Row(np.record):  # type: ignore[misc]
    """A record; fields come before NumPy's attributes of the same name."""

    base = property(lambda self: self["base"])
    size = property(lambda self: self["size"])


def plain(function: Any) -> Any:
    """The function itself, with what is asked of a kernel; tables that Python passes are opened for it."""

    @wraps(function)
    def opened(*given: Any) -> Any:
        return function(*map(_opened, given))

    opened.py_func = function  # type: ignore[attr-defined]
    opened.is_missing = lambda types=None: False  # type: ignore[attr-defined]
    return opened


def _opened(given: Any) -> Any:
    """A table or record by whose fields one can ask; all else as it is."""
    if type(given) in (np.ndarray, np.void) and given.dtype.names and given.dtype.type is not Row:
        return given.view(np.dtype((Row, given.dtype)))
    return given


def view_at(address: int, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array of so many entries at an address."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size == 0:
        return np.empty(shape, dtype)
    found = np.frombuffer((ctypes.c_char * size).from_address(int(address)), dtype).reshape(shape)
    return _opened(found)


def number_of(function: Callable[..., int]) -> int:
    """What stands for the address of an entry."""
    _entries.append(function)
    return len(_entries)


def call_at(address: int, here: int, t: float, q: Any, v: Any, w: Any) -> int:
    """Call an entry, or whatever has the signature of entries at an address."""
    function = _entries[address - 1] if address <= len(_entries) else _SIGNATURE(int(address))
    return function(int(here), float(t), q.ctypes.data, v.ctypes.data, w.ctypes.data)


def call_span_at(address: int, here: int, table: Any, base: int, first: int, last: int, m: Any, a: Any, b: Any) -> int:
    """Call a span by what stands for its address."""
    vectors = (x.ctypes.data for x in (m, a, b))
    return _entries[address - 1](int(here), int(table.at), int(base), int(first), int(last), *vectors)
