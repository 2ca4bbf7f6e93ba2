"""A mechanism as nested bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cotree.model.mechanism import Connection

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """A joint that leads to a body; backward: described from the outer body to the inner. frame: its own, in the world."""

    joint: Connection
    frame: Array
    inner: str
    outer: str
    backward: bool


@dataclass
class Node:
    """A body as written: the joints that lead to it from its parent, welds left out, and the bodies that are attached to it."""

    body: str
    steps: list[Step]
    inside: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Layout:
    """root: ground; closing: joints with their frames on parent and child in the world; frames: of the bodies' data."""

    root: Node
    closing: list[tuple[Connection, Array, Array]]
    frames: dict[str, Array]

    @property
    def steps(self) -> dict[str, Step]:
        """By the joints' names."""
        return {step.joint.name: step for node in preorder(self.root) for step in node.steps}


def preorder(node: Node) -> list[Node]:
    """A body, and all that is attached to it, as they are written."""
    found, waiting = list[Node](), [node]
    while waiting:
        found.append(waiting.pop())
        waiting += reversed(found[-1].inside)
    return found
