"""Short cycles of a graph, joint by joint: each of them through one joint that is still open, all others closed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from cotree.topology.graph import Graph
from cotree.topology.loops import fundamental_loop
from cotree.topology.spanning import RootedTree


@dataclass(frozen=True)
class Cycle:
    """vertices[i] and vertices[i + 1] are joined by edges[i], the last and the first by edges[-1]: the edge that is open,
    whose tail is vertices[0] and whose head is vertices[-1]."""

    vertices: tuple[int, ...]
    edges: tuple[int, ...]

    @property
    def cut(self) -> int:
        return self.edges[-1]


@dataclass
class ClosedGraph:
    """The edges of a graph that are closed, as they grow; begins with those of a tree."""

    graph: Graph
    at: list[dict[int, int]] = field(
        default_factory=list
    )  # for each vertex the closed edges there, and where they lead

    @staticmethod
    def of(graph: Graph, cut: Collection[int]) -> ClosedGraph:
        closed, opened = ClosedGraph(graph, [{} for _ in range(graph.size)]), set(cut)
        for a in range(len(graph.edges)):
            if a not in opened:
                closed.close(a)
        return closed

    def close(self, edge: int) -> None:
        tail, head = self.graph.edges[edge]
        self.at[tail][edge], self.at[head][edge] = head, tail

    def open(self, edge: int) -> None:
        tail, head = self.graph.edges[edge]
        del self.at[tail][edge], self.at[head][edge]

    def shortest(self, cut: int, most: int) -> Cycle | None:
        """A shortest cycle through an open edge, if it has fewer than `most` edges: from both ends, the cheaper side first."""
        tail, head = self.graph.edges[cut]
        passed: tuple[dict[int, tuple[int, int]], ...] = ({tail: (-1, -1)}, {head: (-1, -1)})
        fronts = [[tail], [head]]
        for _ in range(most - 2):  # edges found so far, at most
            side = min((0, 1), key=lambda s: sum(len(self.at[v]) for v in fronts[s]))
            there = self._advanced(fronts, passed, side)
            if there is not None:
                return self._cycle(passed, there, cut)
            if not fronts[side]:
                return None
        return None

    def _advanced(
        self, fronts: list[list[int]], passed: tuple[dict[int, tuple[int, int]], ...], side: int
    ) -> int | None:
        """One step of one side; the vertex at which it meets the other."""
        new = []
        for v in fronts[side]:
            for edge, w in self.at[v].items():
                if w not in passed[side]:
                    passed[side][w] = (v, edge)
                    if w in passed[1 - side]:
                        return w
                    new.append(w)
        fronts[side] = new
        return None

    def _cycle(self, passed: tuple[dict[int, tuple[int, int]], ...], middle: int, cut: int) -> Cycle:
        up, down = _walk(passed[0], middle), _walk(passed[1], middle)
        vertices = (*(v for v, _ in reversed(up)), middle, *(v for v, _ in down))
        return Cycle(vertices, (*(e for _, e in reversed(up)), *(e for _, e in down), cut))


def _walk(passed: dict[int, tuple[int, int]], vertex: int) -> list[tuple[int, int]]:
    """(vertex, edge) from below a vertex back to where the search began."""
    out = []
    while (step := passed[vertex])[1] >= 0:
        out.append(step)
        vertex = step[0]
    return out


def tree_cycle(graph: Graph, tree: RootedTree, cut: int) -> Cycle:
    """The fundamental cycle of an edge outside a tree."""
    loop = fundamental_loop(graph, tree, cut)
    up, down = loop.tail_chain[::-1], loop.head_chain
    return Cycle((*up, loop.root, *down), (*(tree.edge[k] for k in up), *(tree.edge[k] for k in down), cut))


def shortest_first(graph: Graph, tree: RootedTree, cotree: Collection[int]) -> list[int]:
    """The edges outside a tree by the length of their fundamental cycles, then in the order given."""
    return sorted(cotree, key=lambda a: len(tree_cycle(graph, tree, a).edges))


def closing_cycles(graph: Graph, tree: RootedTree, closed: ClosedGraph, cut: int) -> list[Cycle]:
    """The cycle of a cut edge through the tree, behind a shorter one through edges that are closed already, if there is one."""
    through_tree = tree_cycle(graph, tree, cut)
    shorter = closed.shortest(cut, len(through_tree.edges))
    return [through_tree] if shorter is None else [shorter, through_tree]
