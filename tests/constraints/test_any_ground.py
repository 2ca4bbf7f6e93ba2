"""Rows, dof and counts are properties of the mechanism: not of the body called ground, nor of the order of its joints."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import CATALOGUE, GROUND, Sketch, Y, prrr3, reversed_joints, sarrus
from tests.random_mechanisms import TreeData


def redrawn_about(data: TreeData, body: str, seed: int) -> ct.System:
    """Another ground, joints in another order and reversed."""
    sketch, rng = Sketch(), np.random.default_rng(seed)
    names = {GROUND: body, body: GROUND}
    order = rng.permutation(len(data.joints))
    for j in (data.joints[k] for k in order):
        ends = names.get(j.inner, j.inner), names.get(j.outer, j.outer)
        sketch.joint(j.name, j.kind, *ends, j.point, j.axis, j.other, j.pitch)
    return reversed_joints(sketch.data(), rng).compile()


def lost(system: ct.System) -> list[int]:
    """What each loop takes: its rows and the freedoms of the joint at which it is cut."""
    joints = system.mechanism.joints
    return sorted(r.kept + joints[r.joint].joint.dof for r in system.loop_rows)


def bodies(data: TreeData) -> list[str]:
    return [GROUND, *(b.name for b in data.bodies)]


@pytest.mark.parametrize("name", CATALOGUE)
def test_catalogue_with_every_body_as_ground(name):
    data = CATALOGUE[name][0]()
    expected = lost(data.compile())
    for seed, body in enumerate(bodies(data)):
        assert sum(lost(redrawn_about(data, body, seed))) == sum(expected), body


def test_3_prrr_keeps_seven_rows():
    """4 + 3, also with a link of a leg as ground [Reg 7.2]."""
    data = prrr3()
    for seed, body in enumerate(bodies(data)):
        assert sorted(r.kept for r in redrawn_about(data, body, seed).loop_rows) == [3, 4], body


def test_floating_3_prrr():
    """The free joint on a link of a leg changes nothing."""
    data = prrr3()
    for body in ("base", *(b.name for b in data.bodies[:3])):
        sketch = Sketch()
        sketch.joint("air", "Free", GROUND, body, (0, 0, 0))
        for j in data.joints:
            ends = ("base" if x == GROUND else x for x in (j.inner, j.outer))
            sketch.joint(j.name, j.kind, *ends, j.point, j.axis, j.other, j.pitch)
        assert sorted(r.kept for r in sketch.data().compile().loop_rows) == [3, 4]


def test_sarrus_keeps_four_rows():
    data = sarrus()
    for seed, body in enumerate(bodies(data)):
        assert [r.kept for r in redrawn_about(data, body, seed).loop_rows] == [4], body


def hinged_delta() -> TreeData:
    """Clavel's robot whose parallelograms are four bars with hinges; axes of different legs meet by symmetry."""
    sketch = Sketch((0, 0, -9.81))
    for i in range(3):
        c, s = np.cos(2 * np.pi * i / 3), np.sin(2 * np.pi * i / 3)
        r, t, z = np.array([c, s, 0.0]), np.array([-s, c, 0.0]), np.array([0.0, 0.0, 1.0])
        E, B = 1.6 * r - 0.4 * z, 0.4 * r - 1.4 * z
        normal = np.cross(t, B - E)
        sketch.joint(f"R{i}", "Revolute", GROUND, f"arm{i}", r, t)
        sketch.joint(f"E{i}", "Revolute", f"arm{i}", f"upper{i}", E, t)
        for k in (-1, 1):
            sketch.joint(f"u{i}{k}", "Revolute", f"upper{i}", f"rod{i}{k}", E + 0.15 * k * t, normal)
            sketch.joint(f"l{i}{k}", "Revolute", f"rod{i}{k}", f"lower{i}", B + 0.15 * k * t, normal)
        sketch.joint(f"B{i}", "Revolute", f"lower{i}", "plate", B, t)
    return sketch.data()


def test_word_of_a_symmetric_robot_in_any_order():
    """Its mobility is owed to parallelograms, whatever the order in which dimensions are changed."""
    for seed, body in enumerate([GROUND, "plate", "rod01"]):
        report = ct.mobility(redrawn_about(hinged_delta(), body, seed))
        assert (report.local, report.kind) == (3, "paradoxical"), body


