"""Assembly plans: what must hold for every hypergraph, by brute force; depth and separators where they are known."""

import numpy as np
import pytest
from hypothesis import given

from tests.topology.hypergraphs import comb, grounded_ladder, hypergraphs, ladder, path, plan_of, random_tree, shuffled


def parts(start, items, i):
    return items[start[i] : start[i + 1]].tolist()


def bodies_below(plan):
    """Set of vertices of each node, straight from left and right."""
    below = []
    for i, body in enumerate(plan.body):
        below.append({int(body)} if body >= 0 else below[plan.left[i]] | below[plan.right[i]])
    return below


def connected_parts(n, edges):
    """Sets of vertices, by joining until nothing changes."""
    groups = [{v} for v in range(n)]
    for edge in edges:
        touched = [g for g in groups if g & set(edge)]
        groups = [g for g in groups if not g & set(edge)] + [set().union(*touched)]
    return groups


def modelled_work(plan):
    """Model of the work: cube of the dimensions that meet at each merge."""
    merges = plan.body < 0
    return float(((plan.width[plan.left[merges]] + plan.width[plan.right[merges]]).astype(float) ** 3).sum())


@given(hypergraphs())
def test_nodes_are_a_binary_forest_in_postorder(graph):
    n, edges, dimensions = graph
    plan = plan_of(n, edges, dimensions)
    assert sorted(plan.body[plan.body >= 0]) == list(range(n))
    count = len(plan.body)
    for i in range(count):
        if plan.body[i] >= 0:
            assert (plan.left[i], plan.right[i], plan.height[i], plan.first[i]) == (-1, -1, 0, i)
            continue
        left, right = plan.left[i], plan.right[i]
        assert plan.parent[left] == plan.parent[right] == i
        assert right == i - 1
        assert left == plan.first[right] - 1
        assert plan.first[i] == plan.first[left]
        assert plan.height[i] == 1 + max(plan.height[left], plan.height[right])
    assert plan.depth == max(plan.height)
    assert set(plan.roots) == set(range(count)) - set(plan.left) - set(plan.right)


@given(hypergraphs())
def test_edges_are_imposed_once_where_their_bodies_first_meet(graph):
    n, edges, dimensions = graph
    plan = plan_of(n, edges, dimensions)
    below = bodies_below(plan)
    assert sorted(plan.imposed) == list(range(len(edges)))
    for i in range(len(plan.body)):
        for e in parts(plan.imposed_start, plan.imposed, i):
            assert set(edges[e]) <= below[i]
            if plan.body[i] < 0:
                assert not set(edges[e]) <= below[plan.left[i]]
                assert not set(edges[e]) <= below[plan.right[i]]


@given(hypergraphs())
def test_handles_are_the_bodies_with_edges_to_come(graph):
    n, edges, dimensions = graph
    plan = plan_of(n, edges, dimensions)
    below = bodies_below(plan)
    handles = [parts(plan.handles_start, plan.handles, i) for i in range(len(plan.body))]
    for i in range(len(plan.body)):
        waiting = {v for edge in edges if not set(edge) <= below[i] for v in edge}
        before = [int(plan.body[i])] if plan.body[i] >= 0 else handles[plan.left[i]] + handles[plan.right[i]]
        assert handles[i] == [v for v in before if v in waiting]
        assert set(handles[i]) == below[i] & waiting
        assert plan.width[i] == sum(dimensions[v] for v in handles[i])
    assert plan.widest == max(plan.width)


@given(hypergraphs())
def test_roots_are_the_connected_parts_and_merged_parts_share_an_edge(graph):
    n, edges, dimensions = graph
    plan = plan_of(n, edges, dimensions)
    below = bodies_below(plan)
    assert sorted(map(sorted, (below[i] for i in plan.roots))) == sorted(map(sorted, connected_parts(n, edges)))
    assert not plan.width[plan.roots].any()
    for i in np.flatnonzero(plan.body < 0):
        assert any(set(edge) & below[plan.left[i]] and set(edge) & below[plan.right[i]] for edge in edges)


