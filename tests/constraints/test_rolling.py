"""Balls and disks that roll on planes."""

import numpy as np
import pytest

import cotree as ct
from cotree.lie import quaternion_of
from tests.constraints.rigs import acceleration, arm, check_rows, random_state, same_in_absolute

KINDS = ({}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"})


def turn(axis, angle):
    i, c, s = "xyz".index(axis), np.cos(angle), np.sin(angle)
    R = np.eye(3)
    j, k = (i + 1) % 3, (i + 2) % 3
    R[j, j], R[j, k], R[k, j], R[k, k] = c, -s, s, c
    return R


def disk(radius=0.7, mass=1.3):
    """Thin uniform disk standing on the plane z = 0, its axis along y."""
    mech = ct.Mechanism("disk")
    theta = mass * radius**2 * np.array([0.25, 0.5, 0.25])
    mech.body("disk", mass, (0, 0, radius), theta)
    mech.joint("free", "ground", "disk", ct.Free())
    mech.rolling("contact", "disk", (0, 0, radius), radius, axis=(0, 1, 0))
    return mech


def ball(radius=0.4, slope=(0, 0, 1)):
    mech = ct.Mechanism("ball")
    n = np.array(slope) / np.linalg.norm(slope)
    mech.body("ball", 2.0, radius * n, (0.4 * 2.0 * radius**2,) * 3)
    mech.joint("free", "ground", "ball", ct.Free())
    mech.rolling("contact", "ball", radius * n, radius, plane_normal=slope)
    return mech


def general(axis):
    """A body of an arm that rolls on another one, so that surface and wheel both move."""
    mech = arm(
        ct.Revolute(axis=(0, 1, 2)),
        ct.Free(),
        ct.Revolute(point=(0.5, 0.2, 0.1), axis=(1, 0, 1)),
        ct.Spherical((0.4, 1, 0)),
    )
    mech.rolling("low", "b1", (0.1, 0.3, 0.6), 0.5, axis, (0, 0, -0.3), (0.2, -0.1, 1))
    mech.rolling("high", "b3", (0.1, 0.3, 0.6), 0.5, axis, (0.1, 0.1, -0.3), (0.2, -0.1, 1), surface="b0")
    return mech


@pytest.mark.parametrize("axis", [None, (0.3, 1, 0.2)])
@pytest.mark.parametrize("kinds", KINDS)
def test_rows_against_differences(axis, kinds):
    system = general(axis).compile(**kinds)
    for seed in (7, 8):
        q, v = random_state(system, seed)
        check_rows(system, q, v, rows=slice(-6, None), tolerance=1e-8)


@pytest.mark.parametrize("axis", [None, (0.3, 1, 0.2)])
def test_relative_and_absolute_coordinates_agree(axis):
    mech = general(axis)
    system = mech.compile()
    q = ct.assemble(system, system.q0)
    v = ct.consistent_velocity(system, q, random_state(system, 9)[1])
    assert np.abs(v).max() > 0.1
    same_in_absolute(mech, q, v)


def test_contact_is_the_lowest_point_and_its_velocity_is_zero():
    system, r = disk().compile(), 0.7
    q, v = random_state(system, 10)
    R, p = ct.poses(system, q)[1][:3, :3], ct.poses(system, q)[1][:3, 3]
    V = ct.twists(system, q, v)[1]
    angles = np.linspace(0, 2 * np.pi, 200_001)
    rim = np.array([0, 0, r]) + r * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1)
    heights = rim @ R[2] + p[2]
    lowest = rim[np.argmin(heights)]
    assert ct.constraint_residual(system, q)[2] == pytest.approx(heights.min(), abs=1e-9)
    velocity = R @ (V[3:] + np.cross(V[:3], lowest))
    rows = ct.constraint_jacobian(system, q) @ v
    assert np.linalg.norm(rows) == pytest.approx(np.linalg.norm(velocity), abs=1e-4)
    assert rows[2] == pytest.approx(velocity[2], abs=1e-4)


