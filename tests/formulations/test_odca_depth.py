"""Depth of the assembly plans of compiled systems: the steps of divide and conquer that must follow one another."""

import numpy as np
import pytest

import cotree as ct
from cotree.formulations.odca.division import division

SIZES = (2, 3, 7, 10, 33, 100, 365, 1000, 3000)


def chain(n, axes):
    """n rods in a row on revolutes whose axes are taken in turn."""
    mech = ct.Mechanism(f"chain of {n}")
    body = mech.ground
    for k in range(n):
        outer = mech.body(f"b{k}", 1.0, (0.3 * k + 0.15, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"j{k}", body, outer, ct.Revolute((0.3 * k, 0, 0), axes[k % len(axes)]))
        body = outer
    return mech.compile()


def ring(n):
    """A chain of n rods whose last body is joined to ground: one loop around everything."""
    mech = ct.Mechanism(f"ring of {n}", gravity=(0, -9.81, 0))
    angle = 2.0 * np.pi * np.arange(n + 2) / (n + 1)
    p = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    bodies = [mech.ground]
    for k in range(n):
        bodies.append(mech.body(f"b{k}", 1.0, 0.5 * (p[k] + p[k + 1]), (0.1, 0.1, 0.1)))
    for k in range(n + 1):
        mech.joint(f"j{k}", bodies[k], bodies[(k + 1) % (n + 1)], ct.Revolute(p[k], (0, 0, 1)))
    return mech.compile()


SYSTEMS = {
    "spatial chain": lambda n: chain(n, np.eye(3)[[2, 1]]),
    "planar chain": lambda n: chain(n, np.eye(3)[[2]]),
    "ladder": lambda n: ct.gallery.n_four_bar(n // 2).compile(),
    "ring": ring,
}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("n", SIZES)
def test_depth_is_at_most_twice_the_logarithm_and_four(name, n):
    d = division(SYSTEMS[name](n))
    bodies = 2 * (n // 2) + 1 if name == "ladder" else n
    assert len(d.parts) == bodies
    assert np.log2(bodies) <= d.plan.depth <= 2.0 * np.log2(bodies) + 4.0


@pytest.mark.parametrize("name", ["spatial chain", "ladder"])
def test_ten_times_the_bodies_take_a_few_steps_more(name):
    small, large = (division(SYSTEMS[name](n)).plan.depth for n in (100, 1000))
    assert 3 <= large - small <= 7  # log2(10) = 3.3, and twice that
