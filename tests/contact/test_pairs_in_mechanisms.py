"""Points of contact in mechanisms: loops, either order of the bodies, any ground, and a Geneva wheel by its closed form."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.contacts.measure import PointTable, contact_rows, touches_of
from cotree.constraints.contacts.touch import INSIDE

Z = (0.0, 0.0, 1.0)
BOX, ROD, BALL = (
    ct.Box((0.1, 0, 0), (0.3, 0.2, 0.25)),
    ct.Rod((-0.2, 0.05, 0), (0.25, 0, 0.1), 0.06),
    ct.Sphere((0, 0, 0), 0.12),
)
SYMMETRIC = [(BOX, BOX), (ROD, ROD), (BALL, BALL), (BOX, ROD), (BALL, ROD), (BOX, BALL)]


def _pairs(order):
    """Two free bodies with these pairs, the bodies named in one order or the other."""
    mech = ct.Mechanism("order")
    for name in ("a", "b"):
        mech.joint(name, mech.ground, mech.body(name, 1.0, (0, 0, 0), (0.1, 0.2, 0.25)), ct.Free())
    for k, (one, two) in enumerate(SYMMETRIC):
        sides = (("a", one), ("b", two))
        mech.contact(f"c{k}", *(x for side in (sides if order else sides[::-1]) for x in side))
    return mech.compile()


@pytest.fixture(scope="module")
def both():
    return _pairs(True), _pairs(False)


def _measured(system, q, v):
    """Gap and its rate of each contact: of the nearest point of those that face each other, if there are some."""
    touches = touches_of(system)
    x = PointTable(system, touches).measure(system, q, v)
    order = np.where(x[:, INSIDE] >= 0.0, x[:, 0], 1e3 + x[:, 0])
    own = [[k for k, t in enumerate(touches) if t.contact == c] for c in dict.fromkeys(t.contact for t in touches)]
    nearest = np.array([k[int(order[k].argmin())] for k in own])
    return np.where(order[nearest] < 1e3, x[nearest, :2].T, 0.0).T


def _near(system, rng):
    way = np.concatenate([rng.normal(size=3), 0.1 * rng.normal(size=3), rng.normal(size=3), 0.3 * rng.normal(size=3)])
    return ct.displace(system, system.q0, way), rng.normal(size=system.nv)


def test_the_order_of_the_bodies_makes_no_difference(both):
    rng = np.random.default_rng(5)
    for _ in range(3):
        q, v = _near(both[0], rng)
        np.testing.assert_allclose(_measured(both[0], q, v), _measured(both[1], q, v), atol=1e-9)


def test_a_common_motion_makes_no_difference(both):
    system, rng = both[0], np.random.default_rng(6)
    q, v = _near(system, rng)
    P, C = ct.poses(system, q), np.eye(4)
    C[:3, :3], C[:3, 3] = ct.poses(system, _near(system, rng)[0])[1, :3, :3], (3.0, -2.0, 1.0)
    q2 = np.concatenate([[*_quaternion(C[:3, :3] @ P[k, :3, :3]), *(C @ P[k])[:3, 3]] for k in (1, 2)])
    np.testing.assert_allclose(
        _measured(system, q2, v), _measured(system, q, v), atol=1e-9
    )  # velocities are the bodies' own


def _quaternion(R):
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(R).as_quat(), 1)


def test_rows_across_loops_are_derivatives_of_gaps():
    mech = ct.gallery.four_bar()
    coupler, rocker = list(mech.bodies)[1:3]
    cam = ct.Profile(lambda a: (0.5 + 0.3 * np.cos(a), -0.5 + 0.2 * np.sin(a), 0.0), Z)
    mech.contact("cam", mech.ground, cam, coupler, ct.Sphere((1.5, 1.1, 0), 0.1))
    mech.contact("hole", rocker, ct.Hole((2.45, 0.7, 0), Z, 0.2), coupler, ct.Sphere((2.4, 0.75, 0), 0.1))
    mech.contact(
        "rods", mech.ground, ct.Rod((0, 2, -1), (3, 2.2, 1), 0.1), coupler, ct.Rod((0.6, 0.8, 0), (2.4, 1.4, 0), 0.1)
    )
    system, rng = mech.compile(), np.random.default_rng(8)
    q, v, h = ct.displace(system, system.q0, 0.1 * rng.normal(size=system.nv)), rng.normal(size=system.nv), 1e-6
    rows = contact_rows(system, q, v)
    ahead, behind = (contact_rows(system, ct.displace(system, q, s * v), v) for s in (h, -h))
    np.testing.assert_allclose((ahead.W_N - behind.W_N) @ v / (2 * h), rows.eta_N, atol=1e-6)
    np.testing.assert_allclose((ahead.W_T - behind.W_T) @ v / (2 * h), rows.eta_T, atol=1e-6)
    facing = (ahead.g != rows.g) & (np.abs((ahead.g - behind.g) / (2 * h) - rows.W_N @ v) < 1e-7)
    assert facing.sum() >= 4


def _geneva():
    """Crank of length 1 about the origin, wheel with one open slot about (sqrt(2), 0), the pin on the line between."""
    mech = ct.Mechanism("Geneva", gravity=(0, 0, 0))
    far = np.sqrt(2.0)
    crank = mech.body("crank", 1.0, (0, 0, 0), (1, 1, 1))
    wheel = mech.body("wheel", 1.0, (far, 0, 0), (1, 1, 1))
    mech.joint("crank", mech.ground, crank, ct.Revolute((0, 0, 0), Z))
    mech.joint("wheel", mech.ground, wheel, ct.Revolute((far, 0, 0), Z))
    slot = ct.Slot((far - 1.0, 0, 0), (far - 0.4, 0, 0), Z, 0.1, open_start=True)
    mech.contact("pin", wheel, slot, crank, ct.Sphere((1.0, 0, 0), 0.1 - 1e-3))
    return mech.compile()


def test_a_geneva_wheel_moves_as_its_closed_form():
    system, lam = (
        _geneva(),
        np.sqrt(2.0),
    )  # contact_geneva_drive_4: beta = atan2(sin a, lam - cos a), textbook kinematics
    order = [system.v_index("crank"), system.v_index("wheel")]
    for a in (0.0, 0.2, -0.5, np.pi / 4 - 1e-3):
        d = 1.0 + lam**2 - 2.0 * lam * np.cos(a)
        beta, ratio = np.arctan2(np.sin(a), lam - np.cos(a)), (lam * np.cos(a) - 1.0) / d
        bend = -lam * (lam**2 - 1.0) * np.sin(a) / d**2
        q, v, v_dot = np.zeros(2), np.zeros(2), np.zeros(2)
        q[order], v[order], v_dot[order] = (a, -beta), (1.0, -ratio), (0.0, -bend)
        rows = contact_rows(system, q, v)
        np.testing.assert_allclose(rows.g, 1e-3, atol=1e-14)  # in the middle of the slot
        np.testing.assert_allclose(rows.W_N @ v, 0.0, atol=1e-14)
        np.testing.assert_allclose(rows.W_N @ v_dot + rows.eta_N, 0.0, atol=1e-12)
    assert abs(lam - 1.0 - 1.0 / (1.0 + lam)) < 1e-15
    q[order] = 0.0, 0.0
    rows = contact_rows(system, q, np.zeros(2))
    assert abs(-rows.W_N[0, order[0]] / rows.W_N[0, order[1]] + 2.4142135623730945) < 1e-12  # max_velocity_ratio


def test_a_cam_lifts_its_follower_as_the_closed_form():
    mech = ct.Mechanism("cam", gravity=(0, 0, 0))
    cam = mech.body("cam", 1.0, (0, 0, 0), (1, 1, 1))
    follower = mech.body("follower", 1.221, (0, 0.1, 0), (1, 1, 1))
    mech.joint("turn", mech.ground, cam, ct.Revolute((0, 0, 0), Z))
    mech.joint("lift", mech.ground, follower, ct.Prismatic(axis=(0, 1, 0)))
    e, r = 0.01, 0.05  # a round cam about (0, e): its flat follower moves as e cos(w t), contact_cam_follower_liftoff
    mech.contact(
        "c",
        cam,
        ct.Profile(lambda a: (r * np.cos(a), e + r * np.sin(a), 0.0), Z),
        follower,
        ct.Plane((0, e + r, 0), (0, -1, 0)),
    )
    system = mech.compile()
    turn, lift = system.v_index("turn"), system.v_index("lift")
    for a in (0.0, 0.7, 2.0, -3.0):
        q, v = np.zeros(2), np.zeros(2)
        q[turn], q[lift], v[turn], v[lift] = a, e * (np.cos(a) - 1.0), 1.0, -e * np.sin(a)
        rows = contact_rows(system, q, v)
        np.testing.assert_allclose([rows.g[0], rows.W_N[0] @ v], 0.0, atol=1e-9)
        np.testing.assert_allclose(rows.eta_N[0], e * np.cos(a), atol=1e-9)