@pytest.mark.parametrize("lean", [0.0, 0.4, -1.1])
@pytest.mark.parametrize("kinds", KINDS)
def test_rolling_disk_against_its_closed_form(lean, kinds):
    """sympy 1.14, test_kane.py::test_rolling_disc: 3-1-2 angles, u the angular velocity in the lean frame."""
    r, g, yaw, spin, (u1, u2, u3) = 0.7, 9.81, 0.8, 1.9, (0.5, -1.4, 0.9)
    system = disk(r).compile(**kinds)
    L = turn("z", yaw) @ turn("x", lean)
    R, w, centre = L @ turn("y", spin), L @ [u1, u2, u3], r * L[:, 2]
    reference = np.array([0, 0, r])
    p, at_origin = centre - R @ reference, np.cross(w, centre) - np.cross(w, centre)
    q = np.array([*quaternion_of(R), *p])
    p_dot = at_origin + np.cross(w, p)
    v = np.array([*(R.T @ w), *(p_dot if kinds.get("group") == "SO3xR3" else R.T @ p_dot)])
    np.testing.assert_allclose(ct.constraint_jacobian(system, q) @ v, 0.0, atol=1e-12)
    assert ct.constraint_residual(system, q) == pytest.approx([0, 0, 0], abs=1e-14)
    alpha = ct.accelerations(system, q, v, acceleration(system, q, v), "spatial")[1][:3]
    tan = np.tan(lean)
    u_dot = L.T @ alpha - np.cross([u1, u3 * tan, u3], [u1, u2, u3])
    expected = [
        (6 * u2 * u3 * r - u3**2 * r * tan + 4 * g * np.sin(lean)) / (5 * r),
        -2 * u1 * u3 / 3,
        u1 * (-2 * u2 + u3 * tan),
    ]
    assert u_dot == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_ball_on_a_slope():
    """A full ball rolls down with 5/7 of the free acceleration."""
    slope = np.array([0.5, 0.0, 1.0])
    system = ball(slope=slope).compile(group="SO3xR3")
    n, gravity = slope / np.linalg.norm(slope), np.array([0, 0, -9.81])
    a = acceleration(system, system.q0, np.zeros(6))
    centre = a[3:] + np.cross(a[:3], 0.4 * n)
    assert centre == pytest.approx(5 / 7 * (gravity - n * (n @ gravity)), abs=1e-10)


def test_far_from_the_origin_rows_are_the_same():
    """A travelling wheel a million metres out: the plane is on ground, which is then far from the wheel's own origin."""
    near, far = disk().compile(group="SO3xR3"), disk().compile(group="SO3xR3")
    q, v = random_state(near, 11)
    x = q + np.array([0, 0, 0, 0, 1e6, -1e6, 0])
    np.testing.assert_allclose(ct.constraint_jacobian(far, x), ct.constraint_jacobian(near, q), atol=1e-9)
    np.testing.assert_allclose(ct.constraint_bias(far, x, v), ct.constraint_bias(near, q, v), atol=1e-8)
    np.testing.assert_allclose(ct.constraint_residual(far, x), ct.constraint_residual(near, q), atol=1e-9)


def test_mobility_of_a_disk():
    report = ct.mobility(disk())
    assert (report.differential, report.local, report.extra_rows, report.non_holonomic) == (3, 3, 3, 2)
    assert "2 non-holonomic constraint equations" in str(report)
    assert report.redundant == ()


def test_a_wheel_in_a_plane_names_its_redundant_row():
    mech = ct.Mechanism("wheel")
    mech.body("wheel", 1.0, (0, 0, 0.5), (0.1, 0.2, 0.1))
    mech.joint("plane", "ground", "wheel", ct.Planar(point=(0, 0, 0.5), normal=(0, 1, 0)))
    mech.rolling("contact", "wheel", (0, 0, 0.5), 0.5, axis=(0, 1, 0))
    system = mech.compile()
    assert ct.redundant_rows(system, system.q0) == ("contact[1]",)
    report = ct.mobility(system)
    assert (report.local, report.redundant, report.kind) == (1, ("contact[1]",), "trivial")
    assert "redundant in this configuration: contact[1]" in str(report)
    assert ct.theory.is_holonomic(system, system.q0)  # in a plane rolling is integrable


def test_a_disk_that_falls_flat_says_so():
    system = disk().compile(group="SO3xR3")
    q = np.array([*quaternion_of(turn("x", np.pi / 2)), 0, 0, 0.0])
    for call in (ct.constraint_residual, ct.constraint_jacobian):
        with pytest.raises(ct.errors.SingularError, match="rolling 'contact': the disk lies flat"):
            call(system, q)
    with pytest.raises(ct.errors.SingularError, match="rolling 'contact'"):
        ct.constraint_bias(system, q, np.zeros(6))
