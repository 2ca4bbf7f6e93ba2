"""Pairs of shapes: rows and eta against differences, gaps and normals against MuJoCo and against searches over the surfaces."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

import cotree as ct
from cotree.constraints.contacts.measure import PointTable, contact_rows, touches_of
from cotree.constraints.contacts.touch import INSIDE
from cotree.errors import ShapeError

TURNED = Rotation.from_rotvec((0.3, -0.4, 0.5)).as_matrix()
Z = (0.0, 0.0, 1.0)
SOLIDS = {
    "point": ct.Point((0.05, -0.03, 0.04)),
    "sphere": ct.Sphere((0.02, 0.01, -0.03), 0.12),
    "rod": ct.Rod((-0.2, 0.05, 0.0), (0.25, 0.0, 0.1), 0.06),
    "box": ct.Box((0.01, 0.02, 0.03), (0.3, 0.2, 0.25), TURNED),
    "cylinder": ct.Cylinder((0, 0, -0.1), (0.05, 0.02, 0.15), 0.1),
}
OVAL = ct.Profile(lambda a: (0.3 * np.cos(a) + 0.02 * np.cos(2 * a), 0.2 * np.sin(a), 0.0), Z)
SURFACES = {
    "plane": ct.Plane((0, 0, -0.2), (0.1, 0.2, 1.0)),
    "hole": ct.Hole((0.01, 0, 0), (0.1, 0.2, 1.0), 0.5),
    "slot": ct.Slot((-0.2, 0, 0), (0.3, 0.1, 0), Z, 0.4),
    "open slot": ct.Slot((-0.2, 0, 0), (0.3, 0.1, 0), Z, 0.4, open_start=True),
    "profile": OVAL,
}
PAIRS = [
    ("sphere", "sphere"), ("sphere", "point"), ("rod", "point"), ("rod", "sphere"), ("rod", "rod"), ("box", "point"),
    ("box", "sphere"), ("box", "rod"), ("box", "box"), ("plane", "point"), ("plane", "sphere"), ("plane", "rod"),
    ("plane", "box"), ("plane", "cylinder"), ("hole", "sphere"), ("hole", "rod"), ("slot", "sphere"),
    ("open slot", "sphere"), ("profile", "sphere"), ("profile", "point"), ("profile", "plane"),
]  # fmt: skip
SHAPES = SOLIDS | SURFACES


def _free_bodies() -> ct.Mechanism:
    """Two bodies that fly, with all pairs of shapes."""
    mech = ct.Mechanism("two bodies")
    for name in ("a", "b"):
        body = mech.body(name, mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.2, 0.25))
        mech.joint(name, mech.ground, body, ct.Free())
    for k, (one, two) in enumerate(PAIRS):
        sides = ("a", SHAPES[one], "b", SHAPES[two])
        mech.contact(f"{one} {two}", *(sides if k % 2 == 0 else (*sides[2:], *sides[:2])))
    return mech


@pytest.fixture(scope="module")
def system():
    return _free_bodies().compile()


@pytest.fixture(scope="module")
def states(system):
    """Positions and velocities, a few decimetres apart."""
    rng = np.random.default_rng(7)
    drawn = [0.35 * rng.normal(size=system.nv) for _ in range(6)]
    turned, over = (
        np.array((0.05, -0.08, 0.1)),
        TURNED @ (-0.08, 0.06, 0.3),
    )  # a box with a corner over a face of the other
    drawn.append(np.concatenate([turned, np.zeros(3), np.add(turned, (0.02, 0.05, 0.4)), over]))
    return [(ct.displace(system, system.q0, u), rng.normal(size=system.nv)) for u in drawn]


def test_rows_are_derivatives_of_gaps_and_eta_of_rows(system, states):
    touches, h = touches_of(system), 2e-6
    names, table = np.array([x.name for x in touches]), PointTable(system, [replace(x, near=None) for x in touches])
    families, compared = np.array([type(x).__name__ for x in touches]), set()
    for q, v in states:
        rows = contact_rows(system, q, v)
        ahead, behind = (contact_rows(system, ct.displace(system, q, s * v), v) for s in (h, -h))
        there = table.measure(system, q, v)[:, INSIDE] > 1e-4
        scale = 1.0 + np.abs(rows.eta_N) + np.abs(rows.eta_T).max(axis=1)
        usual = scale < 200.0  # not where edges are nearly parallel, or points nearly on edges
        compared |= set(families[usual & there])
        for where, got, wanted in (
            (usual & there, rows.W_N @ v, (ahead.g - behind.g) / (2 * h)),
            (usual, rows.eta_N, (ahead.W_N - behind.W_N) @ v / (2 * h)),
            *((usual, rows.eta_T[:, k], (ahead.W_T - behind.W_T)[:, k] @ v / (2 * h)) for k in (0, 1)),
        ):
            wrong = where & (np.abs(got - wanted) > 1e-6 * scale)
            assert not wrong.any(), (names[wrong], got[wrong], wanted[wrong])
    assert compared == set(families)


def test_points_that_are_measured_are_those_of_the_rows(system, states):
    touches = touches_of(system)
    table, near = PointTable(system, touches), PointTable(system, [replace(t, near=None) for t in touches])
    skipped = 0
    for q, v in states:
        rows, measured, told = contact_rows(system, q, v), near.measure(system, q, v), table.measure(system, q, v)
        there = measured[:, INSIDE] >= 0.0
        np.testing.assert_allclose(measured[:, 0], rows.g, atol=1e-13)
        np.testing.assert_allclose(measured[:, 1], rows.W_N @ v, atol=1e-10)
        np.testing.assert_allclose(measured[:, 2:4], rows.W_T @ v, atol=1e-10)
        np.testing.assert_allclose(np.linalg.norm(measured[:, 4:7], axis=1), 1.0, atol=1e-13)
        assert (measured[~there, 0] >= -measured[~there, INSIDE]).all()
        far = told[:, 0] != measured[:, 0]
        skipped += far.sum()
        assert (told[far, 0] > 0.0).all()
        assert (told[far & there, 0] <= measured[far & there, 0]).all()
    assert skipped > 100


def test_slip_is_the_difference_of_the_velocities_of_the_point(system, states):
    q, v = states[0]
    measured, touches = PointTable(system, touches_of(system)).measure(system, q, v), touches_of(system)
    inverse, h = {b: np.linalg.inv(ct.poses(system, q)[k]) for b, k in (("a", 1), ("b", 2))}, 1e-6
    moved = [ct.poses(system, ct.displace(system, q, s * v)) for s in (h, -h)]
    for x, touch in zip(measured, touches, strict=True):
        n, p, t = x[4:7], np.append(x[7:10], 1.0), x[10:13]
        u = {b: ((moved[0][k] - moved[1][k]) @ inverse[b] @ p)[:3] / (2 * h) for b, k in (("a", 1), ("b", 2))}
        slip = u[touch.body_b] - u[touch.body_a]
        np.testing.assert_allclose(x[1:4], [n @ slip, t @ slip, np.cross(n, t) @ slip], atol=1e-7)


# -- against others ---------------------------------------------------------------------------------------------


def _posed(system, rng, spread=0.5):
    way = [spread * rng.normal(size=3) if k % 2 else rng.normal(size=3) for k in range(4)]
    q = ct.displace(system, system.q0, np.concatenate(way))
    return q, ct.poses(system, q)


def _alone(one, two, **more):
    """A system of two free bodies with one pair of shapes, and its points."""
    mech = ct.Mechanism("pair")
    for name in ("a", "b"):
        body = mech.body(name, mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.2, 0.25))
        mech.joint(name, mech.ground, body, ct.Free())
    mech.contact("c", "a", one, "b", two, **more)
    system = mech.compile()
    touches = touches_of(system)
    return system, PointTable(system, [replace(t, near=None) for t in touches]), touches


def _geom(shape):
    """A shape as a geom of MuJoCo."""
    if isinstance(shape, ct.Sphere):
        return f'<geom type="sphere" size="{shape.radius}" pos="{_text(shape.center)}"/>'
    if isinstance(shape, ct.Rod):
        return f'<geom type="capsule" size="{shape.radius}" fromto="{_text((*shape.a, *shape.b))}"/>'
    w, x, y, z = np.roll(Rotation.from_matrix(shape.rotation).as_quat(), 1)
    return f'<geom type="box" size="{_text(0.5 * np.array(shape.size))}" pos="{_text(shape.center)}" quat="{w} {x} {y} {z}"/>'


def _text(numbers):
    return " ".join(repr(float(x)) for x in numbers)


@pytest.mark.parametrize(
    ("one", "two"),
    [("sphere", "sphere"), ("rod", "sphere"), ("rod", "rod"), ("box", "sphere"), ("box", "rod"), ("box", "box")],
)
def test_gaps_and_normals_are_those_of_mujoco(one, two):
    mujoco = pytest.importorskip("mujoco")
    a, b = SHAPES[one], SHAPES[two]
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option ccd_tolerance="1e-10" ccd_iterations="200"/><worldbody>'
        + "".join(
            f'<body><freejoint/>{_geom(s)}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>' for s in (a, b)
        )
        + "</worldbody></mujoco>"
    )
    data, (system, table, _), rng = mujoco.MjData(model), _alone(a, b), np.random.default_rng(11)
    agreed = 0
    for _ in range(30):
        q, P = _posed(system, rng, 0.2)
        for k in (0, 1):
            data.qpos[7 * k : 7 * k + 3] = P[k + 1, :3, 3]
            data.qpos[7 * k + 3 : 7 * k + 7] = np.roll(Rotation.from_matrix(P[k + 1, :3, :3]).as_quat(), 1)
        mujoco.mj_forward(model, data)
        ends = np.zeros(6)
        wanted = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, ends)
        if wanted < 1e-3:
            continue
        x = _least(system, table, q)
        if (one, two) == ("box", "box") and abs(x[0] - wanted) > 1e-8:  # corners and edges that face one another
            assert 0.0 < x[0] < wanted
            continue
        agreed += 1
        n = (ends[3:] - ends[:3]) / wanted  # from the one or the other
        assert abs(x[0] - wanted) < 1e-8
        np.testing.assert_allclose(x[4:7] * np.sign(n @ x[4:7]), n, atol=1e-4 if "box" in (one, two) else 1e-7)
    assert agreed >= (3 if (one, two) == ("box", "box") else 8)


def _least(system, table, q):
    """The point that is nearest, of those that face each other."""
    points = table.measure(system, q, np.zeros(system.nv))
    there = points[points[:, INSIDE] >= 0.0]
    return there[there[:, 0].argmin()] if len(there) else points[points[:, 0].argmin()]


def test_a_cylinder_touches_a_plane_with_its_lowest_point():
    c, plane = SHAPES["cylinder"], SHAPES["plane"]
    system, table, _ = _alone(plane, c)
    a, b = np.array(c.a), np.array(c.b)
    F = np.linalg.svd((b - a)[None])[2][1:]
    angles = np.linspace(0, 2 * np.pi, 20001)
    circle = c.radius * (np.cos(angles)[:, None] * F[0] + np.sin(angles)[:, None] * F[1])
    rims = np.concatenate([a + circle, b + circle])
    rng = np.random.default_rng(2)
    for _ in range(5):
        q, P = _posed(system, rng)
        n = P[1, :3, :3] @ plane.normal
        heights = (rims @ P[2, :3, :3].T + P[2, :3, 3] - P[1, :3, :3] @ plane.point - P[1, :3, 3]) @ n
        x = _least(system, table, q)
        assert abs(x[0] - heights.min()) < 1e-8
        np.testing.assert_allclose(x[4:7], n, atol=1e-14)


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-8, 1e-4])
def test_a_cylinder_that_stands_touches_all_around(tilt):
    stands = ct.Cylinder((0, 0, 0), (0, 0, 0.3), 0.1)
    system, table, _ = _alone(ct.Plane((0, 0, 0), Z), stands)
    q = ct.displace(system, system.q0, np.concatenate([np.zeros(6), (tilt, 0, 0), np.zeros(3)]))
    points = table.measure(system, q, np.zeros(system.nv))
    low = points[(points[:, 0] < 1e-6) & (points[:, INSIDE] >= 0.0)]
    assert len(low) == {0.0: 8, 1e-12: 8, 1e-8: 9, 1e-4: 1}[tilt]
    assert abs(points[:, 0].min() + 0.1 * np.sin(tilt)) < 1e-12


def _outline(slot, n=40001):
    """Points of the walls and round ends of a slot across its axis."""
    (s, e), r = np.array([slot.start, slot.end])[:, :2], slot.radius
    along = (e - s) / np.linalg.norm(e - s)
    across = np.array([-along[1], along[0]])
    t, a = np.linspace(0, 1, n)[:, None], np.linspace(-np.pi / 2, np.pi / 2, n)[:, None]
    walls = [s + t * (e - s) + k * r * across for k in (1, -1)]
    end = e + r * (np.cos(a) * along + np.sin(a) * across)
    start = s - r * (np.cos(a) * along + np.sin(a) * across)
    return np.concatenate([*walls, end] if slot.open_start else [*walls, end, start])


@pytest.mark.parametrize("which", ["slot", "open slot"])
def test_a_ball_in_a_slot_is_as_far_from_its_outline(which):
    slot, ball = SHAPES[which], ct.Sphere((0, 0, 0), 0.05)
    system, table, _ = _alone(slot, ball)
    rng, outline = np.random.default_rng(3), _outline(slot)
    for k in range(12):
        spot = np.array([*slot.start]) + (k / 8 - 0.2) * (np.array(slot.end) - slot.start)
        shift = np.append(spot[:2] + 0.1 * rng.normal(size=2), 0.3)
        q = ct.displace(system, system.q0, np.concatenate([np.zeros(9), shift]))
        away = np.linalg.norm(outline - shift[:2], axis=1)
        x = _least(system, table, q)
        assert abs(x[0] - (away.min() - ball.radius)) < 1e-8
        np.testing.assert_allclose(x[4:6], (shift[:2] - outline[away.argmin()]) / away.min(), atol=1e-3)


def _search(measure):
    """(least value, where) of a function of an angle."""
    first = np.linspace(0, 2 * np.pi, 721)
    a = first[measure(first).argmin()]
    best = minimize_scalar(measure, bounds=(a - 0.02, a + 0.02), method="bounded", options={"xatol": 1e-12})
    return best.fun, best.x


def _oval(a):
    return np.stack([0.3 * np.cos(a) + 0.02 * np.cos(2 * a), 0.2 * np.sin(a)], axis=-1)


def test_rollers_and_flats_are_as_far_from_a_profile_as_a_search_finds():
    ball = ct.Sphere((0.4, 0.1, 0.5), 0.05)
    system, table, _ = _alone(OVAL, ball)
    flat_system, flat_table, _ = _alone(OVAL, ct.Plane((0.5, 0, 0), (-1, 0.2, 0)))
    rng = np.random.default_rng(4)
    for _ in range(8):
        shift, turn = np.append(0.1 * rng.normal(size=2), 0.2), rng.uniform(-3, 3)
        R = Rotation.from_rotvec((0, 0, turn)).as_matrix()
        q = ct.displace(system, system.q0, np.concatenate([(0, 0, turn), np.zeros(6), shift]))
        local = (R.T @ (np.array(ball.center) + shift))[:2]
        away, a = _search(lambda a, local=local: np.linalg.norm(_oval(a) - local, axis=-1))
        x = _least(system, table, q)
        assert abs(x[0] - (away - ball.radius)) < 1e-9
        np.testing.assert_allclose(R.T @ x[4:7], [*((local - _oval(a)) / away), 0.0], atol=1e-5)
        q = ct.displace(flat_system, flat_system.q0, np.concatenate([(0, 0, turn), np.zeros(9)]))
        N, o = (R.T @ (-1, 0.2, 0))[:2] / np.hypot(1, 0.2), (R.T @ (0.5, 0, 0))[:2]
        depth, _ = _search(lambda a, N=N, o=o: (_oval(a) - o) @ N)
        assert abs(_least(flat_system, flat_table, q)[0] - depth) < 1e-9


# -- refused ----------------------------------------------------------------------------------------------------

BALL, RINGED = ct.Sphere((0, 0, 0), 0.1), np.linspace(0, 2 * np.pi, 600, endpoint=False)
PEAR = ct.Profile(lambda a: (*((1.0 - 0.5 * np.cos(2 * a)) * np.array((np.cos(a), np.sin(a)))), 0.0), Z)


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        (ct.Hole((0, 0, 0), Z, 0.1), BALL, "no clearance"),
        (ct.Slot((0, 0, 0), (1, 0, 0), Z, 0.05), BALL, "no clearance"),
        (ct.Profile(np.stack([np.cos(RINGED), np.sin(RINGED), 0 * RINGED], axis=1), Z), BALL, "at most 512"),
        (ct.Profile([(1, 0, 0), (0, 1, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)], Z), BALL, "two neighbouring points"),
        (PEAR, ct.Sphere((3, 0, 0), 2.0), "touches twice"),
        (PEAR, ct.Plane((3, 0, 0), (-1, 0, 0)), "straight or hollow"),
        (OVAL, ct.Cylinder((1, 0, 0), (1, 0.1, 1), 0.1), "along the profile's axis"),
        (ct.Plane((0, 0, 0), Z), ct.Mesh("nowhere.stl"), "cannot be read"),
        (BALL, SHAPES["cylinder"], "no contact between a Sphere and a Cylinder"),
    ],
)
def test_pairs_that_are_refused(one, two, words):
    with pytest.raises(ShapeError, match=words):
        _alone(one, two)


def test_a_mesh_touches_a_plane_with_the_corners_of_its_hull(tmp_path):
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.2, 0.2, 0.2)])
    faces = ["f 1 2 3", "f 1 2 4", "f 1 3 4", "f 2 3 4", "f 1 2 5"]
    (tmp_path / "m.obj").write_text("\n".join(["v " + _text(x) for x in corners] + faces))
    system, table, touches = _alone(ct.Plane((0, 0, -1), Z), ct.Mesh(tmp_path / "m.obj", scale=2.0))
    assert len(touches) == 4
    assert sorted(table.measure(system, system.q0, np.zeros(system.nv))[:, 0]) == [1.0, 1.0, 1.0, 3.0]
