"""The same mechanism elsewhere, turned, or built in another order has the same accelerations.

Data a million metres from the origin carry rounding errors of 1e-10 m of their own; where a displacement is to be
exact, all lengths are multiples of 2^-12 m and it is by whole metres.
"""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from tests.random_mechanisms import (
    ANGLES,
    GRID,
    JOINTS,
    ONE_DOF,
    by_name,
    dofs_of,
    make_case,
    pose,
    random_rotation,
    random_step,
    relative_error,
)
from tests.tiers import some

from .loads import SpringData, attach, draw_joint_springs, draw_springs

FAR = np.array([7e5, -5e5, 5e5])  # a million metres
seeds = pytest.mark.parametrize("seed", some(sorted(range(20), key=lambda s: -(s % 11)), 5))  # of the most bodies first
LOCAL = {"framed": 1.0, "told": 1.0}  # everything told in frames that move along: coordinates keep their meaning
BASES = {"fixed": {}, "free": {"root": "Free"}}
groups = pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
bases = pytest.mark.parametrize("base", list(BASES))


def case(seed, group, **options):
    """A tree of up to 12 bodies; joint frames on both sides."""
    c = make_case(seed, 2 + seed % 11, group, **options)
    tree = c.tree.with_joints(sides="both")
    return replace(c, tree=tree, system=tree.compile(group=group))


def accelerations(c, tree, springs, joint_springs, step):
    """v_dot of a variant of the case at `step` from its reference, in the order of the case's own coordinates."""
    system = attach(tree, c.system.group, springs, joint_springs).system
    step, v, tau = (by_name(system, c.system, x) for x in (step, c.state.v, c.state.tau))
    q = ct.displace(system, system.q0, step)
    return by_name(c.system, system, ct.forward_dynamics(system, q, v, tau).v_dot)


def compare(c, vary):
    """Accelerations of the case and of a variant of it: (tree, springs) -> (tree, springs)."""
    springs, joint_springs = draw_springs(c, 3, True, True), draw_joint_springs(c, True, True)
    step = random_step(c.rng, c.system, ANGLES)
    a = accelerations(c, c.tree, springs, joint_springs, step)
    b = accelerations(c, *vary(c.tree, springs), joint_springs, step)
    return relative_error(b, a)


def by(T):
    return lambda tree, springs: (tree.moved(T), [s.moved(T) for s in springs])


@bases
@groups
@seeds
def test_displaced(base, group, seed):
    c = case(seed, group, **LOCAL, **BASES[base])
    assert compare(c, by(pose(p=FAR))) < 1e-11


@bases
@groups
@seeds
def test_rotated(base, group, seed):
    c = case(seed, group, **LOCAL, **BASES[base])
    assert compare(c, by(pose(random_rotation(c.rng)))) < 1e-11


@bases
@groups
@seeds
def test_displaced_and_rotated(base, group, seed):
    """Arbitrary turns make arbitrary numbers, rounded to 1e-10 m out there."""
    c = case(seed, group, **LOCAL, **BASES[base])
    assert compare(c, by(pose(random_rotation(c.rng), FAR))) < 1e-9


@bases
@groups
@seeds
def test_built_in_another_order(base, group, seed):
    c = case(seed, group, **BASES[base])
    assert compare(c, lambda tree, springs: (tree.shuffled(c.rng), springs[::-1])) < 1e-11


@pytest.mark.parametrize("framed", [0.0, 1.0])
@seeds
def test_world_frame_data_displaced(framed, seed):
    """Points and axes in the world: nothing at all is lost when the data are exact."""
    c = case(seed, "SE3", joints=(*ONE_DOF, "Universal", "Weld"), told=0.0, framed=framed)
    assert compare(c, by(pose(p=FAR))) < 1e-12


@seeds
def test_world_frame_data_rotated(seed):
    c = case(seed, "SE3", joints=(*ONE_DOF, "Universal", "Weld"), told=0.0, framed=0.0)
    assert compare(c, by(pose(random_rotation(c.rng)))) < 1e-11
    assert compare(c, by(pose(random_rotation(c.rng), FAR))) < 1e-9


def centre_accelerations(tree, system, q, v, v_dot):
    """Angular acceleration and acceleration of the mass centre of each body, in world axes."""
    A, V, poses = ct.accelerations(system, q, v, v_dot), ct.twists(system, q, v), ct.poses(system, q)
    rows = []
    for k, name in enumerate(system.body_names, 1):
        body, R = tree.body(name), poses[k][:3, :3]
        c = body.told(body.com)
        u = V[k, 3:] + np.cross(V[k, :3], c)
        rows.append([*(R @ A[k, :3]), *(R @ (A[k, 3:] + np.cross(A[k, :3], c) + np.cross(V[k, :3], u)))])
    return np.array(rows)


