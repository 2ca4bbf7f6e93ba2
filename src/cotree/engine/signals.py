"""Ctrl-C while compiled code runs: kept until a place where an exception is heard and no work is lost.

Python runs a signal's handler between any two instructions of the main thread. An exception that the handler raises there is
lost when that is the first instruction of a callback (ctypes prints and drops it), and elsewhere it can tear up what belongs
together. A `Hold` therefore keeps Ctrl-C for later: `deliver` calls the handler where the run can end in good order. Within
the user's own functions, and while code is being compiled, it is called at once; so it is by a second Ctrl-C.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

PATIENCE = 1.0  # seconds after which another Ctrl-C is not kept any more

_local = threading.local()


def current() -> Hold | None:
    """The hold of this thread."""
    return getattr(_local, "hold", None)


def deliver() -> None:
    """Call the handler for what has been kept in this thread, if anything has."""
    hold = current()
    if hold is not None:
        hold.deliver()


def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a user function returns; Ctrl-C is not kept meanwhile."""
    hold = current()
    if hold is None or hold.open:
        return function(*arguments)
    try:
        hold.open = True
        hold.deliver()
        return function(*arguments)
    finally:
        hold.open = False


class Hold:
    """Keeps SIGINT from the handler that is installed; for a `with` statement. Only the main thread gets signals."""

    def __init__(self) -> None:
        self.waiting, self.since = 0, 0.0
        self.open = False  # whether an exception may be raised wherever the program is
        self.handler: Any = None
        self.outer: Hold | None = None  # of a run, in a function of which this one is made

    def __enter__(self) -> Hold:
        self.outer, _local.hold = current(), self
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self.handler = handler
            signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        _local.hold = self.outer
        if self.handler is not None and signal.getsignal(signal.SIGINT) == self._heard:
            signal.signal(signal.SIGINT, self.handler)
        self.deliver()  # what came while another exception was on its way

    def _heard(self, number: int, frame: FrameType | None) -> None:
        late = self.waiting > 0 and time.monotonic() - self.since > PATIENCE
        if self.open or late or global_compiler_lock.is_locked():
            self.handler(number, frame)
            return
        self.since = self.since if self.waiting else time.monotonic()
        self.waiting += 1

    def deliver(self) -> None:
        """Call the handler once, however often Ctrl-C came; it raises KeyboardInterrupt as a rule."""
        if self.waiting:
            self.waiting = 0
            self.handler(signal.SIGINT, sys._getframe())