def two_vertices() -> TreeData:
    """Two spherical four-bars, vertices of folded paper, with a crease in common."""
    p, q = np.zeros(3), np.array([0.0, 1.0, 0.3])
    creases = [
        ("L0", "R0", p, (0.1, -1, 0.2)), ("L0", "L1", p, (-1, 0.1, 0.3)), ("R0", "R1", p, (1, 0.2, -0.2)),
        ("L1", "R1", p, q - p), ("L1", "L2", q, (-1, -0.2, 0.1)), ("R1", "R2", q, (1, -0.1, 0.4)),
        ("L2", "R2", q, (0.2, 1, -0.1)),
    ]  # fmt: skip
    sketch = Sketch()
    for a, b, point, axis in creases:
        e = np.array(axis) / np.linalg.norm(axis)
        ends = (GROUND if x == "L0" else x for x in (a, b))
        sketch.joint(a + b, "Revolute", *ends, point + 0.4 * e, e)
    return sketch.data()


def test_spherical_loops_with_a_common_crease():
    data = two_vertices()
    for body in bodies(data):
        for seed in range(3):
            assert [r.kept for r in redrawn_about(data, body, seed).loop_rows] == [2, 2], body


def test_sides_are_those_of_the_short_loop():
    """A loop that is closed through the cut joint of another: its sides are told along it, and explain the rows it keeps."""
    data = two_vertices()
    for body in bodies(data):
        report = ct.mobility(redrawn_about(data, body, 1))
        assert all(s.startswith(("rotation", "spherical")) for r in report.rows for s in (r.side_a, r.side_b)), body


def miura(n: int, fold: float = 0.6, angle: float = 1.0) -> TreeData:
    """Folded paper of n x n facets; around each inner vertex a spherical four-bar."""
    s, c, tan = np.sin(fold), np.cos(fold), np.tan(angle)
    height, along = s * np.sin(angle), np.sqrt(1 - (s * np.sin(angle)) ** 2)
    across, shift = c * tan / np.sqrt(1 + (c * tan) ** 2), 1 / np.sqrt(1 + (c * tan) ** 2)
    P = np.array(
        [[[i * across, j * along + (i % 2) * shift, height * (j % 2)] for j in range(n + 1)] for i in range(n + 1)]
    )
    sketch = Sketch()

    def facet(i: int, j: int) -> str:
        return GROUND if (i, j) == (0, 0) else f"f{i}{j}"

    for i in range(n):
        for j in range(n):
            for k, m, a in ((i + 1, j, P[i + 1, j]), (i, j + 1, P[i, j + 1])):
                if max(k, m) < n:
                    b = P[i + 1, j + 1]
                    sketch.joint(f"{i}{j}-{k}{m}", "Revolute", facet(i, j), facet(k, m), (a + b) / 2, b - a)
    return sketch.data()


@pytest.mark.parametrize("n", [2, 3, 6])
def test_folded_paper_needs_two_rows_a_vertex(n):
    system = miura(n).compile()
    assert system.n_constraints == 2 * (n - 1) ** 2
    assert ct.mobility(system).local == 1


def small_four_bar(points: list[tuple[float, float, float]], far: float) -> TreeData:
    """Of a few millimetres, and a body that is far away."""
    sketch, names = Sketch(), [GROUND, "crank", "coupler", "rocker", GROUND]
    for i, p in enumerate(1e-3 * np.array(points)):
        sketch.joint(f"j{i}", "Revolute", names[i], names[i + 1], p)
    sketch.joint("far", "Revolute", GROUND, "far", (far, 0, 0), (0, 1, 0))
    data = sketch.data()
    near = [replace(b, com=np.round(b.com, 3)) for b in data.bodies]
    return replace(data, bodies=tuple(near))


OPEN_BAR = [(0, 0, 0), (0.6, 0.8, 0), (2.4, 1.4, 0), (2.5, 0, 0)]
FLAT_BAR = [(0, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0)]


