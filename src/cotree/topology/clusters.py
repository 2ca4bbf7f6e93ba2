"""Clusters of vertices and the edges between them: what a round of contraction needs to know, in one pass over the edges.

Arrays by vertex or edge are those of the whole hypergraph; only what still crosses between clusters is looked at.
"""

from __future__ import annotations

import numpy as np

from cotree.engine.kernel import kernel


@kernel
def crossing(live, edge_start, edge_vertices, cluster, pair):
    """Edges between clusters, of those in `live`; pair[e]: its two clusters, the second -1 where there are more."""
    kept = 0
    for e in live:
        one, two, more = cluster[edge_vertices[edge_start[e]]], -1, False
        for q in range(edge_start[e] + 1, edge_start[e + 1]):
            c = cluster[edge_vertices[q]]
            if c != one:
                more = more or (two >= 0 and c != two)
                two = c
        if two >= 0:
            pair[e, 0], pair[e, 1] = one, -1 if more else two
            live[kept] = e
            kept += 1
    return live[:kept]


@kernel
def _join(known, c):
    """One cluster c for all edges seen so far, or -1 for several; -2: no edge seen."""
    return c if known == -2 or known == c else -1


@kernel
def survey(live, edge_start, edge_vertices, cluster, pair, handles, sole_of_vertex, sole, ends):
    """Handles, and the only neighbour of each handle and cluster (-1: several, -2: none); ends[c]: ends of edges at c."""
    found = 0
    sole[:] = -2
    ends[:] = 0
    for e in live:
        for q in range(edge_start[e], edge_start[e + 1]):
            sole_of_vertex[edge_vertices[q]] = -3
    for e in live:
        for q in range(edge_start[e], edge_start[e + 1]):
            v = edge_vertices[q]
            c = cluster[v]
            if sole_of_vertex[v] == -3:
                sole_of_vertex[v] = -2
                handles[found] = v
                found += 1
            other = -1 if pair[e, 1] < 0 else (pair[e, 0] if c == pair[e, 1] else pair[e, 1])
            sole_of_vertex[v] = _join(sole_of_vertex[v], other)
            sole[c] = _join(sole[c], other)
            ends[c] += 1
    return handles[:found]


@kernel
def starts(counts):
    """Where each row begins, and the end of the last."""
    start = np.zeros(counts.size + 1, np.int64)
    for i in range(counts.size):
        start[i + 1] = start[i] + counts[i]
    return start


@kernel
def ends_by_cluster(live, edge_start, edge_vertices, cluster, ends):
    """Places in edge_vertices, and their edges, listed by cluster."""
    start = starts(ends)
    place, edge, fill = np.empty(start[-1], np.int64), np.empty(start[-1], np.int64), start[:-1].copy()
    for e in live:
        for q in range(edge_start[e], edge_start[e + 1]):
            c = cluster[edge_vertices[q]]
            place[fill[c]], edge[fill[c]] = q, e
            fill[c] += 1
    return start, place, edge


@kernel
def releases_by_cluster(handles, cluster, sole_of_vertex, k):
    """Handles that a merge of two clusters would do away with, listed at both clusters."""
    counts = np.zeros(k, np.int64)
    for v in handles:
        if sole_of_vertex[v] >= 0:
            counts[cluster[v]] += 1
            counts[sole_of_vertex[v]] += 1
    start = starts(counts)
    vertex, fill = np.empty(start[-1], np.int64), start[:-1].copy()
    for v in handles:
        if sole_of_vertex[v] >= 0:
            for c in (cluster[v], sole_of_vertex[v]):
                vertex[fill[c]] = v
                fill[c] += 1
    return start, vertex
