"""Blocks of a graph: sets of edges any two of which lie on a common cycle. Loops of different blocks have nothing to do with
each other; an edge that is on no cycle is a block of its own."""

from __future__ import annotations

from functools import lru_cache

from cotree.topology.graph import Graph


@lru_cache(maxsize=8)
def blocks(graph: Graph) -> list[int]:
    """For each edge the number of its block; depth first, without recursion."""
    at, first = graph.incident()
    depth, low, count = [-1] * graph.size, [0] * graph.size, 0
    block, pending = [-1] * len(graph.edges), []
    for start in range(graph.size):
        if depth[start] >= 0:
            continue
        depth[start] = low[start] = 0
        walk = [(start, -1, first[start])]
        while walk:
            vertex, came, place = walk.pop()
            if place < first[vertex + 1]:
                walk.append((vertex, came, place + 1))
                edge = at[place]
                there = graph.other_end(edge, vertex)
                if edge == came or (depth[there] >= 0 and depth[there] > depth[vertex]):
                    continue
                pending.append(edge)
                if depth[there] < 0:
                    depth[there] = low[there] = depth[vertex] + 1
                    walk.append((there, edge, first[there]))
                else:
                    low[vertex] = min(low[vertex], depth[there])
            elif came >= 0:
                above = graph.other_end(came, vertex)
                low[above] = min(low[above], low[vertex])
                if low[vertex] >= depth[above]:
                    count = _cut_off(pending, came, block, count)
    return block


def _cut_off(pending: list[int], last: int, block: list[int], count: int) -> int:
    """Give a number to the edges since `last`; returns the next number."""
    while True:
        edge = pending.pop()
        block[edge] = count
        if edge == last:
            return count + 1
