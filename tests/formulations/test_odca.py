"""Divide and conquer gives the accelerations, ranks, multipliers and reactions of the index-1 system."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import cotree as ct
from tests.closed_mechanisms import CATALOGUE, FAMILIES, random_loop, random_network, reversed_joints
from tests.random_mechanisms import COORDINATES, JOINTS, error, pose, random_chain, random_state, random_tree

from .divided import WAYS, check, mixed, pivots, state

GALLERY = {
    name: getattr(ct.gallery, name) for name in ct.gallery.__all__ if name not in ("snakeboard", "satellite")
} | {"snakeboard": lambda: ct.gallery.snakeboard(driven=False)}
DRIVEN = {"snakeboard": ct.gallery.snakeboard, "satellite": ct.gallery.satellite}  # know their coordinates
CUTS = ("Revolute", "Cylindrical", "Spherical", "Universal", "Prismatic", "Helical", "Planar", "Schoenflies", "Weld",
        "Translation", "PlanarTranslation")  # fmt: skip
quick = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def check_all(system, seed):
    """At the reference at rest, and at two other states."""
    rng = np.random.default_rng(seed)
    check(system, system.q0, None, rng.normal(size=system.nv))
    for _ in range(2):
        check(system, *state(system, rng))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", GALLERY)
def test_gallery(name, way):
    check_all(GALLERY[name]().compile(**way), 1)


@pytest.mark.parametrize("way", WAYS[:3])
@pytest.mark.parametrize("name", DRIVEN)
def test_gallery_with_controllers(name, way):
    check_all(DRIVEN[name]().compile(**way), 2)


@pytest.mark.parametrize("name", GALLERY)
def test_some_bodies_float(name):
    mech = GALLERY[name]()
    for group in ("SE3", "SO3xR3"):
        check_all(mixed(mech, group=group), 3)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CATALOGUE)
def test_catalogue(name, way):
    check_all(CATALOGUE[name][0]().compile(**way), 4)


# -- trees ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("backward", [0.0, 1.0])
@pytest.mark.parametrize("kind", [k for k in JOINTS if k != "Weld"])
def test_every_joint_in_every_coordinates(kind, backward, coordinates):
    rng = np.random.default_rng(5)
    options = {"joints": (kind,), "coordinates": (coordinates,), "backward": backward, "massless": 0.0}
    for n in (1, 3):
        system = random_tree(rng, n, **options).compile()
        x = random_state(rng, system)
        check(system, x.q, x.v, x.tau, rank=0)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed, group):
    rng = np.random.default_rng(seed)
    system = random_tree(rng, (2, 6, 15, 40)[seed % 4], massless=0.0, root="Free" if seed % 3 == 0 else None).compile(
        group=group
    )
    x = random_state(rng, system)
    check(system, x.q, x.v, x.tau)


@quick
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from(["SE3", "SO3xR3"]))
def test_any_tree(seed, n, group):
    rng = np.random.default_rng(seed)
    system = random_tree(rng, n, massless=0.0).compile(group=group)
    x = random_state(rng, system)
    check(system, x.q, x.v, x.tau, tolerance=1e-8)


def test_many_bodies_on_one():
    """A hub with thirty arms, which the plan can take one after another only."""
    rng, mech = np.random.default_rng(6), ct.Mechanism("hub")
    hub = mech.body("hub", 3.0, (0, 0, 0), (1, 2, 3))
    mech.joint("base", mech.ground, hub, ct.Free())
    for k in range(30):
        arm = mech.body(f"arm{k}", 1.0, rng.normal(size=3), (0.1, 0.2, 0.25))
        mech.joint(f"j{k}", hub, arm, ct.Universal(rng.normal(size=3), (1, 0, 0), (0, 1, 0)))
    system = mech.compile()
    x = random_state(rng, system)
    check(system, x.q, x.v, x.tau)


def test_nothing_moves():
    mech = ct.Mechanism("block")
    mech.body("block", 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint("glue", "ground", "block", ct.Weld())
    system = mech.compile()
    found = ct.forward_dynamics(system, system.q0, formulation="odca")
    assert found.v_dot.shape == (0,)
    assert found.rank == 0
    assert np.allclose(found.reactions["glue"], (0, 0, 0, 0, 0, 9.81))


# -- loops ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("cut", CUTS)
def test_single_loops(cut, family, seed):
    """Both chains of one family, or of two; every joint closes the loop; some joints against the tree."""
    rng = np.random.default_rng(seed)
    other = family if seed % 2 == 0 else FAMILIES[int(rng.integers(4))]
    data = reversed_joints(random_loop(rng, (family, other), cut), rng)
    for way in WAYS[seed % 2 :: 2]:
        system = data.compile(**way)
        check(system, *state(system, rng))


def least_singular_value(M, J, rank):
    """Of the rows, each of length one in the metric of M: the smallest one that is not zero."""
    A = np.linalg.solve(np.linalg.cholesky(M), J.T)
    return np.linalg.svd(A / np.maximum(np.linalg.norm(A, axis=0), 1e-9), compute_uv=False)[rank - 1] if rank else 1.0


def check_network(data, rng):
    """Nine digits of the free acceleration, or what the condition of the rows allows, which divide and conquer squares.

    Beside the projection, which is by QR; the index-1 system squares the condition itself where it is not too bad.
    """
    for way in WAYS:
        system = data.compile(**way)
        q, v, tau = state(system, rng)
        dense, divided = (ct.forward_dynamics(system, q, v, tau, formulation=f) for f in ("projection", "odca"))
        M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(system, q)
        free = np.linalg.solve(M, tau - ct.inverse_dynamics(system, q, v))
        if np.abs(J).max(initial=0.0) < 1e-12:  # rows of rounding errors hold nothing
            assert divided.rank == 0
            assert error(divided.v_dot, free) < 1e-9
            continue
        least = least_singular_value(M, J, dense.rank)
        size = max(1.0, np.abs(free).max(), np.abs(dense.v_dot).max())
        assert np.abs(divided.v_dot - dense.v_dot).max() < (1e-9 + 1e-14 / least**2) * size
        assert divided.rank == dense.rank or least < 1e-4 or pivots(system, q, v, tau)[1] < 1e-10


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", FAMILIES)
def test_networks(family, seed):
    """Loops that share bodies."""
    rng = np.random.default_rng(seed)
    check_network(reversed_joints(random_network(rng, family, 3 + seed), rng), rng)


@quick
@example(8, "planar", "planar", "Planar")  # all rows are rounding errors
@given(st.integers(0, 2**32 - 1), st.sampled_from(FAMILIES), st.sampled_from(FAMILIES), st.sampled_from(CUTS))
def test_any_single_loop(seed, family, other, cut):
    rng = np.random.default_rng(seed)
    check_network(reversed_joints(random_loop(rng, (family, other), cut), rng), rng)


@pytest.mark.parametrize("formulation", ["auto", "index1", "voronets", "odca"])
def test_rows_of_rounding_errors_hold_nothing(formulation):
    """A planar loop cut at a planar joint, with all three rows of it: at a state and in a run no row counts."""
    rng = np.random.default_rng(8)
    system = reversed_joints(random_loop(rng, ("planar", "planar"), "Planar"), rng).compile(regularize=False)
    q, v, tau = state(system, rng)
    found = ct.forward_dynamics(system, q, v, tau, formulation=formulation)
    assert (found.rank, np.abs(found.multipliers).max()) == (0, 0.0)
    run = ct.simulate(system, 0.01, q, v, formulation=formulation)
    assert (run.statistics["greatest_rank"], run.warnings) == (0, ())
    assert np.abs(run.energy.balance).max() < 1e-8


@quick
@given(st.integers(0, 2**32 - 1), st.sampled_from(FAMILIES), st.integers(2, 5))
def test_any_network(seed, family, loops):
    rng = np.random.default_rng(seed)
    check_network(random_network(rng, family, loops), rng)


def test_a_loop_that_floats():
    """A ring of bodies that nothing holds, with a tail."""
    rng, mech = np.random.default_rng(7), ct.Mechanism("ring")
    corners = [np.array([np.cos(a), np.sin(a), 0.1 * k]) for k, a in enumerate(np.arange(7) * 2 * np.pi / 7)]
    for k in range(7):
        mech.body(f"b{k}", 1.0, 0.5 * (corners[k] + corners[k - 1]), (0.1, 0.2, 0.25))
    mech.joint("base", "ground", "b5", ct.Free())
    for k in range(7):
        mech.joint(f"j{k}", f"b{k}", f"b{(k + 1) % 7}", ct.Universal(corners[k], (0, 0, 1), (1, 0.3, 0)))
    mech.body("tail", 0.5, (2, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("tail", "b0", "tail", ct.Spherical((1.5, 0, 0)))
    for system in (mech.compile(cut=["j3"]), mech.compile(cut=["j3"], group="SO3xR3"), mech.compile("absolute")):
        check(system, *state(system, rng))


# -- ladders -------------------------------------------------------------------------------------------------


def ladder_acceleration(n, angle):
    """n + 1 cranks and n couplers of one dof: -g cos(angle) ((n + 1)/2 + n) / ((n + 1)/3 + n), at any speed."""
    return -9.81 * np.cos(angle) * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
def test_ladders(n, way):
    system = ct.gallery.n_four_bar(n, angle=1.0).compile(**way)
    check(system, *state(system, np.random.default_rng(n), 0.1))


@pytest.mark.parametrize("n", [1, 7, 40, 200])
def test_ladders_have_one_acceleration(n):
    mech = ct.gallery.n_four_bar(n, angle=0.7)
    system = mech.compile()
    assert set(system.cut_joints) == {f"C{k}" for k in range(n)}
    found = ct.forward_dynamics(system, system.q0, mech.v_start, formulation="odca")
    assert np.abs(found.v_dot - ladder_acceleration(n, 0.7) * mech.v_start).max() < 1e-14 * n**2 + 1e-12
    assert found.rank == 2 * n


def test_ladder_of_forty():
    system = ct.gallery.n_four_bar(40, angle=0.9).compile()
    rng = np.random.default_rng(8)
    v = ct.consistent_velocity(system, system.q0, rng.normal(size=system.nv))
    check(system, system.q0, v, rng.normal(size=system.nv))


# -- elsewhere -----------------------------------------------------------------------------------------------

FAR = np.array([7e5, -5e5, 5e5])  # a million metres


@pytest.mark.parametrize("name", ["four-bar", "spherical four-bar of Reg", "Sarrus", "3-UPU", "Stewart", "ladder"])
def test_a_million_metres_away(name):
    """Whole metres, so that data on a grid of 2^-12 m stay exact; others are rounded to 1e-10 m out there."""
    data = CATALOGUE[name][0]()
    system, rng = data.compile(), np.random.default_rng(9)
    far = data.moved(pose(p=FAR)).compile(cut=system.cut_joints)
    q, v, tau = state(system, rng)
    assert far.coordinate_names == system.coordinate_names
    here, there = (ct.forward_dynamics(s, q, v, tau, formulation="odca") for s in (system, far))
    assert there.rank == here.rank
    assert np.abs(there.v_dot - here.v_dot).max() < 1e-7 * max(1.0, np.abs(here.v_dot).max())
    check(far, q, v, tau, tolerance=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_trees_a_million_metres_away(seed):
    rng = np.random.default_rng(seed)
    tree = random_chain(rng, 8, massless=0.0, told=0.0, framed=0.0, backward=0.0)
    near, far = tree.compile(), tree.moved(pose(p=FAR)).compile()
    x = random_state(rng, near)
    a, b = (ct.forward_dynamics(s, x.q, x.v, x.tau, formulation="odca").v_dot for s in (near, far))
    assert np.abs(a - b).max() < 1e-11 * max(1.0, np.abs(a).max())


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_travelled_a_million_metres(group):
    """Closed loops on a floating base that is far away at run time."""
    mech = ct.Mechanism("cart", gravity=(0, -9.81, 0))
    cart = mech.body("cart", 5.0, (0, 0, 0), (1, 2, 3))
    mech.joint("base", mech.ground, cart, ct.Free())
    for k, (a, b) in enumerate((((0, 0, 0), (1, 1, 0)), ((2, 0, 0), (3, 1, 0)))):
        mech.body(f"crank{k}", 1.0, (0.5 + 2 * k, 0.5, 0), (0.1, 0.1, 0.2))
        mech.joint(f"A{k}", cart, f"crank{k}", ct.Revolute(a, (0, 0, 1)))
        if k == 0:
            mech.body("coupler", 1.0, (2, 1, 0), (0.1, 0.3, 0.3))
        mech.joint(f"B{k}", f"crank{k}", "coupler", ct.Revolute(b, (0, 0, 1)))
    system, rng = mech.compile(group=group), np.random.default_rng(10)
    q, v, tau = state(system, rng)
    at = system.links[1]["iq"] + 4
    far = q.copy()
    far[at : at + 3] += FAR
    here, there = (check(system, x, v, tau).v_dot for x in (q, far))
    assert np.abs(here - there).max() < 1e-8 * np.abs(here).max()


@pytest.mark.parametrize("ratio", [1e8, 1e11])
def test_trees_of_heavy_and_light_bodies(ratio):
    """Small pivots leave doubt, but there are no constraints to look at again; as by the mass matrix, to 1e-13."""
    mech, parent = ct.Mechanism("chain", gravity=(0, -9.81, 0)), "ground"
    for k in range(6):
        mass = 1.0 if k % 2 == 0 else 1.0 / ratio
        mech.body(f"b{k}", mass, (k + 0.5, 0, 0), 0.1 * mass * np.ones(3))
        mech.joint(f"j{k}", parent, f"b{k}", ct.Revolute((k, 0, 0), (0, 0, 1)))
        parent = f"b{k}"
    system, v = mech.compile(), np.array([1.0, -0.5, 0.3, 0.2, -0.7, 0.4])
    found, dense = (ct.forward_dynamics(system, system.q0, v, formulation=f).v_dot for f in ("odca", "index1"))
    assert np.abs(found - dense).max() < 1e-11 * np.abs(dense).max()
