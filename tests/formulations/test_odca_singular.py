"""Divide and conquer where rows depend on each other: in every configuration, where loops are closed, or just here."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import random_network, reg_spherical, triangle, viviani

from .divided import WAYS, both, check, pivots, state
from .test_forward import flat_state, in_system

WEIGHT = 9.81 * 2 / 1.7  # of the parallelogram: weight over inertia


def balanced(system, q, v, tau, found):
    """M v_dot + J^T lam = f, whatever the choice of lam."""
    M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(system, q)
    f = tau - ct.inverse_dynamics(system, q, v)
    assert np.abs(M @ found.v_dot + J.T @ found.multipliers - f).max() < 1e-10 * max(1.0, np.abs(f).max())


@pytest.mark.parametrize("way", WAYS)
def test_flat_parallelogram(way):
    """On its branch with nonzero speed: rank one less, acceleration by Gauss' principle, constraint forces the same."""
    mech = ct.gallery.parallelogram(angle=0.0, gravity=(0, -9.81, 0))
    system, other = mech.compile(), mech.compile(**way)
    q, v = flat_state(system)
    if way.get("coordinates") == "absolute":
        q, v = in_system(system, other, q, v)
    else:
        q, v = flat_state(other)
    dense, divided = both(other, q, v)
    full = ct.forward_dynamics(other, *state(other, np.random.default_rng(0))[:2], formulation="odca").rank
    assert divided.rank == dense.rank == full - 1
    check(other, q, v, np.zeros(other.nv))
    balanced(other, q, v, np.zeros(other.nv), divided)
    assert not divided.unique


@pytest.mark.parametrize("regularize", [True, False])
@pytest.mark.parametrize("exponent", range(15))
def test_through_the_flat_parallelogram(exponent, regularize):
    """The branch's own acceleration, -g cos(angle) (weights) / (inertia), at any distance from where it is singular.

    Pivots fall with the square of the distance; below 1e-4 rad the rows are looked at again by their directions, which tell
    them apart up to 1e-9 rad, and what has vanished then is replaced by its derivative.
    """
    angle = 10.0**-exponent
    mech = ct.gallery.parallelogram(angle=angle, gravity=(0, -9.81, 0))
    system = mech.compile(regularize=regularize)
    _, v = flat_state(system)
    found = ct.forward_dynamics(system, system.q0, v, formulation="odca")
    expected = -WEIGHT * np.cos(angle) * v / 3.0
    assert np.abs(found.v_dot - expected).max() < 1e-8
    assert found.rank == (2 if exponent <= 8 else 1) or exponent == 9
    assert found.singular == (found.rank == 1)


@pytest.mark.parametrize("angle", [0.0, np.pi])
@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_folded_ladder(n, angle):
    """All cranks along the couplers, at the start and at the half turn, moving: n motions more, of which forces choose."""
    mech = ct.gallery.n_four_bar(n, angle=angle)
    for regularize in (True, False):
        system = mech.compile(cut=[f"C{k}" for k in range(n)], regularize=regularize)
        tau = np.random.default_rng(n).normal(size=system.nv)
        assert check(system, system.q0, mech.v_start, tau).rank == n


@pytest.mark.parametrize("n", [1, 3, 12])
def test_ladder_turned_to_the_half_turn(n):
    """The same reached from upright cranks by the coordinates, with their rounding errors."""
    mech = ct.gallery.n_four_bar(n)
    system = mech.compile()
    assert check(system, np.pi / 2 * mech.v_start, mech.v_start).rank == n


@pytest.mark.parametrize("name", ["bennett", "bricard", "double_parallelogram"])
@pytest.mark.parametrize("seed", range(4))
def test_redundant_where_closed_only(name, seed):
    system, rng = getattr(ct.gallery, name)().compile(), np.random.default_rng(seed)
    q, v, tau = state(system, rng, 0.6)
    found = check(system, q, v, tau)
    assert found.rank < system.n_constraints
    assert found.rank == system.nv - 1
    balanced(system, q, v, tau, found)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [triangle, lambda: triangle(True), viviani, lambda: reg_spherical(True)])
def test_shaky_and_locked(make, way):
    """At rest in a singular reference: rank and accelerations are those of the index-1 system."""
    system = make().compile(**way)
    tau = np.random.default_rng(1).normal(size=system.nv)
    balanced(system, system.q0, np.zeros(system.nv), tau, check(system, system.q0, None, tau))


@pytest.mark.parametrize("seed", range(8))
def test_dependent_pivots_are_far_below_the_others(seed):
    """Between what is kept and what is left out there is a gap of some decades, wide enough for a fixed tolerance."""
    rng = np.random.default_rng(seed)
    system = random_network(rng, ("planar", "spherical")[seed % 2], 3 + seed % 3).compile(regularize=False)
    _, least, largest = pivots(system, *state(system, rng))
    assert least > 1e-8
    assert largest < 1e-13
