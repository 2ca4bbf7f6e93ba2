"""The panel beside the picture: what a person can do in the studio, in tabs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from cotree.studio.model_tab import ModelTab
from cotree.studio.plot_tab import PlotTab
from cotree.studio.run_tab import RunTab
from cotree.studio.set_tab import SetTab
from cotree.studio.tab import words_in_html

if TYPE_CHECKING:
    from cotree.studio.studio import Studio


class Panels(ModelTab, SetTab, RunTab, PlotTab):
    """Tabs Model, Set, Run, Plot, Modes, Save; made anew for each mechanism."""

    tabs: Any

    def __init__(self, studio: Studio) -> None:
        self.studio, self.gui = studio, studio.server.gui
        self.message = self.gui.add_html(words_in_html(""), visible=False)
        self.said, self.tabs = "", None  # the message; made by `build`
        self.stopping = threading.Event()
        self.switches = {}
        self.build()

    def build(self) -> None:
        if self.tabs is not None:
            self.tabs.remove()
        self.modes, self.plot = None, None
        self.tabs = self.gui.add_tab_group()
        for name, fill in (
            ("Model", self._model), ("Set", self._set), ("Run", self._run), ("Plot", self._plot), ("Modes", self._modes),
            ("Save", self._save),
        ):  # fmt: skip
            with self.tabs.add_tab(name):
                fill()

    def say(self, words: str, wrong: bool = False) -> None:
        """A message above the tabs; none if it is empty."""
        self.said = words
        self.message.content, self.message.visible = words_in_html(words, wrong), bool(words)
