"""Entries made from user functions, compiled in memory: their dependencies are not known well enough to be cached on disk.

In memory they are kept: systems that are compiled again and again from one mechanism share the entry of their laws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import RLock
from typing import Any

import numpy as np
from numba import cfunc, njit
from numba.core.registry import CPUDispatcher

from cotree.engine.dependencies import code_inside
from cotree.engine.entry import SIGNATURE
from cotree.engine.records import integers_at, opener, vector_at

MOST = 64  # entries that are kept; what still uses a dropped one holds it

_lock = RLock()  # one thread compiles at a time in any case
_kept: dict[Any, UnstoredEntry | None] = {}  # the one asked for last comes last


class UnstoredEntry:
    """A function (record, t, q, v) behind the signature of entries; it must outlive those who may call it."""

    def __init__(self, record_t: np.dtype[np.void], function: Callable[..., int]) -> None:
        record_at, inner = opener(record_t), njit(error_model="numpy")(function)

        def outer(here: Any, t: Any, q_at: Any, v_at: Any, w_at: Any) -> Any:
            head = integers_at(here, 3)
            return inner(record_at(here), t, vector_at(q_at, head[1]), vector_at(v_at, head[2]))

        self._compiled = cfunc(SIGNATURE, error_model="numpy")(outer)

    @property
    def address(self) -> int:
        return int(self._compiled.address or 0)


def entry_of(
    record_t: np.dtype[np.void], source: str, names: dict[str, Any], given: dict[str, Any]
) -> UnstoredEntry | None:
    """The entry of the function `laws` that the source defines, with these names and with functions given by users; None where
    Numba cannot compile it. Made once for each source and each meaning of what is given."""
    key = record_t, source, tuple((name, meaning_of(function)) for name, function in given.items())
    with _lock:
        entry = _kept.pop(key) if key in _kept else _make(record_t, source, names | given)
        _kept[key] = entry
        if len(_kept) > MOST:
            del _kept[next(iter(_kept))]
    return entry


def _make(record_t: np.dtype[np.void], source: str, names: dict[str, Any]) -> UnstoredEntry | None:
    exec(compile(source, "<laws>", "exec"), names)
    try:
        return UnstoredEntry(record_t, names["laws"])
    except Exception:  # what Numba cannot compile in this way is called through Python, and raises there what it has to
        return None


def meaning_of(function: Any) -> Any:
    """What is equal for two compiled functions only if they compute the same. For one that refers to nothing but its arguments,
    `math` and NumPy that is its code, so that a function written inside of another one is compiled once; for all others it
    is the function itself: Numba keeps the values of variables as they were when it compiled the function."""
    if not isinstance(function, CPUDispatcher) or not getattr(function, "_can_compile", False):
        return function
    plain, around = function.py_func, function.py_func.__globals__
    outside = (around.get(name, np) for code in code_inside(plain.__code__) for name in code.co_names)
    if plain.__closure__ or plain.__defaults__ or any(x is not np and x is not math for x in outside):
        return function
    return plain.__code__, repr(sorted(map(repr, function.targetoptions.items())))
