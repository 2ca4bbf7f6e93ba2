"""Motion algebras: as small as the motion, and nothing depends on them."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cotree as ct
from cotree.formulations.odca.division import division
from tests.closed_mechanisms import CATALOGUE, FAMILIES, displaced, perturbed, random_loop
from tests.random_mechanisms import JOINTS, random_tree

from .divided import check, closed, reached, size_of, state

X, Y, Z = np.eye(3)
ARMS = {  # joints of a chain, and the dimensions of its bodies' algebras
    "crank and coupler": ([ct.Revolute((0, 0, 0), Z), ct.Revolute((1, 0, 0), Z)], [1, 3]),
    "one axis twice": ([ct.Revolute((0, 0, 0), Z), ct.Revolute((0, 0, 1), Z)], [1, 1]),
    "spherical": ([ct.Revolute((0, 0, 0), Z), ct.Revolute((0, 0, 0), X), ct.Revolute((0, 0, 0), (1, 1, 0))], [1, 3, 3]),
    "ball": ([ct.Spherical((1, 2, 3))], [3]),
    "universal": ([ct.Universal((1, 2, 3), X, Y)], [3]),
    "SCARA": ([ct.Revolute((0, 0, 0), Z), ct.Revolute((1, 0, 0), Z), ct.Prismatic(Z)], [1, 3, 4]),
    "cylindrical": ([ct.Cylindrical((1, 0, 0), Z)], [2]),
    "screw and slide": ([ct.Helical((1, 0, 0), Z, 0.2), ct.Prismatic(Z)], [1, 2]),
    "screws of two pitches": ([ct.Helical((1, 0, 0), Z, 0.2), ct.Helical((1, 0, 0), Z, 0.3)], [1, 2]),
    "screws side by side": ([ct.Helical((1, 0, 0), Z, 0.2), ct.Helical((0, 0, 0), Z, 0.2)], [1, 3]),
    "screws and pins": ([ct.Helical((1, 0, 0), Z, 0.2), ct.Revolute((0, 0, 0), Z)], [1, 4]),
    "slides": ([ct.Prismatic(X), ct.Prismatic((1, 1, 0)), ct.Prismatic(Y), ct.Prismatic(Z)], [1, 2, 2, 3]),
    "gantry": ([ct.Prismatic(X), ct.Prismatic(Y), ct.Prismatic(Z), ct.Revolute((1, 0, 0), X)], [1, 2, 3, 4]),
    "plane": ([ct.Planar((0, 0, 0), (1, 1, 1)), ct.Revolute((3, 1, 1), (1, 1, 1))], [3, 3]),
    "slide and pin across": ([ct.Prismatic(X), ct.Revolute((0, 0, 0), Z)], [1, 3]),
    "Schoenflies": ([ct.Schoenflies(Z), ct.Schoenflies(X)], [4, 6]),
    "skew": ([ct.Revolute((0, 0, 0), Z), ct.Revolute((1, 0, 0), Y + Z)], [1, 6]),
    "free": ([ct.Free(), ct.Revolute((0, 0, 0), Z)], [6, 6]),
}


def arm(joints):
    mech = ct.Mechanism("arm")
    before = "ground"
    for k, joint in enumerate(joints):
        mech.body(f"b{k}", 1.0 + k, (0.3 + 0.4 * k, 0.1, -0.2), (0.1, 0.15, 0.2))
        mech.joint(f"j{k}", before, f"b{k}", joint)
        before = f"b{k}"
    return mech


@pytest.mark.parametrize("name", ARMS)
def test_sizes(name):
    joints, sizes = ARMS[name]
    system = arm(joints).compile()
    assert [size_of(system, f"b{k}") for k in range(len(joints))] == sizes
    rng = np.random.default_rng(1)
    q = ct.displace(system, system.q0, rng.normal(size=system.nv))
    check(system, q, rng.normal(size=system.nv), rng.normal(size=system.nv))


@pytest.mark.parametrize("name", CATALOGUE)
def test_sizes_are_those_of_the_motions(name):
    """By sampling, at the place where it is told, and displaced as a whole."""
    data, rng = CATALOGUE[name][0](), np.random.default_rng(2)
    for other in (data, displaced(data, rng, 1.0)):
        system = other.compile()
        for body in system.body_names:
            assert size_of(system, body) == closed(reached(system, body, rng)).shape[1]


def test_ladders_are_planar_and_share_their_algebras():
    system = ct.gallery.n_four_bar(30, angle=1.0).compile()
    d = division(system)
    assert {size_of(system, f"crank{k}") for k in range(31)} == {1}
    assert {size_of(system, f"coupler{k}") for k in range(30)} == {3}
    assert len(d.kept[0]) == 1 + 31 + 1  # all motions, each crank's axis, the plane
    assert d.plan.widest <= 6


def check_inside(system, rng, q, v, tau):
    """Twist and acceleration of each body are combinations of the twists that it can have, and these make up its algebra."""
    v_dot = ct.forward_dynamics(system, q, v, tau, formulation="odca").v_dot
    V, A = ct.twists(system, q, v, "spatial"), ct.accelerations(system, q, v, v_dot, "spatial")
    for body in system.body_names:
        B = reached(system, body, rng)
        assert closed(B).shape[1] == size_of(system, body)
        for x in (V[system.row_of(body)], A[system.row_of(body)]):
            assert np.abs(x - B @ (B.T @ x)).max() < 1e-9 * max(1.0, np.abs(A).max())


quick = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@quick
@given(st.integers(0, 2**32 - 1), st.sampled_from(FAMILIES), st.sampled_from(FAMILIES))
def test_accelerations_lie_in_the_algebras(seed, family, other):
    rng = np.random.default_rng(seed)
    system = random_loop(rng, (family, other), "Spherical").compile()
    check_inside(system, rng, *state(system, rng))


@quick
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_trees_too(seed, n):
    rng = np.random.default_rng(seed)
    joints = [k for k in JOINTS if k not in ("Weld", "Free")]
    system = random_tree(rng, n, joints, coordinates=("second", "group"), massless=0.0).compile()
    q = ct.displace(system, system.q0, 0.5 * rng.normal(size=system.nv))
    check_inside(system, rng, q, rng.normal(size=system.nv), rng.normal(size=system.nv))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "name", [n for n in CATALOGUE if n not in ("Stewart", "delta with rods")]
)  # balls know the axes
def test_results_do_not_depend_on_place_and_attitude(name, seed):
    data, rng = CATALOGUE[name][0](), np.random.default_rng(seed)
    here = data.compile()
    there = displaced(data, rng).compile(cut=here.cut_joints)
    q, v, tau = state(here, rng)
    a, b = (ct.forward_dynamics(s, q, v, tau, formulation="odca") for s in (here, there))
    assert a.rank == b.rank
    assert np.abs(a.v_dot - b.v_dot).max() < 1e-9 * max(1.0, np.abs(a.v_dot).max())


@pytest.mark.parametrize("exponent", range(2, 16))
@pytest.mark.parametrize("kind", ["eccentric", "tilted"])
def test_axes_that_nearly_agree(kind, exponent):
    """A second axis off by little: by a length, or by an angle. A plane from a micrometre, a sphere from a microradian."""
    off = 10.0**-exponent
    second = ct.Revolute((off, 0, 0), Z) if kind == "eccentric" else ct.Revolute((0, 0, 0), (off, 0, 1))
    system, rng = arm([ct.Revolute((0, 0, 0), Z), second, ct.Prismatic(X + Z)]).compile(), np.random.default_rng(3)
    q = 0.5 * rng.normal(size=3)
    check(system, q, rng.normal(size=3), rng.normal(size=3), tolerance=1e-9 if off > 2e-9 else 20 * off + 1e-13)


@pytest.mark.parametrize("size", [1e-15, 1e-13, 1e-12, 1e-11])
@pytest.mark.parametrize("name", ["four-bar", "spherical four-bar of Reg", "ladder", "3-UPU", "delta"])
def test_geometry_with_rounding_errors(name, size):
    """Points and axes off by as much as numbers in files are: planes stay planes."""
    data, rng = CATALOGUE[name][0](), np.random.default_rng(4)
    exact, system = data.compile(), perturbed(displaced(data, rng), rng, size).compile()
    assert sorted(division(system).parts["size"]) == sorted(division(exact).parts["size"])
    check(system, *state(system, rng), tolerance=1e-7)
