"""Exchange of a tree edge for a cut one: the tree follows in time of the loop's length."""

from __future__ import annotations

from dataclasses import dataclass

from cotree.topology.graph import Graph
from cotree.topology.loops import Loop
from cotree.topology.spanning import SpanningTree, preorder


@dataclass
class ChangingTree:
    """A spanning tree whose edges are exchanged one by one; parent, edge, sign and cotree as those of `SpanningTree`."""

    graph: Graph
    parent: list[int]
    edge: list[int]
    sign: list[int]
    cotree: set[int]

    @staticmethod
    def of(graph: Graph, tree: SpanningTree) -> ChangingTree:
        return ChangingTree(graph, list(tree.parent), list(tree.edge), list(tree.sign), set(tree.cotree))

    def exchange(self, loop: Loop, edge: int) -> None:
        """Cut `edge`, a tree edge of the loop, in place of the loop's cut edge.

        What hung from `edge` is attached to the cut edge then: the path between them turns round.
        """
        tail, head = self.graph.edges[loop.cut]
        lower = next(k for k in self.graph.edges[edge] if self.edge[k] == edge)
        vertex, above = (tail, head) if lower in loop.tail_chain else (head, tail)
        new = loop.cut
        while True:
            next_above, next_new = self.parent[vertex], self.edge[vertex]
            self._hang(vertex, above, new)
            if vertex == lower:
                break
            vertex, above, new = next_above, vertex, next_new
        self.cotree ^= {loop.cut, edge}

    def _hang(self, vertex: int, parent: int, edge: int) -> None:
        self.parent[vertex], self.edge[vertex] = parent, edge
        self.sign[vertex] = 1 if self.graph.edges[edge][0] == parent else -1

    def settled(self) -> SpanningTree:
        """The tree as it is now."""
        order = preorder(self.parent, self.edge)
        return SpanningTree(tuple(self.parent), tuple(self.edge), tuple(self.sign), order, tuple(sorted(self.cotree)))
