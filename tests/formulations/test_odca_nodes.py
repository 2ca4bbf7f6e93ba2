"""Nodes of the plan: the way written out for two rows, the places that handles share, shares of threads."""

import numpy as np
import pytest

import cotree as ct
from cotree.formulations.odca.build import divide
from cotree.formulations.odca.division import use_threads, with_threads, work_of
from cotree.formulations.odca.solve import accelerate
from cotree.formulations.odca.threads import shares, subtrees


def evaluated(system, d):
    v = 0.1 * np.cos(np.arange(system.nv))
    v = ct.consistent_velocity(system, system.q0, v)
    v_dot, lam, ratios = np.empty(system.nv), np.empty(system.n_constraints), np.empty(2)
    given = (system.elements.constants, system.extra_rows.constants, np.zeros(system.nv))
    rank = accelerate(system.here, d.here, *given, system.q0.copy(), v, v_dot, lam, ratios)
    return rank, v_dot, lam, ratios


@pytest.mark.parametrize("name", ["four_bar", "spherical_four_bar", "n_four_bar", "double_parallelogram"])
def test_two_rows_written_out(name):
    system = getattr(ct.gallery, name)().compile()
    d = divide(system)
    assert d.nodes["plain"].any()
    plain = evaluated(system, d)
    d.nodes["plain"] = 0
    general = evaluated(system, d)
    assert plain[0] == general[0]
    for a, b in zip(plain[1:], general[1:], strict=True):
        assert a == pytest.approx(b, rel=1e-11, abs=1e-12)


def test_two_rows_in_doubt_go_the_general_way():
    """A flat parallelogram: the last pivot vanishes, the rank drops."""
    system = ct.gallery.parallelogram(0.0).compile()
    d = divide(system)
    assert d.nodes["plain"].any()
    v_dot, lam, ratios = np.empty(system.nv), np.empty(system.n_constraints), np.empty(2)
    given = (
        system.elements.constants,
        system.extra_rows.constants,
        np.zeros(system.nv),
        system.q0,
        np.zeros(system.nv),
    )
    assert accelerate(system.here, d.here, *given, v_dot, lam, ratios) == system.n_constraints - 1
    assert ratios[1] < 1e-12 < 1e-3 < ratios[0]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_handles_that_live_at_one_time_have_places_of_their_own(threads):
    d = with_threads(divide(ct.gallery.n_four_bar(60).compile()), threads)
    plan, nodes = d.plan, d.nodes if threads == 1 else d.kept[-2]
    spans = [(n["Z_at"], n["Z_at"] + n["kept"] * (n["kept"] + 2)) for n in nodes]
    own = [not (n["part"] >= 0 and n["rows"] == 0 and n["kept"] > 0) for n in nodes]

    def meet(i, j):
        return own[i] and own[j] and spans[i][0] < spans[j][1] and spans[j][0] < spans[i][1]

    for i in np.flatnonzero(plan.body < 0):
        left, right = plan.left[i], plan.right[i]
        assert not any(meet(*pair) for pair in ((i, left), (i, right), (left, right)))
        below = range(plan.first[right], right + 1)
        assert not any(meet(left, j) for j in below)  # waits while the right part is made


def test_shares_hold_every_node_once_and_are_even():
    d = divide(ct.gallery.n_four_bar(500).compile())
    cost = work_of(d)
    roots, top = subtrees(d.plan, cost, 2)
    covered = np.concatenate([np.arange(d.plan.first[r], r + 1) for r in roots] + [top])
    assert np.array_equal(np.sort(covered), np.arange(len(d.nodes)))
    below = {r: cost[d.plan.first[r] : r + 1].sum() for r in roots}
    load = [sum(below[r] for r in given) for given in shares(roots, below, 2)]
    assert max(load) < 1.2 * min(load)


def test_a_single_body_on_threads():
    system = ct.gallery.heavy_top().compile()
    alone = ct.forward_dynamics(system, system.q0, formulation="odca").v_dot
    use_threads(system, 2)
    assert ct.forward_dynamics(system, system.q0, formulation="odca").v_dot.tobytes() == alone.tobytes()


def test_large_systems_try_threads_once():
    system = ct.gallery.n_four_bar(3000).compile()
    found = ct.forward_dynamics(system, system.q0, formulation="odca")
    assert system.cache["division settled"]
    assert system.cache["division"].threads in (1, 2)
    assert np.isfinite(found.v_dot).all()


def test_the_plan_is_printed_with_names():
    mech = ct.gallery.four_bar()
    plan = ct.theory.assembly_plan(mech)
    text = str(plan)
    assert "3 bodies, 2 merges" in text
    assert f"depth {plan.depth}" in text
    for body, size in zip(plan.bodies, plan.sizes, strict=True):
        assert f"{body} ({size})" in text
    assert set(plan.bodies) == set(mech.bodies)
    assert set(plan.joints) < set(mech.joints)  # that of a crank on ground has nothing to hold in its algebra
    mech.drive("turned", next(iter(mech.joints)), lambda t: t)
    assert "impose turned" in str(ct.theory.assembly_plan(mech.compile()))
    assert "merge of" not in str(ct.theory.assembly_plan(ct.gallery.n_four_bar(80)))
