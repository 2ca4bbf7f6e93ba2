"""What the tabs of the studio's panel share: words, buttons, and the way to the bench."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cotree.studio.bench import Bench
from cotree.view.live.stage import sendable

if TYPE_CHECKING:
    from cotree.studio.studio import Studio

NOTHING = "(none)"
STYLE = "padding: 0 0.8em 0.4em; white-space: pre-wrap; overflow-wrap: anywhere"
FONTS = {False: "13px/1.45 sans-serif", True: "12px/1.45 ui-monospace, monospace"}


def words_in_html(words: str, wrong: bool = False, table: bool = False) -> str:
    """Lines as they are, as text that cannot be markup; table: with letters of one width."""
    colour = "color: #d02020;" if wrong else ""
    return f'<div style="{STYLE}; font: {FONTS[table]}; {colour}">{html.escape(sendable(words))}</div>'


class Tab:
    """Base of the tabs."""

    studio: Studio
    gui: Any

    @property
    def bench(self) -> Bench:
        return self.studio.bench

    def words(self, text: str = "", table: bool = False) -> Any:
        """A place for words."""
        return self.gui.add_html(words_in_html(text, table=table))

    def button(self, label: str, action: Callable[[Any], Any], hint: str = "") -> Any:
        """What it does is done one at a time, and what is wrong about it is shown."""
        made = self.gui.add_button(label, hint=hint or None)
        made.on_click(lambda event: self.studio.attempt(lambda: action(event)))
        return made

    def asked(self, widget: Any, action: Callable[[], Any]) -> None:
        """Act when a person, not this program, changes a widget."""

        def changed(event: Any) -> None:
            if event.client is not None:
                self.studio.attempt(action)

        widget.on_update(changed)
