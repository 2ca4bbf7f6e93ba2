"""A Python function behind the signature of entries, for compiled code to call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

_WORD, _NUMBER = ctypes.c_int64, ctypes.c_double
_SIGNATURE = ctypes.CFUNCTYPE(_WORD, _WORD, _NUMBER, _WORD, _WORD, _WORD)  # as `entry.SIGNATURE`


class PythonEntry:
    """function(word, t, *vectors): a word in place of a record. It must outlive those who may call it.

    What it returns must not be looked at: where an exception leaves the function, ctypes leaves the return value unwritten."""

    def __init__(self, function: Callable[..., int]) -> None:
        self._function = _SIGNATURE(function)

    @property
    def address(self) -> int:
        return ctypes.cast(self._function, ctypes.c_void_p).value or 0
