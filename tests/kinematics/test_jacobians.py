"""Jacobians against differences of poses, against each other, and against the twists."""

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from cotree.lie import Ad, inverse, vee
from tests.random_mechanisms import PLAIN, cases, derivative, error, make_case

some = settings(max_examples=40, deadline=None)


def velocity_by_differences(system, q, direction, row, frame):
    """C^-1 dC/ds or dC/ds C^-1 along a direction of velocities."""
    C = ct.poses(system, q)[row]
    rate = derivative(lambda s: ct.poses(system, ct.displace(system, q, s * direction))[row])
    return vee(inverse(C) @ rate if frame == "body" else rate @ inverse(C))


@pytest.mark.parametrize("frame", ["body", "spatial"])
@given(c=cases(max_bodies=5))
@some
def test_columns_by_differences(frame, c):
    jacobian = ct.body_jacobian if frame == "body" else ct.spatial_jacobian
    row = c.system.row_of(c.a_body())
    J = jacobian(c.system, c.state.q, row)
    for j, direction in enumerate(np.eye(c.system.nv)):
        assert error(J[:, j], velocity_by_differences(c.system, c.state.q, direction, row, frame)) < 1e-8


@pytest.mark.parametrize("frame", ["body", "spatial"])
@given(c=cases())
@some
def test_twists(frame, c):
    """V = J v, and by differences along the motion; at mass centres, what the bodies' axes see of their velocity."""
    jacobian = ct.body_jacobian if frame == "body" else ct.spatial_jacobian
    V = ct.twists(c.system, c.state.q, c.state.v, frame)
    assert not V[0].any()
    for row in range(1, c.system.n_bodies + 1):
        assert error(jacobian(c.system, c.state.q, row) @ c.state.v, V[row]) < 1e-13
    assert error(V[-1], velocity_by_differences(c.system, c.state.q, c.state.v, c.system.n_bodies, frame)) < 1e-8
    at_centre, pose = ct.twists(c.system, c.state.q, c.state.v, "com")[-1], ct.poses(c.system, c.state.q)[-1]
    centre = c.system.mechanism.bodies[c.system.body_names[-1]].properties.com
    turning, sliding = np.split(ct.twists(c.system, c.state.q, c.state.v, "spatial")[-1], 2)
    moved = sliding + np.cross(turning, pose[:3, :3] @ centre + pose[:3, 3])
    assert error(np.concatenate([turning, moved]).reshape(2, 3) @ pose[:3, :3], at_centre.reshape(2, 3)) < 1e-12


@given(cases())
@some
def test_body_and_spatial(c):
    """J_s = Ad_C J_b."""
    poses = ct.poses(c.system, c.state.q)
    for row, name in enumerate(c.system.body_names, 1):
        body, spatial = ct.body_jacobian(c.system, c.state.q, name), ct.spatial_jacobian(c.system, c.state.q, row)
        assert error(Ad(poses[row]) @ body, spatial) < 1e-13


@given(cases())
@some
def test_spatial_column_does_not_depend_on_the_body(c):
    """One column for all bodies beyond the joint; zero for the others, and for ground."""
    columns = [ct.spatial_jacobian(c.system, c.state.q, name) for name in ("ground", *c.system.body_names)]
    assert not columns[0].any()
    reached = {"ground": np.zeros(c.system.nv, bool)}
    for j in c.tree.joints:
        own = [n == j.name or n.startswith(j.name + ".") for n in c.system.coordinate_names]
        reached[j.outer] = reached[j.inner] | np.array(own, dtype=bool)
    largest = np.max(np.abs(columns), axis=0)
    for name, J in zip(("ground", *c.system.body_names), columns, strict=True):
        assert np.array_equal(J.any(axis=0), reached[name])
        assert np.array_equal(np.abs(J), largest * reached[name])


@given(cases(joints=PLAIN, max_bodies=6))
@some
def test_columns_are_the_screws_moved(c):
    """J^s_j = Ad_(C_j m_j^-1) Y_j: the column at q is the reference screw moved with the body, METHODS 4."""
    names = {j.outer: j.name for j in c.tree.joints if j.kind != "Universal"}
    poses = ct.poses(c.system, c.state.q)
    for row, body in enumerate(c.system.body_names, 1):
        if body not in names:
            continue
        k = c.system.velocity_index(names[body])
        Y = ct.spatial_jacobian(c.system, c.system.q0, body)[:, k]
        moved = Ad(poses[row] @ inverse(c.tree.body(body).pose)) @ Y
        assert error(ct.spatial_jacobian(c.system, c.state.q, body)[:, k], moved) < 1e-13
        assert error(ct.body_jacobian(c.system, c.state.q, body)[:, k], Ad(inverse(poses[row])) @ moved) < 1e-13


def test_bodies_by_name_row_and_object():
    c = make_case(1, 4, joints=("Revolute",))
    name = c.system.body_names[2]
    by_name = ct.body_jacobian(c.system, c.state.q, name)
    assert np.array_equal(by_name, ct.body_jacobian(c.system, c.state.q, 3))
    assert np.array_equal(by_name, ct.body_jacobian(c.system, c.state.q, c.system.mechanism.bodies[name]))


def test_one_pendulum():
    """A rod that hangs along -z and swings about x through the origin: all numbers by hand."""
    mech = ct.Mechanism()
    pose = np.eye(4)
    pose[:3, 3] = 0, 0, -1
    rod = mech.body("rod", 1.0, (0, 0, 0), (1, 1, 0.1), pose=pose)
    mech.joint("hinge", mech.ground, rod, ct.Revolute((0, 0, 0), (1, 0, 0)))
    system = mech.compile()
    q = [np.pi / 2]  # the tip is at (0, 1, 0)
    assert error(ct.poses(system, q)[1][:3, 3], [0, 1, 0]) < 1e-15
    assert error(ct.spatial_jacobian(system, q, "rod")[:, 0], [1, 0, 0, 0, 0, 0]) < 1e-15
    assert error(ct.body_jacobian(system, q, "rod")[:, 0], [1, 0, 0, 0, 1, 0]) < 1e-15
    assert error(ct.twists(system, q, [2.0], "spatial")[1], [2, 0, 0, 0, 0, 0]) < 1e-15
