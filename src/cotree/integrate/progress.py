"""A progress bar on anything that takes longer than a second, where somebody can see it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from cotree.engine.watched import watched
from cotree.model.calls import blame

PATIENCE = 1.0  # seconds
Shown = bool | Callable[[float], Any] | None  # whether, or by which function, progress is shown


class Progress:
    """Shows how far a run has come; `show` None: only on a terminal or in a notebook; a function is called with the time."""

    def __init__(self, show: Shown, start: float, end: float, what: str) -> None:
        self.call = show if callable(show) else None
        self.wanted = watched() if show is None else bool(show)
        self.start, self.end, self.what = start, end, what
        self.begun = time.perf_counter()
        self.bar: Any = None

    def at(self, t: float) -> None:
        """The run has come to time t."""
        if self.call is not None:
            try:
                self.call(t)
            except Exception as error:
                blame(error, "the function progress=", t)
                raise
            return
        if not self.wanted or (self.bar is None and time.perf_counter() - self.begun < PATIENCE):
            return
        if self.bar is None:
            from tqdm.auto import tqdm

            shape = "{desc}: {percentage:3.0f}%|{bar}| {n:.3g}/{total:.3g} s [{elapsed}<{remaining}]"
            self.bar = tqdm(total=self.end - self.start, desc=self.what or "simulating", bar_format=shape)
        self.bar.update(t - self.start - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