@pytest.mark.parametrize("far", [1e2, 1e5])
def test_small_loop_with_a_distant_mass_centre(far):
    """A link that carries a mass far away, such as the Earth as a body: the loop is measured without it."""
    data = small_four_bar(OPEN_BAR, 0.0)
    bodies = tuple(replace(b, com=b.com + far * Y) if b.name == "coupler" else b for b in data.bodies)
    report = ct.mobility(replace(data, bodies=bodies).mechanism())
    assert ([r.kept for r in report.rows], report.local, report.kind, report.snappings) == ([2], 2, "trivial", ())


@pytest.mark.parametrize("far", [1e-3, 1e2, 1e5])
def test_small_loop_in_a_singular_configuration_beside_a_large_one(far):
    """A flat parallelogram, where the antiparallelogram branches off."""
    report = ct.mobility(small_four_bar(FLAT_BAR, far).mechanism())
    assert (report.local, report.differential, report.words, report.nearly) == (2, 3, "singular configuration", 0)


def test_small_loop_beside_a_large_one():
    """A millimetre four-bar and a body a hundred kilometres away: the loop has a scale of its own."""
    system = small_four_bar(OPEN_BAR, 1e5).compile()
    assert system.n_constraints == 2
    report = ct.mobility(system)
    assert (report.differential, report.local, report.words, report.nearly) == (2, 2, "regular configuration", 0)


def locked_hinge() -> TreeData:
    """Three slides, a hinge that no other joint can follow, and joints about another direction: seen at the hinge, which stands
    still, the rest is one motion group; seen at any other joint two groups meet."""
    u, w = np.array([0.6, -0.8, 0.1]), np.array([-0.5, -0.85, 0.15])
    kinds = ("Prismatic", "Prismatic", "Revolute", "Revolute", "Revolute", "Cylindrical", "Helical")
    axes = (np.array([-0.9, -0.3, 0.4]), np.array([0.1, 0.9, 0.3]), u, w, u, u, u)
    points = [
        (0.2, -0.4, -0.3),
        (-0.2, 1, -0.2),
        (-0.5, -0.2, 0.5),
        (-0.4, -1.1, 0),
        (0.1, 0.7, -2.8),
        (-0.9, -0.3, 0.9),
        (-0.3, -0.2, 1),
    ]
    pitches = (0, 0, 0, 0, 0, 0, 0.3)
    sketch, names = Sketch(), [GROUND, *(f"b{i}" for i in range(6)), GROUND]
    for i, (kind, axis, point, pitch) in enumerate(zip(kinds, axes, points, pitches, strict=True)):
        sketch.joint(f"j{i}", kind, names[i], names[i + 1], point, axis / np.linalg.norm(axis), None, pitch)
    return sketch.data()


def test_words_do_not_depend_on_the_cut_that_is_found_first():
    data = locked_hinge()
    found = {
        (r.local, r.kind, r.words)
        for seed, body in enumerate(bodies(data))
        for r in [ct.mobility(redrawn_about(data, body, seed))]
    }
    assert found == {(3, "trivial", "regular configuration")}


@pytest.mark.parametrize(("n", "body", "seed"), [(2, GROUND, 0), (2, "crank0", 1), (5, "crank2", 3)])
def test_few_regular_branches_among_many(n, body, seed):
    """Flat four-bars in a row: on most branches some of them stay flat, and on a few none does."""
    from cotree.gallery import n_four_bar
    from tests.gallery.test_any_ground import redrawn

    report = ct.mobility(redrawn(n_four_bar(n, 0.0), body, seed))
    assert (report.local, report.words) == (1, "singular configuration")


def test_several_joints_between_two_bodies():
    """Three hinges and a sleeve on one axis: the first hinge that is closed holds what the others would."""
    for order in ("hinge hinge hinge sleeve", "sleeve hinge hinge hinge", "hinge sleeve hinge hinge"):
        sketch = Sketch()
        for i, kind in enumerate(order.split()):
            joint = "Revolute" if kind == "hinge" else "Cylindrical"
            sketch.joint(f"j{i}", joint, GROUND, "leaf", (0, 0, 0.3 * i), (0, 0, 1))
        system = sketch.data().compile(cut=[f"j{i}" for i in range(1, 4)])
        report = ct.mobility(system)
        assert (sum(lost(system)), report.local, report.kind) == (4, 1, "trivial"), order
