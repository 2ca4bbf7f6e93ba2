"""Hypergraphs for the tests of assembly plans: lists of edges, each a tuple of vertices."""

import numpy as np
from hypothesis import strategies as st

from cotree.topology import assembly_plan


def plan_of(n, edges, dimensions=1):
    start = np.cumsum([0, *map(len, edges)])
    vertices = np.array([v for edge in edges for v in edge], dtype=np.int64)
    return assembly_plan(n, start, vertices, np.broadcast_to(dimensions, n))


@st.composite
def hypergraphs(draw):
    """(n, edges, dimensions): edges of one to six vertices, connected or not."""
    n = draw(st.integers(1, 20))
    vertices = st.integers(0, n - 1)
    edges = draw(st.lists(st.lists(vertices, min_size=1, max_size=6, unique=True).map(tuple), max_size=25))
    if draw(st.booleans()):
        edges += [(draw(st.integers(0, k - 1)), k) for k in range(1, n)]
    return n, edges, draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))


def path(n):
    return [(k, k + 1) for k in range(n - 1)]


def ladder(rungs, rails=2):
    """Vertex (i, j) of rung i and rail j has number rails * i + j."""
    across = [(rails * i + j, rails * i + j + 1) for i in range(rungs) for j in range(rails - 1)]
    return across + [(rails * i + j, rails * (i + 1) + j) for i in range(rungs - 1) for j in range(rails)]


def grounded_ladder(loops):
    """A planar ladder of cranks on ground with couplers between their tips: 2 N + 1 bodies in a row."""
    return path(2 * loops + 1) + [(2 * k,) for k in range(loops + 1)]


def comb(teeth, length):
    edges, n = path(teeth), teeth
    for k in range(teeth):
        for end in [k, *range(n, n + length - 1)]:
            edges.append((end, n))
            n += 1
    return n, edges


def random_tree(n, degree, seed):
    random, free, edges, degrees = np.random.default_rng(seed), [0], [], np.zeros(n, int)
    for k in range(1, n):
        i = random.integers(len(free))
        parent = free[i]
        edges.append((parent, k))
        degrees[[parent, k]] += 1
        if degrees[parent] == degree:
            free[i] = free[-1]
            free.pop()
        free.append(k)
    return edges


def shuffled(n, edges, seed=0):
    """The same graph with vertices and edges in another order."""
    random = np.random.default_rng(seed)
    name = random.permutation(n)
    renamed = [tuple(int(name[v]) for v in edge) for edge in edges]
    return [renamed[i] for i in random.permutation(len(edges))]
