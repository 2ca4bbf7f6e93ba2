"""A run in the browser, with its certificate, events and plots."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cotree.view.live.curves import Curves, add_plots
from cotree.view.live.panels import add_marks, add_words
from cotree.view.live.player import Player
from cotree.view.scene import scene_of
from cotree.view.scene.frames import frames, notes
from cotree.view.scene.marks import marks

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

MARK_TICK = 0.2  # seconds between moves of the markers in plots


class RunViewer(Player):
    """Live view of a run. `time` [s] is the displayed time and can be set; `play()`, `pause()`, `playing`."""

    def __init__(self, run: Run, host: str = "127.0.0.1", port: int | None = None) -> None:
        super().__init__(scene_of(run.system, frames(run)), host, port)
        self._marked, self._plots = 0.0, list[Curves]()
        found = marks(run)
        self._controls([mark["t"] for mark in found])
        add_marks(self.server.gui, found, self._jump)
        words = [str(run), *notes(run, self.frames), *self.stage.scene.drawing.notes]
        add_words(self.server.gui, "Certificate", "\n".join(words))
        self._plots = add_plots(self.server.gui, run)
        self._begin()

    def _moved(self, t: float) -> None:
        now = time.perf_counter()
        if not self.playing or now - self._marked > MARK_TICK:
            self._marked = now
            for plot in self._plots:
                plot.at(t)
