"""A thin disk that rolls: steady motions in closed form.

Tilt theta between the disk's axis e3 and the vertical z, e1 level in the disk's plane, e2 = e3 x e1 up its slope; the contact
is at -r e2 from the centre. Precession W about z, and w3 the component of the angular velocity along e3: w = W sin(theta) e2 +
w3 e3. No slip: centre at -r w3 e1, so that its acceleration is r w3 W (sin(theta) e3 - cos(theta) e2). The moment about the
centre, -r e2 x m (a + g z), equals W z x L with L = A W sin(theta) e2 + C w3 e3, along e1:

    (C + m r^2) w3 W sin(theta) - A W^2 sin(theta) cos(theta) + m g r cos(theta) = 0.
"""

import numpy as np
import pytest

import cotree as ct
from cotree.lie import quaternion_of

R, M, G = 0.5, 1.3, 9.81
A, C = M * R**2 / 4, M * R**2 / 2


def disk(**options):
    """Disk that stands on the plane z = 0 at the origin, its axis along y."""
    mech = ct.Mechanism("disk", (0, 0, -G))
    mech.body("disk", M, (0, 0, R), (A, C, A))
    mech.joint("free", "ground", "disk", ct.Free())
    mech.rolling("contact", "disk", (0, 0, R), R, axis=(0, 1, 0))
    return mech.compile(**options)


def directions(theta):
    """(e1, e2, e3) with e1 along x."""
    c, s = np.cos(theta), np.sin(theta)
    return np.array([1.0, 0, 0]), np.array([0, c, s]), np.array([0, -s, c])


def start(system, theta, precession, w3):
    """State with the contact at the origin: there the velocity is zero, so that the spatial twist is (w, 0)."""
    e1, e2, e3 = directions(theta)
    turn = np.stack([-e1, e3, e2], axis=1)  # the axis is body y, upright is body z
    q = np.array([*quaternion_of(turn), *(R * e2 - turn @ (0, 0, R))])
    w = precession * np.sin(theta) * e2 + w3 * e3
    v = np.linalg.solve(ct.spatial_jacobian(system, q, "disk"), [*w, 0, 0, 0])
    return q, v


def centre_and_axis(run):
    C = run.poses()[:, 1]
    return (C @ (0, 0, R, 1))[:, :3], C[:, :3, 1]


@pytest.mark.parametrize("options", [{}, {"group": "SO3xR3"}, {"coordinates": "absolute"}])
@pytest.mark.parametrize(("theta", "precession"), [(1.2, 1.5), (0.5, 9.0), (1.4, -0.5)])
def test_rolling_in_a_circle(options, theta, precession):
    """Ten seconds: centre on its circle, tilt constant. (Slow ones are steady too, but not stable: rounding tips them.)"""
    system = disk(**options)
    w3 = np.cos(theta) * (A * precession**2 * np.sin(theta) - M * G * R) / ((C + M * R**2) * precession * np.sin(theta))
    state = start(system, theta, precession, w3)
    run = ct.simulate(system, 10.0, *state, rtol=1e-11, atol=1e-11, output=41)
    assert np.abs(run.v[0] - state[1]).max() < 1e-12  # it was admissible
    centre, axis = centre_and_axis(run)
    _, e2, e3 = directions(theta)
    middle = R * e2 + R * w3 * (np.sin(theta) * e3 - np.cos(theta) * e2) / precession  # centre + a / W^2
    c, s, one = np.cos(precession * run.t), np.sin(precession * run.t), np.ones(len(run.t))
    turned = [
        np.outer(c, [x, y, 0]) + np.outer(s, [-y, x, 0]) + np.outer(one, [0, 0, z]) for x, y, z in (R * e2 - middle, e3)
    ]
    assert np.abs(centre - (turned[0] + middle)).max() < 1e-5
    assert np.abs(axis - turned[1]).max() < 1e-5
    assert np.abs(axis[:, 2] - np.cos(theta)).max() < 1e-6
    assert run.velocity_violation.max() < 1e-12
    assert np.abs(run.energy.balance).max() < 1e-7


def test_another_spin_is_not_steady():
    """The relation is what keeps the tilt: a tenth more spin, and it changes."""
    system = disk()
    w3 = np.cos(1.2) * (A * 1.5**2 * np.sin(1.2) - M * G * R) / ((C + M * R**2) * 1.5 * np.sin(1.2))
    _, axis = centre_and_axis(ct.simulate(system, 2.0, *start(system, 1.2, 1.5, 1.1 * w3)))
    assert np.abs(axis[:, 2] - np.cos(1.2)).max() > 0.01


@pytest.mark.parametrize("w3", [6.0, -20.0])
def test_rolling_straight_on(w3):
    """Upright, faster than sqrt(g / 3 r), 2.6 rad/s, so that rounding does not grow: x = -r w3 t."""
    system = disk()
    run = ct.simulate(system, 10.0, *start(system, np.pi / 2, 0.0, w3), rtol=1e-11, atol=1e-11)
    centre, axis = centre_and_axis(run)
    assert np.abs(centre[:, 0] + R * w3 * run.t).max() < 1e-8 * abs(w3)
    assert np.abs(centre[:, 1:] - (0, R)).max() < 1e-9
    assert np.abs(axis[:, 2]).max() < 1e-9


def test_spinning_on_the_spot():
    """Upright about the vertical, fast enough to stay so: W^2 > 4 g / r."""
    system = disk()
    run = ct.simulate(system, 5.0, *start(system, np.pi / 2, 12.0, 0.0))
    centre, axis = centre_and_axis(run)
    assert np.abs(centre - (0, 0, R)).max() < 1e-9
    assert np.abs(axis[:, 0] - np.sin(12.0 * run.t)).max() < 1e-6
