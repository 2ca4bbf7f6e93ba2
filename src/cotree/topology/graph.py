"""The oriented graph of a mechanism, Geo 2.1: bodies are vertices, joints are edges, ground is vertex 0."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Graph:
    """Vertices 0 to size - 1; edge number a leads from edges[a][0] to edges[a][1]."""

    size: int
    edges: tuple[tuple[int, int], ...]

    def incident(self) -> list[list[int]]:
        """Numbers of the edges at each vertex, in the order given."""
        at: list[list[int]] = [[] for _ in range(self.size)]
        for a, (tail, head) in enumerate(self.edges):
            at[tail].append(a)
            if head != tail:
                at[head].append(a)
        return at

    def other_end(self, edge: int, vertex: int) -> int:
        tail, head = self.edges[edge]
        return head if vertex == tail else tail

    def reachable(self, start: int = 0) -> set[int]:
        """Vertices connected with `start`."""
        at = self.incident()
        seen, queue = {start}, deque([start])
        while queue:
            vertex = queue.popleft()
            for edge in at[vertex]:
                neighbour = self.other_end(edge, vertex)
                if neighbour not in seen:
                    seen.add(neighbour)
                    queue.append(neighbour)
        return seen

    @property
    def n_loops(self) -> int:
        """Number of fundamental loops of a connected graph, gamma = m - N."""
        return len(self.edges) - (self.size - 1)
