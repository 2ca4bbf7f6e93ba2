"""A bar that counts points, on sweeps that take longer than a second and are watched."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import Any

from cotree.engine.watched import watched

PATIENCE = 1.0  # seconds


class Count(AbstractContextManager["Count"]):
    """Counts points that are done, and those that failed; `show` None: only on a terminal or in a notebook."""

    def __init__(self, show: bool | None, total: int, done: int) -> None:
        self.wanted = watched() if show is None else show
        self.total, self.done, self.failed = total, done, 0
        self.begun = time.perf_counter()
        self.bar: Any = None

    def add(self, done: int, failed: int) -> None:
        """So many more points."""
        self.done, self.failed = self.done + done, self.failed + failed
        if not self.wanted or (self.bar is None and time.perf_counter() - self.begun < PATIENCE):
            return
        if self.bar is None:
            from tqdm.auto import tqdm

            self.bar = tqdm(total=self.total, desc="sweep", unit="point", initial=self.done - done)
        if self.failed:
            self.bar.set_postfix_str(f"{self.failed} failed")
        self.bar.update(self.done - self.bar.n)

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()