def with_base(c, **changes):
    """The case with another first joint; a joint that points outward measures the base against ground."""
    base = replace(c.tree.joints[0], backward=False, **changes)
    tree = replace(c.tree, joints=(base, *c.tree.joints[1:]))
    return replace(c, tree=tree, system=tree.compile(group=c.system.group))


@groups
@seeds
def test_floating_world_frame_data_displaced(group, seed):
    """The velocity of a free joint is then that of the far origin of the world, some 1e6 m/s: compare the mass centres."""
    joints = tuple(k for k in JOINTS if k != "Free")
    c = make_case(seed, 2 + seed % 8, group, joints=joints, root="Free", framed=0.0, told=0.0)
    c = with_base(c, coordinates="group")
    step, v, own = random_step(c.rng, c.system), 0.5 * c.rng.normal(size=c.system.nv), dofs_of(c.system, "joint b0")
    step[own] = 0.0
    v[own] = np.round(v[own] / GRID) * GRID
    results = []
    for shift in (0.0 * FAR, FAR):
        tree, there = c.tree.moved(pose(p=shift)), v.copy()
        system = tree.compile(group=group)
        there[own[3:]] -= np.cross(v[own[:3]], shift)
        q = ct.displace(system, system.q0, step)
        results.append(centre_accelerations(tree, system, q, there, ct.forward_dynamics(system, q, there).v_dot))
    assert relative_error(results[1], results[0]) < 1e-9


def translations(system, joint):
    """Places in q of the translations of a joint in group coordinates."""
    own = dofs_of(system, joint)
    link = system.links[system.dofs[own[0]]["link"]]
    first = int(link["iq"]) + (4 if link["rotations"] == 3 else int(link["rotations"]))
    count = bin(int(link["translations"])).count("1")
    return list(range(first, first + count)) if count else [int(link["iq"])]  # a prismatic joint


@groups
@pytest.mark.parametrize(
    "kind", ["Free", "Planar", "Translation", "PlanarTranslation", "Schoenflies", "Cylindrical", "Prismatic"]
)
@pytest.mark.parametrize("seed", some(range(6), 2))
def test_travelled_far(kind, group, seed):
    """A system whose base has travelled a million metres at run time, with springs inside it."""
    c = with_base(make_case(seed, 7, group, root=kind, framed=0.5), coordinates="group")
    system = attach(c.tree, group, draw_springs(c, 3, True, False)).system
    step = random_step(c.rng, system)
    q, v = ct.displace(system, system.q0, step), c.rng.normal(size=system.nv)
    own = translations(system, "joint b0")
    q[own] = np.round(q[own] / GRID) * GRID
    far = q.copy()
    far[own] += FAR[: len(own)]
    assert np.abs(ct.poses(system, far)[1][:3, 3]).max() > 3e5
    a, b = (ct.forward_dynamics(system, x, v).v_dot for x in (q, far))
    assert relative_error(b, a) < 1e-9
    assert relative_error(ct.mass_matrix(system, far), ct.mass_matrix(system, q)) < 1e-9
    tau, there = (ct.inverse_dynamics(system, x, v, step) for x in (q, far))
    assert relative_error(there, tau) < 1e-9


@groups
def test_two_floating_systems_travelled_together(group):
    """Springs between two systems, each with a free joint of its own."""
    c = make_case(3, 6, group, joints=("Revolute", "Spherical"), massless=0.0, backward=0.0, coordinates=("group",))
    joints = [
        replace(j, kind="Free", inner="ground", told=None) if i in (0, 3) else j for i, j in enumerate(c.tree.joints)
    ]
    joints = [replace(j, inner=f"b{i - 1}") if i not in (0, 3) else j for i, j in enumerate(joints)]
    tree = replace(c.tree, joints=tuple(joints))
    springs = [SpringData("spring", ("b1", "b4"), (np.zeros(3), np.ones(3)), 20.0, 0.5, 0.3)]
    system = attach(tree, group, springs).system
    q, v = ct.displace(system, system.q0, random_step(c.rng, system)), c.rng.normal(size=system.nv)
    far = q.copy()
    for base in ("joint b0", "joint b3"):
        own = translations(system, base)
        q[own] = np.round(q[own] / GRID) * GRID
        far[own] = q[own] + FAR
    a, b = (ct.forward_dynamics(system, x, v).v_dot for x in (q, far))
    assert relative_error(b, a) < 1e-9
