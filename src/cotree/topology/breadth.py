"""Breadth-first order of the vertices of a hypergraph: neighbours get near numbers, however they were numbered before."""

from __future__ import annotations

import numpy as np

from cotree.engine.kernel import kernel


@kernel
def breadth_first(size, edge_start, edge_vertices, at_start, at_edges):
    """Vertices in breadth-first order, component after component, each from a vertex at its rim."""
    order, reached = np.empty(size, np.int64), np.zeros(size, np.int64)
    used = np.zeros(edge_start.size - 1, np.int64)
    begin = 0
    for seed in range(size):
        if reached[seed]:
            continue
        end, start = begin, seed
        for sweep in (1, 2):  # the vertex that the first sweep reaches last starts the second
            order[begin], reached[start] = start, sweep
            head, end = begin, begin + 1
            while head < end:
                v = order[head]
                head += 1
                for i in range(at_start[v], at_start[v + 1]):
                    e = at_edges[i]
                    if used[e] == sweep:
                        continue
                    used[e] = sweep
                    for q in range(edge_start[e], edge_start[e + 1]):
                        if reached[edge_vertices[q]] != sweep:
                            reached[edge_vertices[q]] = sweep
                            order[end] = edge_vertices[q]
                            end += 1
            start = order[end - 1]
        begin = end
    return order
