"""Parts of the panel next to a live view. Names are sent to the browser as text, escaped in HTML."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import numpy as np

from cotree.view.live.stage import AT_FIRST, KINDS, Stage, sendable

FEW = 8  # marks with a button each; more share a list
WORDS = 44  # characters on a button


def add_words(gui: Any, title: str, words: str) -> Any:
    """Preformatted lines, wrapped where too long."""
    style = "font: 11px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 0.8em 0.6em"
    with gui.add_folder(title):
        return gui.add_html(f'<div style="{style}">{html.escape(sendable(words))}</div>')


def add_switches(gui: Any, stage: Stage) -> None:
    """One check box per kind of object."""
    with gui.add_folder("Show", expand_by_default=False):
        for kind in KINDS:
            if stage.shown[kind]:
                box = gui.add_checkbox(kind, kind in AT_FIRST)
                box.on_update(lambda event, kind=kind: stage.show(kind, event.target.value))


def add_marks(gui: Any, marks: list[dict[str, Any]], jump: Callable[[float], None]) -> None:
    """Buttons that jump to events, or a list if there are many."""
    if not marks:
        return
    words = [shortened(f"{k}. {mark['t']:.4g} s: {mark['text']}") for k, mark in enumerate(marks, start=1)]
    with gui.add_folder("Events"):
        if len(marks) <= FEW:
            for word, mark in zip(words, marks, strict=True):
                gui.add_button(word, hint=sendable(mark["text"])).on_click(lambda _, t=mark["t"]: jump(t))
            return
        choice = gui.add_dropdown("jump to", words)
        choice.on_update(lambda event: jump(marks[words.index(event.target.value)]["t"]))
        step = gui.add_button_group("", ("previous", "next"))

        def go(event: Any) -> None:
            k = words.index(choice.value) + (1 if event.target.value == "next" else -1)
            choice.value = words[int(np.clip(k, 0, len(words) - 1))]  # which triggers the jump

        step.on_click(go)


def shortened(text: str) -> str:
    return sendable(text if len(text) <= WORDS else f"{text[: WORDS - 1]}…")
