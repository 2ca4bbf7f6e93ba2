"""One mechanism described in several ways moves in one way."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial.transform import Rotation

import cotree as ct
from tests.descriptions import displacements, worst_difference
from tests.random_mechanisms import ONE_DOF, cases, error, inverse, make_case

some = settings(max_examples=40, deadline=None)


@given(cases(joints=(*ONE_DOF, "Weld")))
@some
def test_turning_a_joint_round_negates_its_coordinate(c):
    """q measures the child against the parent: with the two exchanged it is its negative."""
    turned = c.tree.turned().compile()
    assert turned.coordinate_names == c.system.coordinate_names
    assert worst_difference(displacements(turned, -c.state.q), displacements(c.system, c.state.q)) < 1e-13


@given(cases(joints=(*ONE_DOF, "Weld")))
@some
def test_turning_a_joint_and_its_axis_round_changes_nothing(c):
    joints = tuple(replace(j, backward=not j.backward, axis=-j.axis) for j in c.tree.joints)
    turned = replace(c.tree, joints=joints).compile()
    assert worst_difference(displacements(turned, c.state.q), displacements(c.system, c.state.q)) < 1e-13


def relative_pose(system, q, joint):
    """Child against parent."""
    poses = dict(zip(("ground", *system.body_names), ct.poses(system, q), strict=True))
    return inverse(poses[joint.parent]) @ poses[joint.child]


@pytest.mark.parametrize(
    "kind", ["Spherical", "Free", "Planar", "Schoenflies", "Cylindrical", "Universal", "Translation"]
)
def test_coordinates_keep_their_meaning_against_the_tree(kind):
    """The child's pose against the parent is the same function of q whichever of them hangs from ground."""
    c = make_case(4, 2, joints=(kind,), root="Revolute", backward=1.0, framed=1.0, massless=0.0, branching=0.0)
    base, against = c.tree.joints
    along = replace(against, inner=against.parent, outer=against.child, backward=False)
    other = replace(c.tree, joints=(replace(base, outer=along.inner), along)).compile()
    assert other.tree.sign != c.system.tree.sign
    assert error(relative_pose(other, c.state.q, along), relative_pose(c.system, c.state.q, against)) < 1e-13


@given(cases(framed=1.0, told=1.0))
@some
def test_world_frame_and_body_frames(c):
    """Body frames and joint frames are ways of writing; the motion is the same (free joints: told in the same frames)."""
    plain = c.tree.with_joints(sides="both")
    first, second = plain.compile(), plain.unframed().compile()
    step = c.state.v
    q1, q2 = (ct.displace(s, s.q0, step) for s in (first, second))
    assert worst_difference(displacements(first, q1), displacements(second, q2)) < 1e-13


@given(cases(joints=(*ONE_DOF, "Universal", "Cylindrical"), told=0.0))
@some
def test_joint_frames_and_world_axes(c):
    """Points and axes told in joint frames on both bodies."""
    other = c.tree.told_locally(c.rng).compile()
    assert worst_difference(displacements(other, c.state.q), displacements(c.system, c.state.q)) < 1e-12


def test_free_joint_is_the_pose_of_the_child():
    """q of a free joint: quaternion, scalar first, and position of the child's frame in the parent's."""
    c = make_case(2, 1, joints=("Free",), coordinates=("group",), framed=1.0, told=0.0, backward=0.0)
    C = ct.poses(c.system, c.state.q)[1]
    assert error(C[:3, 3], c.state.q[4:]) < 1e-14
    assert error(C[:3, :3], Rotation.from_quat(c.state.q[:4], scalar_first=True).as_matrix()) < 1e-14
    assert error(ct.twists(c.system, c.state.q, c.state.v)[1], c.state.v) < 1e-14


def test_velocities_of_the_direct_product():
    """On SO(3) x R3: body-fixed angular velocity, velocity of the origin of the child's frame in the parent's axes."""
    c = make_case(2, 1, "SO3xR3", joints=("Free",), coordinates=("group",), framed=1.0, told=0.0, backward=0.0)
    V = ct.twists(c.system, c.state.q, c.state.v)[1]
    R = ct.poses(c.system, c.state.q)[1][:3, :3]
    assert error(np.array([*V[:3], *(R @ V[3:])]), c.state.v) < 1e-14
    assert error(ct.theory.coordinate_rates(c.system, c.state.q, c.state.v)[4:], c.state.v[3:]) == 0.0
