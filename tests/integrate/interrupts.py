"""Signals at chosen places: in a function, before the first line of the callback, between phases."""

import signal
import sys
from contextlib import contextmanager

import numpy as np

from cotree.formulations.callback import Callback


def press():
    """Ctrl-C; its handler runs at once in this thread."""
    signal.raise_signal(signal.SIGINT)


class At:
    """A function that does something at its n-th call, or counts only; returns what the function inside returns."""

    def __init__(self, function, n=0, act=press):
        self.function, self.n, self.act, self.calls = function, n, act, 0

    def __call__(self, *arguments, **words):
        self.calls += 1
        if self.calls == self.n:
            self.act()
        return self.function(*arguments, **words)


@contextmanager
def before_the_callback(n, act):
    """Do something at the entry of the n-th call from compiled code, before its first line, where signals that came in
    compiled code are handled."""
    code, calls, before = Callback._answer.__code__, 0, sys.gettrace()

    def tracer(frame, event, _):
        nonlocal calls
        if frame.f_code is code and event == "call":
            calls += 1
            if calls == n:
                act()

    sys.settrace(tracer)
    try:
        yield
    finally:
        sys.settrace(before)


def is_beginning(run, whole):
    """Whether a run is, bit for bit, the beginning of another."""
    n = len(run.t)
    return 0 < n <= len(whole.t) and all(
        np.array_equal(a, b[:n])
        for a, b in ((run.t, whole.t), (run.q, whole.q), (run.v, whole.v), (run.work, whole.work))
    )
