"""What all pictures are made of: triangles that enclose what they should, poses between frames, where to look from."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cotree as ct
from cotree.integrate.events.event import Occurrence
from cotree.integrate.phases.phase import Switch
from cotree.lie import exp_so3, rotation_of_quaternion
from cotree.view.page.writing import page
from cotree.view.scene import scene_of
from cotree.view.scene.colours import DARK, LIGHT, hue, rgb
from cotree.view.scene.frames import frames, still
from cotree.view.scene.marks import marks
from cotree.view.scene.motion import cubic, poses_at, rotation_rate, turned
from cotree.view.scene.outlook import distance_to_see, round_above, swept_points
from cotree.view.scene.parts import box, cone, cylinder, mesh, sphere
from cotree.view.scene.reference import reference_poses
from cotree.view.scene.triangles import coil, triangles
from tests.model.builders import four_bar, pendulum
from tests.view.pages import made_run, swung

A, B = np.array([0.3, -0.2, 0.5]), np.array([1.1, 0.7, 0.1])
LENGTH = float(np.linalg.norm(B - A))
R = exp_so3([0.3, -1.1, 0.6])
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
TETRAHEDRON = CORNERS[[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]]
VOLUMES = {  # by the textbook
    "cylinder": (cylinder(A, B, 0.2), np.pi * 0.04 * LENGTH),
    "cone": (cone(A, B, 0.2), np.pi * 0.04 * LENGTH / 3),
    "capsule": (cylinder(A, B, 0.2, rounded=True), np.pi * 0.04 * LENGTH + 4 / 3 * np.pi * 0.008),
    "sphere": (sphere(A, 0.4), 4 / 3 * np.pi * 0.064),
    "box": (box(A, (0.3, 0.5, 0.7), R), 0.3 * 0.5 * 0.7),
    "mesh": (mesh(TETRAHEDRON), 1 / 6),
}


def volume(made):
    """Of what triangles enclose; positive if they face outward (divergence theorem)."""
    a, b, c = np.swapaxes(made[0][made[1]], 0, 1)
    return float(np.sum(a * np.cross(b, c)) / 6)


def open_edges(made):
    """Edges, by the places of their ends, that are not passed once in either direction; triangles without area aside."""
    places = np.round(made[0], 9) + 0.0
    count = {}
    for face in made[1]:
        corners = [tuple(places[i]) for i in face]
        if len(set(corners)) == 3:
            for a, b in itertools.pairwise([*corners, corners[0]]):
                count[a, b] = count.get((a, b), 0) + 1
    return [edge for edge, n in count.items() if count.get(edge[::-1], 0) != n]


@pytest.mark.parametrize("kind", VOLUMES)
def test_triangles_enclose_the_part_from_outside(kind):
    part, exact = VOLUMES[kind]
    fine = triangles([part], 200)
    assert volume(fine) == pytest.approx(exact, rel=1e-3)
    assert open_edges(triangles([part], 12)) == []


def test_parts_together_are_the_parts():
    parts = [part for part, _ in VOLUMES.values()]
    assert volume(triangles(parts, 24)) == pytest.approx(sum(volume(triangles([p], 24)) for p in parts), rel=1e-12)


def test_a_coil_is_a_tube_of_its_length():
    points, faces = coil(2.0, 0.1, 0.02)
    low, high = points.min(axis=0), points.max(axis=0)
    np.testing.assert_allclose(low, [-0.12, -0.12, -0.02 * np.sin(np.pi / 3)], atol=4e-3)
    np.testing.assert_allclose(high, [0.12, 0.12, 2.0 + 0.02 * np.sin(np.pi / 3)], atol=4e-3)
    assert faces.max() == len(points) - 1


# -- motion --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "t_end", "rows"), [(four_bar, 1.2, 97), (ct.gallery.spherical_double_pendulum, 0.2, 33)]
)
def test_between_frames_bodies_are_where_a_finer_run_has_them(make, t_end, rows):
    coarse, fine = (frames(ct.simulate(make(), t_end, output=n)) for n in (rows, 2 * rows - 1))
    shift = coarse.origin - fine.origin
    for k in range(1, 2 * rows - 2, 2):
        e, p = poses_at(coarse, fine.t[k])
        np.testing.assert_allclose(p + shift, fine.centres[k], atol=5e-4)
        difference = rotation_of_quaternion(e) - rotation_of_quaternion(fine.quaternions[k])
        assert np.abs(difference).max() < 5e-4


def test_at_frames_and_beyond_them_poses_are_those_of_frames():
    found = frames(swung(four_bar()))
    for k, t in enumerate(found.t):
        e, p = poses_at(found, t)
        np.testing.assert_array_equal(p, found.centres[k])
        np.testing.assert_array_equal(e, found.quaternions[k])
    np.testing.assert_array_equal(poses_at(found, -1.0)[1], found.centres[0])
    np.testing.assert_array_equal(poses_at(found, 1e9)[1], found.centres[-1])
    one = still(found_system := four_bar().compile(), found_system.q0)
    np.testing.assert_array_equal(poses_at(one, 0.3)[1], one.centres[0])


def test_full_turns_between_frames_are_not_lost():
    """At 20 rad/s and four frames a second a body turns by 5 rad from one to the next."""
    t = np.linspace(0, 1, 5)
    mech = ct.Mechanism("wheel")
    mech.body("wheel", 1, (0, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("hub", "ground", "wheel", ct.Revolute((0, 0, 0), (0, 0, 1)))
    found = frames(made_run(mech, 20 * t, t, np.full((5, 1), 20.0)))
    for x in (0.1, 0.4, 0.85):
        expected = exp_so3([0, 0, 20 * x])
        np.testing.assert_allclose(rotation_of_quaternion(poses_at(found, x)[0])[0], expected, atol=1e-9)


@given(st.lists(st.floats(-1.5, 1.5), min_size=6, max_size=6))
def test_the_rate_of_a_rotation_vector(numbers):
    """By differences: x + dx belongs to exp(x) exp(w h)."""
    x, w, h = np.array(numbers[:3]), np.array(numbers[3:]), 1e-6
    ahead, back = (turned(np.eye(3)[None], (exp_so3(x) @ exp_so3(s * h * w))[None], x[None], x[None]) for s in (1, -1))
    np.testing.assert_allclose(rotation_rate(x[None], w[None]), (ahead - back) / (2 * h), atol=1e-8)


@given(st.floats(0, 1))
def test_a_cubic_is_met_exactly(s):
    def f(x):
        return np.array([2 - x + 3 * x**2 - 0.5 * x**3])

    assert cubic(f(0), np.array([-1.0]), f(1), np.array([-1 + 6 - 1.5]), s) == pytest.approx(f(s), abs=1e-12)


@pytest.mark.parametrize("name", ct.gallery.__all__)
@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_the_reference_assembly_without_kernels(name, coordinates):
    mech = getattr(ct.gallery, name)()
    if coordinates == "absolute":
        mech.joint_forces.clear()  # they need the joints' own coordinates
        mech.constraints.clear()
    system = mech.compile(coordinates=coordinates)
    exact = ct.poses(system, system.q0)
    np.testing.assert_allclose(reference_poses(system), exact, atol=1e-12 * max(1.0, np.abs(exact).max()))
    a, b = still(system, system.q0), still(system, system.q0.copy())
    np.testing.assert_allclose(a.centres + a.origin, b.centres + b.origin, atol=1e-12 * max(1.0, np.abs(exact).max()))


# -- where to look from ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [four_bar, ct.gallery.stewart, ct.gallery.bricard])
@pytest.mark.parametrize("aspect", [0.6, 1.7])
def test_from_there_all_is_seen_and_fills_the_picture(make, aspect):
    found = frames(swung(make()))
    scene, field = scene_of(swung(make()).system, found), 0.6
    back, up = np.array(scene.view["eye"]), np.array(scene.view["up"])
    middle = (np.array(scene.view["low"]) + np.array(scene.view["high"])) / 2
    eye = middle + distance_to_see(scene.view, field, aspect) * back
    right = np.cross(up, back) / np.linalg.norm(np.cross(up, back))
    p = swept_points(found, scene.drawing.parts) - eye
    depth = -(p @ back)
    assert depth.min() > 0
    x, y = p @ right / depth / np.tan(field / 2) / aspect, p @ np.cross(back, right) / depth / np.tan(field / 2)
    assert 0.75 < max(np.abs(x).max(), np.abs(y).max()) < 0.95


@given(st.floats(1e-6, 1e6))
def test_round_numbers_above(x):
    found = round_above(x)
    assert x * (1 - 1e-8) <= found <= 2.5 * x * (1 + 1e-8)
    digits = found / 10 ** np.floor(np.log10(found * (1 + 1e-9)))
    assert min(abs(digits - d) for d in (1, 2, 5)) < 1e-6


# -- colours and marks -----------------------------------------------------------------------------------------


def test_the_page_has_the_colours_of_all_pictures():
    text = page(made_run(pendulum(), [0.0]))
    for colours in (LIGHT, DARK):
        for name, colour in colours.items():
            assert f"--{name}: {colour};" in text
    assert set(LIGHT) == set(DARK)
    assert rgb("#0072b2") == (0, 114, 178)
    assert [hue(k) for k in (0, 5, 6)] == ["c0", "c5", "c0"]


def test_switches_are_told_by_what_they_do():
    x = np.zeros(1)
    switch = Switch("pin", 0.5, x, x, changes=(("pin", "locks"), ("brake", "lets go")))
    run = made_run(pendulum(), [0, 0.1], events=(switch, Occurrence("top", 0.2, x, x)))
    assert [(m["text"], m["t"]) for m in marks(run)] == [("top", 0.2), ("pin locks; brake lets go", 0.5)]
