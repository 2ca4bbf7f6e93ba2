"""The oriented graph of a mechanism, Geo 2.1: bodies are vertices, joints are edges, ground is vertex 0."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np


@dataclass(frozen=True)
class Graph:
    """Vertices 0 to size - 1; edge number a leads from edges[a][0] to edges[a][1]."""

    size: int
    edges: tuple[tuple[int, int], ...]

    @lru_cache(maxsize=8)  # noqa: B019  many systems of one structure ask for the same, and a graph is small
    def incident(self) -> tuple[list[int], list[int]]:
        """(edges, first): those at vertex k are edges[first[k] : first[k + 1]], in the order given; no list a vertex, of
        which a long chain would have as many as bodies."""
        ends = np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        own = np.repeat(np.arange(len(ends)), 2)
        single = np.stack([np.ones(len(ends), np.bool_), ends[:, 0] != ends[:, 1]], axis=1).ravel()
        at, own = ends.ravel()[single], own[single]
        first = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=self.size))])
        return own[np.argsort(at, kind="stable")].tolist(), first.tolist()

    def other_end(self, edge: int, vertex: int) -> int:
        tail, head = self.edges[edge]
        return head if vertex == tail else tail

    def parts(self, without: Collection[int] = ()) -> list[int]:
        """For each vertex the first one that it hangs together with when some edges are taken out."""
        before = list(range(self.size))  # a vertex of the same part; the first of a part is its own

        def first(vertex: int) -> int:
            while before[vertex] != vertex:
                before[vertex] = before[before[vertex]]  # shortens the way for those who come after
                vertex = before[vertex]
            return vertex

        for a, (tail, head) in enumerate(self.edges):
            if a not in without:
                i, j = first(tail), first(head)
                before[max(i, j)] = min(i, j)
        return [first(vertex) for vertex in range(self.size)]

    @property
    def n_loops(self) -> int:
        """Number of fundamental loops of a connected graph, gamma = m - N."""
        return len(self.edges) - (self.size - 1)
