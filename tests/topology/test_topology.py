"""Spanning tree, cotree and loops against brute force and the example of Geo Figure 1."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotree.topology import ChangingTree, Graph, fundamental_loop, fundamental_loops, spanning_tree


@st.composite
def connected_graphs(draw):
    n = draw(st.integers(1, 12))
    edges = []
    for k in range(1, n):
        other = draw(st.integers(0, k - 1))
        edges.append((other, k) if draw(st.booleans()) else (k, other))
    if n > 1:
        pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
        edges += draw(st.lists(pairs, max_size=8))
    random.Random(draw(st.integers(0, 99))).shuffle(edges)
    return Graph(n, tuple(edges))


def distances(graph):
    """Depth of each vertex by relaxing all edges until nothing changes."""
    d = [0] + [10**6] * (graph.size - 1)
    for _ in range(graph.size):
        for a, b in graph.edges:
            d[a], d[b] = min(d[a], d[b] + 1), min(d[b], d[a] + 1)
    return d


@given(connected_graphs())
def test_tree_is_shallowest_and_spans(graph):
    tree = spanning_tree(graph)
    assert sorted(tree.order) == list(range(graph.size))
    assert [len(tree.path(k)) for k in range(graph.size)] == distances(graph)
    assert len(tree.cotree) == graph.n_loops
    for k in range(1, graph.size):
        expected = (tree.parent[k], k) if tree.sign[k] == 1 else (k, tree.parent[k])
        assert graph.edges[tree.edge[k]] == expected


@given(connected_graphs())
def test_order_is_a_preorder(graph):
    tree = spanning_tree(graph)
    place = {k: i for i, k in enumerate(tree.order)}
    for k in range(1, graph.size):
        subtree = [j for j in range(graph.size) if k in (*tree.path(j), j)]
        places = sorted(place[j] for j in subtree)
        assert places == list(range(place[k], place[k] + len(subtree)))
        assert place[tree.parent[k]] < place[k]


@given(connected_graphs(), st.data())
def test_cut_edges_stay_out_of_the_tree(graph, data):
    cotree = spanning_tree(graph).cotree
    cut = data.draw(st.sets(st.sampled_from(cotree))) if cotree else set()
    tree = spanning_tree(graph, cut)
    assert cut <= set(tree.cotree)
    assert len(tree.order) == graph.size


@given(connected_graphs())
def test_loops_close(graph):
    tree = spanning_tree(graph)
    loops = fundamental_loops(graph, tree)
    assert [loop.cut for loop in loops] == list(tree.cotree)
    for loop in loops:
        tail, head = graph.edges[loop.cut]
        for end, chain in ((tail, loop.tail_chain), (head, loop.head_chain)):
            walk = [loop.root, *chain]
            assert walk[-1] == end
            assert all(tree.parent[b] == a for a, b in pairwise(walk))
        assert len(set(loop.vertices)) == len(loop.vertices)


def test_ties_follow_the_users_order():
    square = Graph(4, ((0, 1), (0, 2), (1, 3), (2, 3)))
    assert spanning_tree(square).cotree == (3,)
    assert spanning_tree(Graph(4, ((0, 1), (0, 2), (2, 3), (1, 3)))).edge[3] == 2


def test_edges_of_length_zero_are_taken_first():
    triangle = Graph(3, ((0, 1), (0, 2), (1, 2)))
    assert spanning_tree(triangle, length=(1, 1, 0)).cotree == (1,)


def test_figure_1_of_geo():
    """Bodies 1 to 6, loops closed by joints 3 and 8; root body of the first loop is 1, of the second 2."""
    edges = ((0, 1), (1, 2), (3, 4), (1, 3), (2, 4), (2, 5), (5, 6), (2, 6))
    graph = Graph(7, edges)
    tree = spanning_tree(graph, cut={2, 7})
    loops = {loop.cut: loop for loop in fundamental_loops(graph, tree)}
    assert loops[2].root == 1
    assert loops[7].root == 2
    assert graph.n_loops == 2


def test_unreached_vertices_are_left_out():
    graph = Graph(3, ((0, 1),))
    assert graph.parts() == [0, 0, 2]
    assert spanning_tree(graph).order == (0, 1)


@pytest.mark.parametrize("n", [200_000])
def test_a_long_chain_is_no_problem(n):
    graph = Graph(n, tuple((k, k + 1) for k in range(n - 1)))
    assert spanning_tree(graph).order == tuple(range(n))


@given(connected_graphs(), st.sets(st.integers(0, 20)))
def test_parts_are_what_relaxation_finds(graph, without):
    label = list(range(graph.size))
    for _ in range(graph.size):
        for a, (tail, head) in enumerate(graph.edges):
            if a not in without:
                label[tail] = label[head] = min(label[tail], label[head])
    assert graph.parts(without) == label


@given(connected_graphs(), st.data())
def test_exchanged_edges_leave_the_tree_that_a_search_finds(graph, data):
    """Where all edges but those of a tree are cut, that tree is the only one."""
    changing = ChangingTree.of(graph, spanning_tree(graph))
    for _ in range(3 if changing.cotree else 0):
        loop = fundamental_loop(graph, changing, data.draw(st.sampled_from(sorted(changing.cotree))))
        edge = changing.edge[data.draw(st.sampled_from((*loop.tail_chain, *loop.head_chain)))]
        changing.exchange(loop, edge)
        assert loop.cut not in changing.cotree
        assert changing.settled() == spanning_tree(graph, changing.cotree)
        back = fundamental_loop(graph, changing, edge)
        assert {*back.vertices} == {*loop.vertices}
        if data.draw(st.booleans()):
            changing.exchange(back, loop.cut)
            assert loop.cut in changing.cotree


def test_loops_of_a_deep_tree_take_no_longer_than_they_are():
    """A chain whose bodies are braced two by two: short loops, as deep as the chain is long."""
    n = 30_000
    graph = Graph(n + 1, (*((k, k + 1) for k in range(n)), *((k, k + 2) for k in range(n - 1))))
    loops = fundamental_loops(graph, spanning_tree(graph, cut=range(n, 2 * n - 1)))
    assert [(loop.root, loop.tail_chain, loop.head_chain) for loop in loops] == [
        (k, (), (k + 1, k + 2)) for k in range(n - 1)
    ]
