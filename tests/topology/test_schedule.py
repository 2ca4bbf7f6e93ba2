"""The time of a plan on p processors against hand counts, brute force and Graham's bounds."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotree.errors import ShapeError
from cotree.topology import work_and_span
from tests.topology.hypergraphs import hypergraphs, path, plan_of


def span_of(plan, cost):
    """Costliest way from a leaf to its root, node by node upwards."""
    up = np.array(cost, float)
    for i in np.flatnonzero(plan.body < 0):
        up[i] += max(up[plan.left[i]], up[plan.right[i]])
    return up.max(initial=0.0)


def fewest_steps(plan, processors):
    """Least number of unit steps, by trying every choice of ready nodes in each step."""
    n = len(plan.body)

    @cache
    def steps(done):
        if len(done) == n:
            return 0
        ready = [i for i in range(n) if i not in done and (plan.left[i] < 0 or {plan.left[i], plan.right[i]} <= done)]
        return 1 + min(steps(done | set(c)) for c in combinations(ready, min(processors, len(ready))))

    return steps(frozenset())


@given(hypergraphs(), st.integers(1, 8), st.data())
def test_time_lies_within_grahams_bounds(graph, processors, data):
    plan = plan_of(*graph)
    n = len(plan.body)
    cost = np.array(data.draw(st.lists(st.floats(0.0, 9.0), min_size=n, max_size=n)))
    time, span = work_and_span(plan, cost, processors), span_of(plan, cost)
    assert max(cost.sum() / processors, span) <= time * (1 + 1e-12)
    assert time <= (cost.sum() / processors + span) * (1 + 1e-12)
    assert work_and_span(plan, cost, 1) == pytest.approx(cost.sum(), rel=1e-12)
    assert work_and_span(plan, cost, n) == pytest.approx(span, rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("processors", [1, 2, 3])
@pytest.mark.parametrize("kind", ["chain", "star", "forest"])
def test_unit_costs_give_the_best_schedule(n, processors, kind):
    """Longest way first is optimal for trees of unit costs (Hu 1961)."""
    edges = {"chain": path(n), "star": [(0, k) for k in range(1, n)], "forest": path(n)[:-2] + path(n)[-1:]}[kind]
    plan = plan_of(n, edges)
    assert work_and_span(plan, np.ones(len(plan.body)), processors) == fewest_steps(plan, processors)


def test_a_chain_of_four_by_hand():
    """Leaves of 1, 1, 1, 1, merges of 2, 2 and 5."""
    plan = plan_of(4, [(0, 1), (1, 2), (2, 3)])
    cost = np.choose(plan.height, [1.0, 2.0, 5.0])
    assert [work_and_span(plan, cost, p) for p in (1, 2, 3, 4, 100)] == [13.0, 9.0, 9.0, 8.0, 8.0]


def test_no_nodes_no_time():
    assert work_and_span(plan_of(0, []), [], 4) == 0.0


def test_a_long_chain_speeds_up():
    plan = plan_of(10_000, path(10_000))
    cost = np.ones(len(plan.body))
    assert work_and_span(plan, cost, 1) / work_and_span(plan, cost, 64) > 60


def test_wrong_arguments():
    plan = plan_of(2, path(2))
    with pytest.raises(ShapeError, match="each of the plan's 3 nodes"):
        work_and_span(plan, [1.0], 2)
    with pytest.raises(ShapeError, match="processors is 0"):
        work_and_span(plan, np.ones(3), 0)
