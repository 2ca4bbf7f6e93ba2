"""Assembly plans: in which order divide and conquer puts a mechanism together (METHODS: O-DCA, general topology).

Bodies are the leaves of a binary forest, merges its other nodes. A joint (an edge; a coupling is an edge between three
bodies and more) is imposed at the lowest node that holds all its bodies. Bodies with joints yet to come are kept as
handles. Work at a node is cubic in the dimensions of its handles, and nodes of the same height are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown
from cotree.topology.breadth import breadth_first
from cotree.topology.contraction import contract
from cotree.topology.postorder import imposing_nodes, kept_handles, renumbered, rows

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Plan(Shown):
    """Nodes in postorder: left part, right part, merge; the nodes below node i are first[i] to i - 1.

    body: vertex of a leaf, -1 for a merge. left, right: parts of a merge, -1 for a leaf. parent: -1 for a root.
    height: 0 for a leaf, otherwise one more than the higher part. imposed[imposed_start[i]:imposed_start[i + 1]]:
    edges imposed at node i; handles likewise: vertices kept after node i; width: the sum of their dimensions.
    """

    body: Indices
    left: Indices
    right: Indices
    parent: Indices
    height: Indices
    first: Indices
    imposed_start: Indices
    imposed: Indices
    handles_start: Indices
    handles: Indices
    width: Indices

    @property
    def depth(self) -> int:
        """Largest height: the steps that must follow one another, with as many processors as one likes."""
        return int(self.height.max(initial=0))

    @property
    def widest(self) -> int:
        """Most dimensions of handles at any node."""
        return int(self.width.max(initial=0))

    @property
    def roots(self) -> Indices:
        """The last node of each connected part."""
        return np.flatnonzero(self.parent < 0)

    def __str__(self) -> str:
        """Totals, and a table by height."""
        bodies = int((self.body >= 0).sum())
        counts = f"{bodies} bodies, {self.body.size - bodies} merges, {self.roots.size} connected parts"
        lines = [f"assembly plan: {counts}; depth {self.depth}, widest separator {self.widest}"]
        lines.append(f"{'height':>20}{'nodes':>10}{'imposed':>10}{'widest':>10}")
        imposed = np.diff(self.imposed_start)
        for low, high in _bands(self.depth if self.body.size else -1):
            at = (self.height >= low) & (self.height <= high)
            label = f"{low}" if low == high else f"{low} to {high}"
            lines.append(f"{label:>20}{at.sum():>10}{imposed[at].sum():>10}{self.width[at].max():>10}")
        return "\n".join(lines)

    def tree(self, names: Sequence[str] | None = None, edge_names: Sequence[str] | None = None) -> str:
        """The plan from its roots down, one node a line: what is imposed there, and which bodies stay handles."""
        lines, stack = [], [(int(i), 0) for i in self.roots[::-1]]
        while stack:
            i, level = stack.pop()
            edges = self.imposed[self.imposed_start[i] : self.imposed_start[i + 1]]
            kept = self.handles[self.handles_start[i] : self.handles_start[i + 1]]
            what = (
                _listed(self.body[i : i + 1], names)
                if self.body[i] >= 0
                else f"merge of {(i - self.first[i]) // 2 + 1}"
            )
            text = "  " * level + what
            text += f", impose {_listed(edges, edge_names)}" if edges.size else ""
            text += f", keep {_listed(kept, names)}" if kept.size else ""
            lines.append(text)
            if self.body[i] < 0:
                stack += [(int(self.right[i]), level + 1), (int(self.left[i]), level + 1)]
        return "\n".join(lines)


def _listed(numbers: Indices, names: Sequence[str] | None) -> str:
    return " ".join(str(k) if names is None else names[k] for k in numbers)


def _bands(depth: int) -> list[tuple[int, int]]:
    """Heights 0 to depth one by one; of a deep plan the first ones only, then bands twice as long each time."""
    single = depth if depth <= 24 else 7
    bands, low = [(h, h) for h in range(single + 1)], single + 1
    while low <= depth:
        bands.append((low, min(2 * low - 1, depth)))
        low *= 2
    return bands


def assembly_plan(size: int, edge_start: ArrayLike, edge_vertices: ArrayLike, dimensions: ArrayLike) -> Plan:
    """Plan for bodies 0 to size - 1, each with a block of dimensions[v]; ground is not among them.

    Edge e touches the distinct bodies edge_vertices[edge_start[e]:edge_start[e + 1]]: one (a joint to ground, imposed at
    the leaf), two, or more. Depth is O(log n) for chains, ladders and trees of bounded degree; a body with many neighbours
    takes them one after the other.
    """
    start, vertices, dims = (np.ascontiguousarray(x, np.int64) for x in (edge_start, edge_vertices, dimensions))
    edge_of = np.repeat(np.arange(start.size - 1), np.diff(start))
    at_start, ends = rows(vertices, size)
    order = breadth_first(size, start, vertices, at_start, edge_of[ends])
    left, right = contract(order, start, vertices, dims)
    body, left, right, parent, height, first = renumbered(left, right, size)
    node = imposing_nodes(body, parent, start, vertices)
    imposed_start, imposed = rows(node, body.size)
    kept = kept_handles(body, left, right, parent, node, start, vertices, dims)
    return Plan(body, left, right, parent, height, first, imposed_start, imposed, *kept)
