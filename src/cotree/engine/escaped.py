"""Exceptions that leave a callback before its first line or behind its last: ctypes hands them to `sys.unraisablehook`, which
prints them. They come from handlers of signals, from a full stack, from other threads. Here they are kept instead."""

from __future__ import annotations

import sys
import threading
from typing import Any

_local = threading.local()
_lock = threading.Lock()
_users = 0  # threads that keep them now
_before: Any = sys.__unraisablehook__


class Kept:
    """Keeps what escapes from callbacks in this thread; for a `with` statement."""

    def __init__(self) -> None:
        self.outer: list[BaseException] | None = None

    def __enter__(self) -> Kept:
        global _users, _before
        with _lock:
            if _users == 0 and sys.unraisablehook is not _hook:
                _before, sys.unraisablehook = sys.unraisablehook, _hook
            _users += 1
        self.outer, _local.found = getattr(_local, "found", None), []
        return self

    def __exit__(self, *_: object) -> None:
        global _users
        _local.found = self.outer
        with _lock:
            _users -= 1
            if _users == 0 and sys.unraisablehook is _hook:
                sys.unraisablehook = _before


def taken() -> BaseException | None:
    """The first exception that has escaped since last asked."""
    found = getattr(_local, "found", None)
    if not found:
        return None
    error: BaseException = found[0]
    found.clear()
    return error


def _hook(given: Any) -> None:
    found = getattr(_local, "found", None)
    if found is not None and "ctypes callback" in (given.err_msg or ""):
        found.append(given.exc_value if given.exc_value is not None else given.exc_type())
    else:
        _before(given)
