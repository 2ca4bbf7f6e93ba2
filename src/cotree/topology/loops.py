"""Fundamental loops, Geo 2.4: one for each cut joint, running through the tree."""

from __future__ import annotations

from dataclasses import dataclass

from cotree.topology.graph import Graph
from cotree.topology.spanning import SpanningTree


@dataclass(frozen=True)
class Loop:
    """cut: the cotree edge; root: the last vertex common to both sides; the two chains lead from below the root to
    the cut edge's tail and head."""

    cut: int
    root: int
    tail_chain: tuple[int, ...]
    head_chain: tuple[int, ...]

    @property
    def vertices(self) -> tuple[int, ...]:
        return (self.root, *self.tail_chain, *self.head_chain)


def fundamental_loops(graph: Graph, tree: SpanningTree) -> tuple[Loop, ...]:
    """The loops of the cotree's edges, in their order."""
    return tuple(_loop(a, *graph.edges[a], tree) for a in tree.cotree)


def _loop(cut: int, tail: int, head: int, tree: SpanningTree) -> Loop:
    a, b = tree.path(tail), tree.path(head)
    common = 0
    while common < min(len(a), len(b)) and a[common] == b[common]:
        common += 1
    root = a[common - 1] if common else 0
    return Loop(cut, root, tuple(a[common:]), tuple(b[common:]))
