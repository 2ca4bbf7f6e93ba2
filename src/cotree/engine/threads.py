"""Whether kernels may run on Numba's threads.

Threads do not survive a fork, and GNU's OpenMP ends a process that goes on to use them: there all kernels run alone. Numba's
own layer of threads, "workqueue", does not bear two callers at once: there only the main thread has kernels that use it.
"""

from __future__ import annotations

import os
import threading

import numba

_left_behind = False  # whether this process was forked from one in which Numba's threads had been started


def layer() -> str | None:
    """Name of Numba's layer of threads; None before the first use."""
    try:
        return str(numba.threading_layer())  # type: ignore[attr-defined]
    except ValueError:
        return None


def _after_fork() -> None:
    global _left_behind
    _left_behind = _left_behind or layer() is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def may_run_together() -> bool:
    """Whether a kernel on Numba's threads may be called, here and now."""
    if _left_behind:
        return False
    return layer() != "workqueue" or threading.current_thread() is threading.main_thread()
