"""A bar on compiling that takes longer than a second: how many kernels of how many.

What has to be compiled is known in advance, by following names (`dependencies`): all that the function reaches and that has
not been compiled in this process. Functions that follow soon after one another share one bar.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from cotree.engine.dependencies import reached_by
from cotree.engine.watched import watched

PATIENCE = 1.0  # seconds
PAUSE = 2.0  # seconds after which another bar is begun

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> None:
    """Have a function called with the name of each kernel that has been compiled."""
    _listeners.append(listener)


def name_of(function: FunctionType) -> str:
    return f"{function.__module__}.{function.__qualname__}"


class Bar:
    """Names of kernels that are to be compiled, and of those that have been."""

    def __init__(self) -> None:
        self.wanted: set[str] = set()
        self.done: set[str] = set()
        self.begun = self.ended = 0.0
        self.depth = 0
        self.hidden = False  # whatever anybody looks at
        self.shown: Any = None

    @contextmanager
    def over(self, *functions: FunctionType) -> Iterator[None]:
        """While these functions are compiled."""
        self._begin(functions)
        try:
            yield
        finally:
            self._end(functions)

    def finished(self, name: str) -> None:
        """A kernel has been compiled, here or by a helper."""
        for listener in _listeners:
            listener(name)
        self.done.add(name)
        self._show()

    def _begin(self, functions: tuple[FunctionType, ...]) -> None:
        now = time.perf_counter()
        if not self.depth and now - self.ended > PAUSE:
            self.begun, self.wanted = now, set()
        self.depth += 1
        self.wanted.update(
            name_of(f) for function in functions for f in reached_by(function) if name_of(f) not in self.done
        )

    def _end(self, functions: tuple[FunctionType, ...]) -> None:
        self.depth, self.ended = self.depth - 1, time.perf_counter()
        for function in functions:
            self.done.update(map(name_of, reached_by(function)))  # also what is not compiled by itself
        if not self.depth and self.shown is not None:
            self._show()
            self.shown.close()
            self.shown = None

    def _show(self) -> None:
        if not self.depth or self.hidden or time.perf_counter() - self.begun < PATIENCE or not watched():
            return
        if self.shown is None:
            from tqdm.auto import tqdm

            shape = "{desc}: {percentage:3.0f}%|{bar}| {n}/{total} [{elapsed}]"
            self.shown = tqdm(total=1, desc="compiling, once per machine", bar_format=shape, leave=False)
        self.shown.total = len(self.wanted)
        self.shown.n = len(self.wanted & self.done)
        self.shown.refresh()


bar = Bar()
