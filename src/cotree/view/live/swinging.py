"""Modes in the browser: one of them plays, chosen from a list."""

from __future__ import annotations

from typing import Any

from cotree.errors import UnknownNameError
from cotree.model.checks import shown
from cotree.system.system import System
from cotree.view.live.panels import add_words
from cotree.view.live.player import Player
from cotree.view.live.stage import sendable
from cotree.view.page.modes import Played
from cotree.view.scene import scene_of
from cotree.view.scene.frames import about


class ModesViewer(Player):
    """Live view of modes. `mode` is the number of the one that plays, from 0 on, and can be set; `modes`: their names."""

    def __init__(
        self, system: System, modes: list[Played], words: str, host: str = "127.0.0.1", port: int | None = None
    ) -> None:
        self._motions = [about(mode.frames, modes[0].frames.origin) for mode in modes]
        self.modes, self._mode = tuple(mode.name for mode in modes), 0
        super().__init__(scene_of(system, self._motions[0]), host, port)
        labels = tuple(sendable(name) for name in self.modes)
        with self.server.gui.add_folder("Modes"):
            self.choice = self.server.gui.add_dropdown("mode", labels)
        self.choice.on_update(lambda event: self._chosen(event, labels))
        self._controls([])
        add_words(self.server.gui, "Linearization", "\n".join([words, *self.modes, *self.stage.scene.drawing.notes]))
        self._begin()

    def _chosen(self, event: Any, labels: tuple[str, ...]) -> None:
        if event.client is not None and event.target.value in labels:  # otherwise this program has set it
            self.mode = labels.index(event.target.value)

    @property
    def mode(self) -> int:
        return self._mode

    @mode.setter
    def mode(self, k: int) -> None:
        if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k < len(self.modes):
            raise UnknownNameError(f"mode is {shown(k)}; give a number from 0 to {len(self.modes) - 1}")
        with self._lock:
            self._mode, self.frames = k, self._motions[k]
            self.choice.value = sendable(self.modes[k])
            self._go(self._time)