LONG = {
    "chain": (lambda n: (n, path(n)), 2, 37),
    "closed chain": (lambda n: (n, [*path(n), (n - 1, 0)]), 2, 37),
    "ladder of cranks on ground": (lambda n: (n | 1, grounded_ladder(n // 2)), 2, 37),
    "ladder with two rails": (lambda n: (2 * (n // 2), ladder(n // 2)), 4, 150),
    "chain with gears": (lambda n: (n, path(n) + [(k, k + 1, k + 2) for k in range(0, n - 2, 5)]), 3, 50),
    "comb": (lambda n: comb(n // 4, 3), 2, 37),
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("n", [4, 7, 12, 33, 100, 1000, 20_001])
@pytest.mark.parametrize("order", ["natural", "shuffled"])
def test_long_things_are_shallow_with_short_separators_and_linear_work(kind, n, order):
    make, handles, work = LONG[kind]
    n, edges = make(n)
    plan = plan_of(n, shuffled(n, edges, n) if order == "shuffled" else edges, 6)
    assert np.log2(n) <= plan.depth <= 2 * np.log2(n) + 4
    assert plan.widest <= 6 * handles
    assert modelled_work(plan) <= 6**3 * work * n


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 17, 100, 1023, 1024, 1025, 30_000])
def test_a_chain_is_as_shallow_as_can_be(n):
    assert plan_of(n, shuffled(n, path(n))).depth <= np.ceil(np.log2(n)) + 1


@pytest.mark.parametrize("degree", [3, 4, 8])
@pytest.mark.parametrize("n", [50, 1000, 20_000])
def test_random_trees_are_shallow_with_two_handles(degree, n):
    plan = plan_of(n, random_tree(n, degree, seed=n + degree), 6)
    assert plan.depth <= 2 * np.log2(n) + degree
    assert plan.widest <= 12


def test_a_star_takes_its_rays_one_by_one():
    n = 100_000
    plan = plan_of(n, shuffled(n, [(0, k) for k in range(1, n)]))
    assert (plan.depth, plan.widest) == (n - 1, 1)
    assert np.diff(plan.handles_start).max() == 1


def test_a_hub_of_long_legs_waits_for_none_of_them():
    legs, length = 40, 256
    edges = [(0 if k % length == 0 else k, k + 1) for k in range(legs * length)]
    plan = plan_of(legs * length + 1, edges)
    assert plan.depth <= legs + np.log2(length) + 1
    assert plan.widest == 2


def test_a_wheel_keeps_its_separators_short():
    """Handles of an arc without the hub are all its bodies: going round is better than halving."""
    n = 1000
    plan = plan_of(n + 1, [(n, k) for k in range(n)] + [(k, (k + 1) % n) for k in range(n)])
    assert plan.widest <= 20
    assert plan.depth <= 200


def test_wide_strips_give_up_some_depth_only():
    n, rails = 1000, 5
    plan = plan_of(n * rails, ladder(n, rails))
    assert plan.widest <= 2 * rails
    assert plan.depth <= 50


def test_an_edge_of_thousands_of_bodies_is_no_problem():
    n = 20_000
    plan = plan_of(n, [tuple(range(n))])
    assert plan.imposed_start[-2:].tolist() == [0, 1]
    assert plan.depth <= 2 * np.log2(n) + 4


@pytest.mark.parametrize("small", [0, 1, 2])
def test_dimensions_decide_between_neighbours(small):
    """Of four bodies joined with one another the last, which is looked at first, takes the one other small one."""
    dimensions = np.array([6, 6, 6, 1])
    dimensions[small] = 1
    plan = plan_of(4, [(a, b) for a in range(4) for b in range(a)], dimensions)
    assert sorted(plan.width[plan.height == 1]) == [2, 12]


def test_no_bodies_and_single_bodies():
    empty = plan_of(0, [])
    assert (empty.depth, empty.widest, empty.roots.size, empty.body.size) == (0, 0, 0, 0)
    assert "0 bodies" in str(empty)
    assert empty.tree() == ""
    alone = plan_of(3, [(1,), (1,)])
    assert alone.body.tolist() == alone.roots.tolist() == [0, 1, 2]
    assert parts(alone.imposed_start, alone.imposed, 1) == [0, 1]
    assert alone.handles.size == 0


def test_the_plan_in_words():
    plan = plan_of(3, [(0,), (0, 1), (1, 2), (2,)], 6)
    assert str(plan).splitlines() == [
        "assembly plan: 3 bodies, 2 merges, 1 connected parts; depth 2, widest separator 6",
        "              height     nodes   imposed    widest",
        "                   0         3         2         6",
        "                   1         1         1         6",
        "                   2         1         1         0",
    ]
    assert plan.tree(["crank", "coupler", "rocker"], ["A", "B", "C", "D"]).splitlines() == [
        "merge of 3, impose B",
        "  merge of 2, impose C, keep coupler",
        "    coupler, keep coupler",
        "    rocker, impose D, keep rocker",
        "  crank, impose A, keep crank",
    ]
    assert plan.tree().splitlines()[1] == "  merge of 2, impose 2, keep 1"


def test_the_table_of_a_deep_plan_is_short():
    n = 5000
    lines = str(plan_of(n, [(0, k) for k in range(1, n)])).splitlines()
    assert len(lines) < 24
    assert sum(int(line.split()[-3]) for line in lines[2:]) == 2 * n - 1
