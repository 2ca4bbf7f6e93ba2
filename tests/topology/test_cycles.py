"""Blocks and short cycles, against slow ways to the same."""

from itertools import combinations

from hypothesis import given

from cotree.topology import ClosedGraph, Graph, blocks, shortest_first, spanning_tree, tree_cycle
from tests.topology.test_topology import connected_graphs


def connected_without(graph: Graph, edge: int) -> bool:
    return len(set(graph.parts([edge]))) == len(set(graph.parts()))


@given(connected_graphs())
def test_edges_on_no_cycle_are_blocks_of_their_own(graph):
    found = blocks(graph)
    for a in range(len(graph.edges)):
        if not connected_without(graph, a):
            assert found.count(found[a]) == 1


@given(connected_graphs())
def test_cycles_stay_within_blocks(graph):
    """All edges of a fundamental cycle are of one block, and blocks that share a cycle are one."""
    tree, found = spanning_tree(graph), blocks(graph)
    parts = {a: a for a in range(len(graph.edges))}

    def first(a: int) -> int:
        while parts[a] != a:
            a = parts[a]
        return a

    for cut in tree.cotree:
        edges = tree_cycle(graph, tree, cut).edges
        for a, b in combinations(edges, 2):
            parts[first(a)] = first(b)
    for a, b in combinations(range(len(graph.edges)), 2):
        assert (found[a] == found[b]) == (first(a) == first(b))


@given(connected_graphs())
def test_cycles_are_cycles(graph):
    """Each edge joins its two vertices, the cut edge leads from the first to the last; the shortest is no longer."""
    tree = spanning_tree(graph)
    closed = ClosedGraph.of(graph, tree.cotree)
    order = shortest_first(graph, tree, tree.cotree)
    assert sorted(order) == sorted(tree.cotree)
    for cut in order:
        long = tree_cycle(graph, tree, cut)
        short = closed.shortest(cut, len(long.edges))
        for cycle in [long] if short is None else [long, short]:
            assert (cycle.vertices[0], cycle.vertices[-1]) == graph.edges[cut]
            ends = zip(cycle.vertices, (*cycle.vertices[1:], cycle.vertices[0]), strict=True)
            assert all(set(graph.edges[e]) == set(pair) for e, pair in zip(cycle.edges, ends, strict=True))
        assert short is None or len(short.edges) < len(long.edges)
        assert short is not None or distance(graph, closed, cut) >= len(long.edges) - 1
        closed.close(cut)


def distance(graph: Graph, closed: ClosedGraph, cut: int) -> int:
    """Number of closed edges between the ends of another edge, one ring of vertices after the other."""
    tail, head = graph.edges[cut]
    ring, rounds = {tail}, 0
    while head not in ring:
        ring |= {w for v in ring for w in closed.at[v].values()}
        rounds += 1
    return rounds
