"""The page of modes: one motion of many is played, chosen from a list."""

from __future__ import annotations

from typing import Any, NamedTuple

from cotree.system.system import System
from cotree.view.page.data import around_all, scene_data, still_data
from cotree.view.page.writing import filled, write_text
from cotree.view.scene import scene_of
from cotree.view.scene.frames import Frames, about
from cotree.view.scene.parts import numbers


class Played(NamedTuple):
    """A periodic motion with its name; parts: (size, phase [rad]) by coordinate."""

    name: str
    frames: Frames
    parts: dict[str, tuple[float, float]]


def write_modes_page(system: System, modes: list[Played], words: str, notes: list[str], path: Any) -> None:
    """Write an HTML page that plays periodic motions of one system."""
    write_text(filled(modes_data(system, modes, words, notes)), path)


def modes_data(system: System, modes: list[Played], words: str, notes: list[str]) -> dict[str, Any]:
    """Of the page; the first motion is the one that is shown at first."""
    origin = modes[0].frames.origin
    moved = [about(mode.frames, origin) for mode in modes]
    scenes = [scene_of(system, found) for found in moved]
    data = still_data(scenes[0], words)
    return data | {
        "view": around_all(scenes[0].view, [scene.view for scene in scenes[1:]]),
        "status": "modes",
        "notes": [*notes, *scenes[0].drawing.notes],
        "modes": [
            {"name": mode.name, "motion": scene_data(scene)["motion"], "parts": _parts(mode)}
            for mode, scene in zip(modes, scenes, strict=True)
        ],
    }


def _parts(mode: Played) -> list[list[Any]]:
    return [[name, *numbers([size, phase])] for name, (size, phase) in mode.parts.items()]
