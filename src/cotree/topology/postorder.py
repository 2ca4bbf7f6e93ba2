"""Binary trees in postorder: numbers, where each edge is imposed, which vertices stay handles."""

from __future__ import annotations

import numpy as np

from cotree.engine.kernel import kernel


@kernel
def postorder(left, right):
    """number[i]: place in postorder of node i of a forest whose parts come before their merges; and each subtree's size."""
    count, held = np.ones(left.size, np.int64), np.zeros(left.size, np.bool_)
    for i in range(left.size):
        if left[i] >= 0:
            count[i] += count[left[i]] + count[right[i]]
            held[left[i]] = held[right[i]] = True
    number, end = np.empty(left.size, np.int64), left.size
    for i in range(left.size - 1, -1, -1):
        if not held[i]:
            end -= count[i]
            number[i] = end + count[i] - 1
        if left[i] >= 0:
            number[right[i]] = number[i] - 1
            number[left[i]] = number[i] - 1 - count[right[i]]
    return number, count


@kernel
def renumbered(left, right, size):
    """body, left, right, parent, height, first of the nodes in postorder; leaves are nodes 0 to size - 1 of left, right."""
    number, count = postorder(left, right)
    n = left.size
    body, new_left, new_right = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    parent, height, first = np.full(n, -1, np.int64), np.zeros(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        j = number[i]
        first[j] = j - count[i] + 1
        if i < size:
            body[j] = i
        else:
            a, b = number[left[i]], number[right[i]]
            new_left[j], new_right[j] = a, b
            parent[a] = parent[b] = j
            height[j] = 1 + max(height[a], height[b])
    return body, new_left, new_right, parent, height, first


@kernel
def _open(above, i):
    """The lowest node at or above i that is not complete; shortens the way there by half."""
    while above[i] != i:
        above[i] = above[above[i]]
        i = above[i]
    return i


@kernel
def imposing_nodes(body, parent, edge_start, edge_vertices):
    """For each edge the lowest node with all its vertices (Tarjan's lowest common ancestors: of the first and last leaf)."""
    n_edges, size = edge_start.size - 1, (body >= 0).sum()
    leaf = np.empty(size, np.int64)
    for i in range(body.size):
        if body[i] >= 0:
            leaf[body[i]] = i
    node, low = np.empty(n_edges, np.int64), np.empty(n_edges, np.int64)
    next_edge, head = np.full(n_edges, -1, np.int64), np.full(body.size, -1, np.int64)  # edges by their last leaf
    for e in range(n_edges):
        low[e], high = body.size, -1
        for q in range(edge_start[e], edge_start[e + 1]):
            low[e], high = min(low[e], leaf[edge_vertices[q]]), max(high, leaf[edge_vertices[q]])
        next_edge[e], head[high] = head[high], e
    above = np.arange(body.size)
    for i in range(body.size):
        e = head[i]
        while e >= 0:
            node[e] = _open(above, low[e])
            e = next_edge[e]
        if parent[i] >= 0:
            above[i] = parent[i]  # i is complete
    return node


@kernel
def rows(keys, n):
    """Numbers 0, 1, .. listed by their keys 0 to n - 1: start, items."""
    start = np.zeros(n + 1, np.int64)
    for key in keys:
        start[key + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    items, fill = np.empty(keys.size, np.int64), start[:-1].copy()
    for i in range(keys.size):
        items[fill[keys[i]]] = i
        fill[keys[i]] += 1
    return start, items


@kernel
def kept_handles(body, left, right, parent, node, edge_start, edge_vertices, dimensions):
    """start, vertices: handles after each node, those of the left part first; and the sum of their dimensions."""
    n = body.size
    last = np.full(dimensions.size, -1, np.int64)  # where the vertex's last edge is imposed: a handle below it
    for e in range(node.size):
        for q in range(edge_start[e], edge_start[e + 1]):
            last[edge_vertices[q]] = max(last[edge_vertices[q]], node[e])
    start, width = np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    for i in range(n):
        if body[i] >= 0:
            j = i
            while j < last[body[i]]:
                start[j + 1] += 1
                width[j] += dimensions[body[i]]
                j = parent[j]
    for i in range(n):
        start[i + 1] += start[i]
    handles = np.empty(start[n], np.int64)
    for i in range(n):
        fill = start[i]
        if body[i] >= 0:
            if last[body[i]] > i:
                handles[fill] = body[i]
            continue
        for part in (left[i], right[i]):
            for q in range(start[part], start[part + 1]):
                if last[handles[q]] > i:
                    handles[fill] = handles[q]
                    fill += 1
    return start, handles, width
