"""Spanning tree G and cotree H, Geo 2.1: least depth first, then the user's order of joints."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from cotree.topology.graph import Graph


class RootedTree(Protocol):
    """Anything that knows the parent of each vertex and the edge that leads to it."""

    @property
    def parent(self) -> Sequence[int]: ...
    @property
    def edge(self) -> Sequence[int]: ...


@dataclass(frozen=True)
class SpanningTree:
    """The directed tree, rooted at vertex 0.

    parent[k], edge[k], sign[k]: predecessor of vertex k, its tree edge, and +1 or -1 as that edge's own
    orientation agrees with the tree's or not (-1, -1, 0 for the root). order: vertices, each after its
    parent and with its whole subtree behind it (preorder). cotree: edges left out, ascending.
    """

    parent: tuple[int, ...]
    edge: tuple[int, ...]
    sign: tuple[int, ...]
    order: tuple[int, ...]
    cotree: tuple[int, ...]

    def path(self, vertex: int) -> list[int]:
        """Vertices from below the root down to `vertex`."""
        up = []
        while vertex > 0:
            up.append(vertex)
            vertex = self.parent[vertex]
        return up[::-1]


def spanning_tree(
    graph: Graph, cut: Collection[int] = (), length: Sequence[int] | None = None, prefer: Collection[int] = ()
) -> SpanningTree:
    """Tree of least depth without the edges in `cut`; `length[a]` is what edge a adds to the depth (1 by default).

    Among edges that reach a vertex at the same depth the shortest wins, then those in `prefer`, then the first.
    Vertices that the remaining edges do not reach keep parent -1 and are missing from `order`.
    """
    (at, first), cut = graph.incident(), set(cut)
    parent, edge, sign = [-1] * graph.size, [-1] * graph.size, [0] * graph.size
    reached = [False] * graph.size
    frontier: list[tuple[int, int, bool, int, int, int]] = [
        (0, 0, False, -1, -1, 0)
    ]  # depth, step, other, edge, from, to
    while frontier:
        depth, _, _, a, source, vertex = heapq.heappop(frontier)
        if reached[vertex]:
            continue
        reached[vertex] = True
        if a >= 0:
            parent[vertex], edge[vertex] = source, a
            sign[vertex] = 1 if graph.edges[a][0] == source else -1
        for b in at[first[vertex] : first[vertex + 1]]:
            target = graph.other_end(b, vertex)
            if b not in cut and not reached[target]:
                step = 1 if length is None else length[b]
                heapq.heappush(frontier, (depth + step, step, b not in prefer, b, vertex, target))
    used = set(edge)
    cotree = tuple(a for a in range(len(graph.edges)) if a not in used)
    return SpanningTree(tuple(parent), tuple(edge), tuple(sign), preorder(parent, edge), cotree)


def preorder(parent: Sequence[int], edge: Sequence[int]) -> tuple[int, ...]:
    """Vertices from the root on, each with its whole subtree behind it, branches in the order of their edges."""
    child, sibling = [-1] * len(parent), [-1] * len(parent)  # the first branch of each vertex, and the one beside it
    for k in sorted(range(1, len(parent)), key=edge.__getitem__, reverse=True):
        if parent[k] >= 0:
            child[parent[k]], sibling[k] = k, child[parent[k]]
    order, stack = [], [0]
    while stack:
        vertex = stack.pop()
        order.append(vertex)
        if sibling[vertex] >= 0:
            stack.append(sibling[vertex])
        if child[vertex] >= 0:
            stack.append(child[vertex])
    return tuple(order)
