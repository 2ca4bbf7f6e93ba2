"""What a motion keeps: momentum and energy of what floats, the way back in time, the paper's top on two groups."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from tests.descriptions import same_state
from tests.random_mechanisms import random_tree

GROUPS = ("SE3", "SO3xR3")


def momenta(run):
    return np.array([ct.momentum(run.system, q, v) for q, v in zip(run.q, run.v, strict=True)])


def kept(run, bound):
    """Momentum and energy stay, relative to the greatest entries, and something moved."""
    L, e = momenta(run), run.energy
    assert run.status == "done"
    assert np.abs(L - L[0]).max() < bound * max(1.0, np.abs(L).max())
    assert np.abs(e.total - e.total[0]).max() < bound * max(1.0, e.kinetic.max())
    assert np.abs(run.poses()[-1] - run.poses()[0]).max() > 0.1


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_floating_bodies(group, coordinates):
    """[Lie 5.3]. Measured, 5 s at 1e-10: momentum 1e-9 of its size, energy the same."""
    mech = ct.gallery.floating_bodies()
    system = mech.compile(coordinates=coordinates, group=group)
    state = same_state(system, mech.compile(), mech.q_start, mech.v_start)
    kept(ct.simulate(system, 5.0, *state, rtol=1e-10, atol=1e-10, output=11), 1e-7)


def test_both_groups_give_the_same_floating_motion():
    """[Lie 5.3]: RK4 with 1e-3 s, not stabilized; the paper sees no difference in the joint's gap. Measured after 5 s: 1.6e-8
    and 2.8e-8 m or so, within a factor of ten of each other."""
    mech, gaps, ends = ct.gallery.floating_bodies(), {}, {}
    for group in GROUPS:
        system = mech.compile(coordinates="absolute", group=group)
        state = same_state(system, mech.compile(), mech.q_start, mech.v_start)
        run = ct.simulate(system, 5.0, *state, step=1e-3, stabilize="none", output=[5.0])
        gaps[group], ends[group] = run.violation[-1], run.poses()[-1]
    assert 0.1 < gaps["SE3"] / gaps["SO3xR3"] < 10.0
    assert np.abs(ends["SE3"] - ends["SO3xR3"]).max() < 1e-4


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_random_trees_that_float(group, seed):
    """Free base, any joints behind it, no gravity: six components of momentum and the energy."""
    rng = np.random.default_rng(seed)
    tree = replace(random_tree(rng, 4, root="Free", massless=0.0), gravity=np.zeros(3))
    system = tree.compile(group=group)
    run = ct.simulate(system, 1.0, v=rng.normal(size=system.nv), rtol=1e-10, atol=1e-10, output=6)
    kept(run, 1e-7)


@pytest.mark.parametrize("name", ["spherical_double_pendulum", "three_bar", "bennett", "bricard"])
def test_time_reversal(name):
    """There and back with the velocities turned round; measured, 1e-9 or less at 1e-12."""
    mech = getattr(ct.gallery, name)()
    system, t = mech.compile(), 0.5 if name == "spherical_double_pendulum" else 1.5
    fine = {"rtol": 1e-12, "atol": 1e-12, "output": 3}
    there = ct.simulate(system, t, mech.q_start, mech.v_start, **fine)
    back = ct.simulate(system, t, there.q[-1], -there.v[-1], **fine)
    start, end = ct.poses(system, there.q[0]), ct.poses(system, back.q[-1])
    assert np.abs(there.poses()[-1] - start).max() > 0.1
    assert np.abs(end - start).max() < 1e-7
    assert np.abs(back.v[-1] + there.v[0]).max() < 1e-5


def test_energy_of_the_heavy_top_on_two_groups():
    """[Lie 5.1], RK4 with 1e-3 s, 10 s, not stabilized, 13.97 kJ: the paper sees energy drifts two orders apart.

    With rows in world axes, which are the paper's (41), they are alike: 3.9e-3 J on SE(3) and 4.1e-3 J on SO(3)xR^3. Both
    converge with the fourth power of the step or better. In the joint's own coordinates: like SE(3).
    """
    mech, drift = ct.gallery.heavy_top(), {}
    for group in GROUPS:
        system = mech.compile(coordinates="absolute", group=group)
        state = same_state(system, mech.compile(), mech.q_start, mech.v_start)
        for step in (1e-3, 5e-4):
            T = ct.simulate(system, 2.0, *state, step=step, stabilize="none", output=401).energy.kinetic
            drift[group, step] = np.abs(T - T[0]).max()
    own = ct.simulate(mech, 2.0, step=1e-3, output=2).energy.kinetic
    assert 0.5 < drift["SE3", 1e-3] / drift["SO3xR3", 1e-3] < 2.0
    for group in GROUPS:
        assert drift[group, 1e-3] / drift[group, 5e-4] > 15
    assert abs(own[-1] - own[0]) < 10 * drift["SE3", 1e-3]
