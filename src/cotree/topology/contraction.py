"""Contraction of a hypergraph, round by round, to the binary tree of merges of an assembly plan.

A cluster is a connected set of vertices that is merged already; its handles are those of its vertices that an edge to
another cluster touches. In each round (rake and compress, as for trees)
- a cluster with a single neighbour is absorbed by it: this never adds a handle;
- of the others each takes a free neighbour, with the fewest dimensions of handles together, first where the handles do
  not grow, then where they are few.
What is few is raised when a round merges little: at once up to four, later the more reluctantly the more work it makes.
Clusters without a common edge are never merged. A round costs as much as there are ends of edges between clusters.
"""

from __future__ import annotations

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.vectors import stable_order
from cotree.topology.clusters import crossing, ends_by_cluster, releases_by_cluster, survey

WINDOW = 16  # of an edge with very many vertices only so many are looked at from each of them
PATIENCE = 10_000_000  # clusters visited in rounds that merge little, besides 64 for each vertex: about a second


@kernel
def _merge(tree, n_nodes, node, into, a, b):
    """Cluster b becomes part of a, as a new node."""
    left, right, height = tree
    left[n_nodes], right[n_nodes] = node[a], node[b]
    height[n_nodes] = 1 + max(height[node[a]], height[node[b]])
    node[a], into[b] = n_nodes, a
    return n_nodes + 1


@kernel
def _rake(tree, n_nodes, node, into, free, sole):
    """Clusters with one neighbour go into it, the lowest first, so that they do not wait for each other."""
    leaves, heights, found = np.empty(sole.size, np.int64), np.empty(sole.size, np.int64), 0
    for a in range(sole.size):
        b = sole[a]
        if b >= 0 and (sole[b] != a or b < a):
            leaves[found], heights[found] = a, tree[2][node[a]]
            found += 1
    for i in stable_order(heights[:found]):
        a = leaves[i]
        free[a] = free[sole[a]] = False
        n_nodes = _merge(tree, n_nodes, node, into, sole[a], a)
    return n_nodes


@kernel
def _compress(tree, n_nodes, node, into, free, few, size_of, ends, releases, graph, cluster, sole_of_vertex):
    """A maximal matching of the free clusters, not counting pairs with more than `few` handles that also grow.

    few = 0: only pairs whose dimensions do not grow. Returns the number of nodes, and the fewest handles refused.
    """
    edge_start, edge_vertices, dimensions = graph
    end_start, end_place, end_edge = ends
    release_start, release_vertex = releases
    k, refused = free.size, np.int64(2**62)
    seen, shared = np.full(k, -1, np.int64), np.zeros(k, np.int64)
    lost, near = np.zeros((k, 2), np.int64), np.empty(k, np.int64)
    for a in range(k):
        if not free[a]:
            continue
        found = 0
        for i in range(end_start[a], end_start[a + 1]):
            begin, stop = edge_start[end_edge[i]], edge_start[end_edge[i] + 1]
            q = end_place[i]
            for _ in range(min(WINDOW, stop - begin - 1)):
                q = q + 1 if q + 1 < stop else begin
                b = cluster[edge_vertices[q]]
                if b != a and free[b]:
                    if seen[b] != a:
                        seen[b], shared[b], lost[b, 0], lost[b, 1] = a, 0, 0, 0
                        near[found] = b
                        found += 1
                    shared[b] += 1
        for i in range(release_start[a], release_start[a + 1]):
            v = release_vertex[i]
            b = cluster[v] if cluster[v] != a else sole_of_vertex[v]
            if seen[b] == a:
                lost[b, 0] += 1
                lost[b, 1] += dimensions[v]
        best, best_key = -1, (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
        for j in range(found):
            b = near[j]
            count, dims = size_of[a, 0] + size_of[b, 0] - lost[b, 0], size_of[a, 1] + size_of[b, 1] - lost[b, 1]
            if dims > max(size_of[a, 1], size_of[b, 1]) and count > few:
                refused = min(refused, count)
                continue
            key = (dims, end_start[b + 1] - end_start[b] - 2 * shared[b], tree[2][node[b]], b)
            if best < 0 or key < best_key:
                best, best_key = b, key
        if best >= 0:
            free[a] = free[best] = False
            n_nodes = _merge(tree, n_nodes, node, into, a, best)
    return n_nodes, refused


@kernel
def _renumber(node, into, sole, handles, cluster):
    """Clusters that are left, in their order; those without edges to others are done. Returns how many are left."""
    new, left = np.full(sole.size, -1, np.int64), 0
    for c in range(sole.size):
        if into[c] == c and sole[c] != -2:
            new[c], node[left] = left, node[c]
            left += 1
    for v in handles:
        cluster[v] = new[into[cluster[v]]]
    return left


@kernel
def _patience(few, waited, budget, refused, merges, k):
    """What is few in the next round, after one that brought so many merges of k clusters."""
    if merges == 0:
        return max(few + 1, refused), 0, budget
    if 8 * merges >= k:
        return few, waited, budget
    if 64 * waited < few**3 - 64 and budget > 0:  # a round costs depth, handles cost their number cubed
        return few, waited + 1, budget - k
    return few + max(1, few // 4), 0, budget


@kernel
def contract(order, edge_start, edge_vertices, dimensions):
    """left, right of all nodes in the order they came to be; node v is the leaf of vertex v, with -1, -1."""
    n, n_edges = order.size, edge_start.size - 1
    graph = (edge_start, edge_vertices, dimensions)
    left, right, height = np.full(2 * n, -1, np.int64), np.full(2 * n, -1, np.int64), np.zeros(2 * n, np.int64)
    tree = (left, right, height)
    cluster, node, pair = np.empty(n, np.int64), order.copy(), np.empty((n_edges, 2), np.int64)
    cluster[order] = np.arange(n)
    handles, sole_of_vertex, live = np.empty(n, np.int64), np.empty(n, np.int64), np.arange(n_edges)
    k, n_nodes, few, waited, budget = n, n, 2, 0, PATIENCE + 64 * n
    while True:
        live = crossing(live, edge_start, edge_vertices, cluster, pair)
        if live.size == 0:
            return left[:n_nodes], right[:n_nodes]
        sole, n_ends = np.empty(k, np.int64), np.empty(k, np.int64)
        held = survey(live, edge_start, edge_vertices, cluster, pair, handles, sole_of_vertex, sole, n_ends)
        ends = ends_by_cluster(live, edge_start, edge_vertices, cluster, n_ends)
        releases = releases_by_cluster(held, cluster, sole_of_vertex, k)
        size_of = np.zeros((k, 2), np.int64)  # handles, and their dimensions
        for v in held:
            size_of[cluster[v], 0] += 1
            size_of[cluster[v], 1] += dimensions[v]
        into, free, before = np.arange(k), np.ones(k, np.bool_), n_nodes
        n_nodes = _rake(tree, n_nodes, node, into, free, sole)
        for limit in (0, few):
            n_nodes, refused = _compress(
                tree, n_nodes, node, into, free, limit, size_of, ends, releases, graph, cluster, sole_of_vertex
            )
        few, waited, budget = _patience(few, waited, budget, refused, n_nodes - before, k)
        k = _renumber(node, into, sole, held, cluster)
