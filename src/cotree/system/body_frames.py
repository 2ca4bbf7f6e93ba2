"""Where the bodies are in the reference assembly: what forces and constraints are placed by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Places:
    """Frames of the bodies' data, (n, 4, 4) about the system's origin, and their links, by the bodies' rows."""

    rows: dict[str, int]
    frames: Array
    links: NDArray[np.int64]

    def link(self, body: str) -> int:
        return int(self.links[self.rows[body]])

    def axes(self, body: str) -> Array:
        return self.frames[self.rows[body], :3, :3]

    def point(self, body: str, x: Array) -> Array:
        return self.axes(body) @ x + self.frames[self.rows[body], :3, 3]

    def direction(self, body: str, e: Array) -> Array:
        return self.axes(body) @ e


def first_places(names: tuple[str, ...]) -> dict[str, int]:
    """Place of each name, the first if it is there twice."""
    return {name: k for k, name in reversed(list(enumerate(names)))}
