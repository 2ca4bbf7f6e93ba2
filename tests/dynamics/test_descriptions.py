"""One mechanism in several coordinates and descriptions: at one physical state every body has one acceleration."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from tests.descriptions import free_accelerations, same_state, worst_difference
from tests.random_mechanisms import JOINTS, ONE_DOF, cases, error, make_case

some = settings(max_examples=25, deadline=None)
MODERATE = {"choices": (0.0, 1e-6, 0.4, 0.7), "max_bodies": 5}  # coordinates that Newton's method finds from q0
SEVERAL = tuple(k for k in JOINTS if getattr(ct, k).kinds[0] == "group" and k not in (*ONE_DOF, "Weld"))


def in_coordinates(tree, kind):
    """Every joint in these coordinates where it has them."""
    joints = tuple(
        replace(j, coordinates=kind if kind in getattr(ct, j.kind).kinds else "auto") for j in tree.joints
    )  # fmt: skip
    return replace(tree, joints=joints)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("kind", ["group", "second", "first", "cayley", "quaternion"])
@given(c=cases(joints=(*SEVERAL, "Revolute"), coordinates=("group",), groups=("SE3",), **MODERATE))
@some
def test_coordinates(kind, group, c):
    """Group elements on SE(3) against every other kind of coordinates, and against SO(3) x R3."""
    limit = 0.8  # radians: all kinds of coordinates reach this far without a singularity
    step = np.clip(c.rng.normal(size=c.system.nv) * 0.4, -limit, limit)
    q, v = ct.displace(c.system, c.system.q0, step), c.state.v
    other = in_coordinates(c.tree, kind).compile(group=group)
    a = free_accelerations(other, *same_state(other, c.system, q, v))
    assert worst_difference(a, free_accelerations(c.system, q, v)) < 1e-9


@given(c=cases(coordinates=("group",), **MODERATE))
@some
def test_either_orientation(c):
    """Parents and children exchanged in every joint, whatever its type."""
    step = np.clip(c.rng.normal(size=c.system.nv) * 0.4, -0.8, 0.8)
    q, v = ct.displace(c.system, c.system.q0, step), c.state.v
    other = c.tree.turned().compile(group=c.system.group)
    a = free_accelerations(other, *same_state(other, c.system, q, v))
    assert worst_difference(a, free_accelerations(c.system, q, v)) < 1e-9


@given(c=cases(joints=(*ONE_DOF, "Weld")))
@some
def test_orientation_of_one_dof_joints(c):
    """The coordinate changes its sign and nothing else: so do velocity, acceleration and force."""
    turned, s = c.tree.turned().compile(), c.state
    v_dot = ct.forward_dynamics(c.system, s.q, s.v, s.tau).v_dot
    assert error(-ct.forward_dynamics(turned, -s.q, -s.v, -s.tau).v_dot, v_dot) < 1e-10
    assert error(ct.mass_matrix(turned, -s.q), ct.mass_matrix(c.system, s.q)) < 1e-12


@given(c=cases(told=1.0))
@some
def test_body_frames_and_world_frame(c):
    """Joints told in frames; the bodies' own data in frames of their own, or in the world."""
    plain = c.tree.with_joints(sides="both")
    step, s = 0.5 * c.state.v_dot, c.state
    results = []
    for tree in (plain.framed(c.rng), plain.unframed()):
        system = tree.compile(group=c.system.group)
        q = ct.displace(system, system.q0, step)
        results.append((ct.forward_dynamics(system, q, s.v, s.tau).v_dot, ct.mass_matrix(system, q)))
    (a, M), (b, N) = results
    assert error(M, N) < 1e-12
    assert np.linalg.norm(a - b) < 1e-11 * max(1.0, np.linalg.norm(b)) + 1e-15 * np.linalg.cond(N) * np.linalg.norm(b)


@given(c=cases(joints=(*ONE_DOF, "Universal", "Cylindrical"), told=0.0))
@some
def test_joint_frames_and_world_axes(c):
    """The S matrices of Geo (3) against points and axes in the world."""
    other, s = c.tree.told_locally(c.rng).compile(), c.state
    M = ct.mass_matrix(c.system, s.q)
    assert error(ct.mass_matrix(other, s.q), M) < 1e-12
    a, b = (ct.forward_dynamics(x, s.q, s.v, s.tau).v_dot for x in (other, c.system))
    assert np.linalg.norm(a - b) < (1e-11 + 1e-15 * np.linalg.cond(M)) * max(1.0, np.linalg.norm(b))


@pytest.mark.parametrize("seed", range(5))
def test_absolute_coordinates_of_free_bodies(seed):
    """Without joints but free ones, absolute coordinates are the relative ones of bodies that hang from ground."""
    c = make_case(
        seed, 4, joints=("Free",), coordinates=("group",), backward=0.0, told=0.0, branching=1.0, massless=0.0
    )
    tree = replace(c.tree, joints=tuple(replace(j, inner="ground") for j in c.tree.joints))
    first, second = tree.compile(), tree.compile(coordinates="absolute")
    q = ct.displace(first, first.q0, c.state.v_dot)
    a, b = (ct.forward_dynamics(x, q, c.state.v).v_dot for x in (first, second))
    assert error(a, b) < 1e-13


def test_a_joint_of_several_dofs_is_a_row_of_joints():
    """Coordinates of the second kind: massless bodies between one-dof joints, METHODS 4."""
    point, inertia = (0.25, 0.5, 1.0), np.diag([0.2, 0.3, 0.4])
    one, row = ct.Mechanism(), ct.Mechanism()
    body = one.body("b", 1.5, (1.0, 0.5, 0.25), inertia)
    one.joint("ball", one.ground, body, ct.Spherical(point, coordinates="second"))
    last = row.ground
    for i, axis in enumerate(np.eye(3)):
        heavy = {"mass": 1.5, "com": (1.0, 0.5, 0.25), "inertia": inertia} if i == 2 else {"mass": 0.0}
        following = row.body(f"b{i}", **heavy)
        row.joint(f"j{i}", last, following, ct.Revolute(point, axis))
        last = following
    q, v, tau = np.array([0.3, -0.5, 2.0]), np.array([1.0, 2.0, -1.0]), np.array([0.1, 0.2, 0.3])
    a, b = (ct.forward_dynamics(m.compile(), q, v, tau).v_dot for m in (one, row))
    assert error(a, b) < 1e-13
