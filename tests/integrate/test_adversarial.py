"""Whatever mechanism, whatever state: a run gives numbers or says why not, loops closed and books balanced.

Beyond these, 17800 seeds of the same kinds were run once: all came to their end.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cotree as ct
from tests.closed_mechanisms import CATALOGUE, FAMILIES, closed_pose, random_loop, random_network
from tests.integrate.references import finite
from tests.random_mechanisms import make_case

CUTS = ("Revolute", "Spherical", "Universal", "Cylindrical", "Prismatic", "Helical", "Planar")
seeds = st.integers(0, 2**32 - 1)
some = settings(max_examples=15, deadline=None)


def check(system, rng, t_end=0.3, speed=1.0, **words):
    """A random closed state with a random admissible velocity, run for a while."""
    q = closed_pose(system, rng)
    v = ct.consistent_velocity(system, q, speed * rng.normal(size=system.nv))
    run = ct.simulate(system, t_end, q, v, output=7, **words)
    e = run.energy
    assert finite(run)
    assert run.status in ("done", "failed")
    assert run.violation.max() < 1e-11 * max(1.0, np.abs(run.poses()[:, :, :3, 3]).max())
    if run.status == "failed":
        assert "at t = " in run.message
    else:
        assert run.t[-1] == t_end
    size = max(1.0, e.kinetic.max(), np.abs(e.potential - e.potential[0]).max())
    assert np.abs(e.balance).max() < 1e-5 * size
    assert str(run)
    return run


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_catalogue(name):
    for seed in (1, 2):
        run = check(CATALOGUE[name][0]().compile(), np.random.default_rng(seed))
        assert run.status == "done", run.message


@given(seed=seeds, families=st.tuples(*2 * [st.sampled_from(FAMILIES)]), cut=st.sampled_from(CUTS))
@some
def test_random_loops(seed, families, cut):
    rng = np.random.default_rng(seed)
    check(random_loop(rng, families, cut).compile(), rng)


@given(seed=seeds, family=st.sampled_from(FAMILIES))
@some
def test_random_networks(seed, family):
    rng = np.random.default_rng(seed)
    check(random_network(rng, family).compile(), rng)


@given(seed=seeds, group=st.sampled_from(["SE3", "SO3xR3"]), cut=st.sampled_from(CUTS))
@settings(max_examples=8, deadline=None)
def test_random_loops_in_absolute_coordinates(seed, group, cut):
    rng = np.random.default_rng(seed)
    data = random_loop(rng, ("spatial", "spatial"), cut, (2, 2))
    check(data.compile(coordinates="absolute", group=group), rng, 0.1)


@given(seed=seeds, way=st.sampled_from(["partition", "baumgarte"]), formulation=st.sampled_from(["index1", "voronets"]))
@settings(max_examples=8, deadline=None)
def test_other_ways(seed, way, formulation):
    """Random loops by other formulations and stabilizations: numbers, or words."""
    rng = np.random.default_rng(seed)
    system = random_loop(rng, ("planar", "planar"), "Revolute").compile()
    q = closed_pose(system, rng)
    run = ct.simulate(system, 0.3, q, rng.normal(size=system.nv), stabilize=way, formulation=formulation, output=7)
    assert finite(run)
    assert run.status == "done" or run.message
    assert run.violation.max() < (1e-11 if way == "partition" else 1e-5)


@given(seed=seeds, n=st.integers(1, 6), group=st.sampled_from(["SE3", "SO3xR3"]))
@some
def test_random_trees(seed, n, group):
    """Random states of random trees, massless bodies among them."""
    case = make_case(seed, n, group)
    run = ct.simulate(case.system, 0.3, case.state.q, case.state.v, output=7)
    e = run.energy
    assert finite(run)
    assert run.status == "done", run.message
    assert np.abs(e.balance).max() < 1e-5 * max(1.0, e.kinetic.max())


@pytest.mark.parametrize("speed", [1e-9, 100.0, 1e4])
def test_slow_and_fast(speed):
    """Nothing is tied to a speed of one: loops stay closed relative to the mechanism's size."""
    rng = np.random.default_rng(5)
    system = CATALOGUE["five-bar"][0]().compile()
    check(system, rng, min(0.3, 3.0 / speed), speed)
