"""Fundamental loops, Geo 2.4: one for each cut joint, running through the tree."""

from __future__ import annotations

from dataclasses import dataclass

from cotree.topology.graph import Graph
from cotree.topology.spanning import RootedTree, SpanningTree


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
    return tuple(fundamental_loop(graph, tree, a) for a in tree.cotree)


def fundamental_loop(graph: Graph, tree: RootedTree, cut: int) -> Loop:
    """The loop of one edge outside the tree, in time of its length: a walk up from both ends in turn, to where the other
    has been."""
    tail, head = graph.edges[cut]
    a, b = {tail: None}, {head: None}  # vertices passed, in order
    x, y = tail, head
    while x not in b and y not in a:
        x, y = _above(tree, x), _above(tree, y)
        a[x], b[y] = None, None
    root = x if x in b else y
    return Loop(cut, root, _chain(a, root), _chain(b, root))


def _above(tree: RootedTree, vertex: int) -> int:
    return max(tree.parent[vertex], 0)


def _chain(passed: dict[int, None], root: int) -> tuple[int, ...]:
    """What was passed below the root, downwards."""
    up = list(passed)
    return tuple(reversed(up[: up.index(root)]))
