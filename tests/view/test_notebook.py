"""What objects show in notebooks: harmless HTML, small, which needs no network."""

import html
import json
import re

import numpy as np
import pytest

import cotree as ct
from cotree._shown import Shown
from cotree.io.step.assembly import StepAssembly
from cotree.io.step.proposals import Proposals
from cotree.studies.emergency_stop import EmergencyStop
from cotree.topology.plan import assembly_plan
from cotree.view.notebook import runs
from cotree.view.notebook.models import MOST_ROWS
from cotree.view.notebook.sketch import hull
from tests.model.builders import four_bar, pendulum
from tests.view.pages import EVIL, Parsed, made_run, numbers, poses_in
from tests.view.test_page import evil_run


def framed_page(text):
    """The page within an iframe."""
    (frame,) = [attributes for tag, attributes in Parsed(text).tags if tag == "iframe"]
    return frame


def tags(text):
    return {tag for tag, _ in Parsed(text).tags}


# -- runs ------------------------------------------------------------------------------------------------------


def test_a_run_is_its_certificate_and_its_page():
    run = ct.simulate(four_bar(), 1.0)
    text = run._repr_html_()
    assert html.escape(str(run)) in text
    assert len(text) < 200_000
    frame = framed_page(text)
    assert frame["sandbox"] == "allow-scripts"
    page = Parsed(frame["srcdoc"])
    data = json.loads(page.texts["script#data"])
    times = numbers(data["time"], "<f8")
    assert len(times) == runs.ROWS
    rows = np.searchsorted(run.t, times)
    np.testing.assert_allclose(poses_in(data), run.poses()[rows, 1:], atol=1e-6)
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttpRequest|WebSocket", frame["srcdoc"])
    assert all("src" not in attributes for _, attributes in page.tags)


@pytest.mark.parametrize("bodies", [3, 100])
def test_long_runs_stay_small(bodies):
    mech, above = ct.Mechanism("chain"), "ground"
    for i in range(bodies):
        mech.body(f"b{i}", 1, (i + 0.5, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"j{i}", above, f"b{i}", ct.Revolute((i, 0, 0), (0, 1, 0)))
        above = f"b{i}"
    text = made_run(mech, np.zeros((2000, bodies)))._repr_html_()
    assert "<iframe" in text
    assert len(text) < runs.LARGEST


def test_large_meshes_are_made_coarser(tmp_path):
    path, n = tmp_path / "ball.obj", 120
    polar, round_it = np.meshgrid(np.linspace(0, np.pi, n), np.linspace(0, 2 * np.pi, n), indexing="ij")
    points = np.stack([np.sin(polar) * np.cos(round_it), np.sin(polar) * np.sin(round_it), np.cos(polar)], -1)
    lines = [f"v {x} {y} {z}" for x, y, z in points.reshape(-1, 3)]
    lines += [f"f {i * n + j + 1} {i * n + j + 2} {(i + 1) * n + j + 2} {(i + 1) * n + j + 1}"
              for i in range(n - 1) for j in range(n - 1)]  # fmt: skip
    path.write_text("\n".join(lines))
    mech = pendulum()
    (name,) = mech.bodies
    mech.bodies[name] = type(mech.bodies[name])(name, mech.bodies[name].properties, None, ct.Mesh(path))
    data = json.loads(Parsed(framed_page(made_run(mech, [0.0, 0.1])._repr_html_())["srcdoc"]).texts["script#data"])
    corners = numbers(data["bodies"][0]["parts"][0]["triangles"]).reshape(-1, 3, 3)
    assert 1000 < len(corners) <= runs.MOST_TRIANGLES
    assert "<svg" in mech._repr_html_()


def test_what_is_too_large_is_said(monkeypatch):
    monkeypatch.setattr(runs, "LARGEST", 10_000)
    text = made_run(pendulum(), [0.0, 0.1])._repr_html_()
    assert "<iframe" not in text
    assert "run.html(path)" in text


def test_a_run_that_cannot_be_drawn_shows_its_words():
    text = made_run(pendulum(), [0.0, np.nan])._repr_html_()
    assert "<iframe" not in text
    assert "no picture" in text
    assert "pivot" in text


# -- mechanisms and systems ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ct.gallery.__all__)
def test_mechanisms_and_systems_show_tables_and_a_picture(name):
    mech = getattr(ct.gallery, name)()
    system = mech.compile()
    for shown in (mech, system):
        text = shown._repr_html_()
        assert tags(text) >= {"table", "svg", "polygon"}
        cells = Parsed(text).texts.get("td", "")
        assert len(text) < 100_000
        for word in (*list(mech.bodies)[:MOST_ROWS], *list(mech.joints)[:MOST_ROWS]):
            assert word in cells
    assert system._repr_html_().count(", cut</td>") == len(system.cut_joints)


def test_the_sketch_shows_each_body_where_it_is():
    """In the four-bar all is in one plane: the outlines of two rods that a pin joins overlap at the pin, others do not."""
    text = four_bar()._repr_html_()
    polygons = re.findall(r'<polygon points="([^"]*)"[^>]*><title>([^<]*)</title>', text)
    place = {name: np.array([x.split(",") for x in points.split()], dtype=float) for points, name in polygons}
    assert set(place) == {"crank", "coupler", "rocker", "A", "B", "C", "D"}
    for x in place.values():
        assert x.min() >= 0
        assert x[:, 0].max() <= 380
        assert x[:, 1].max() <= 280
    middle = {name: (x.min(axis=0) + x.max(axis=0)) / 2 for name, x in place.items()}
    for joint, bodies in {
        "A": ["crank"],
        "B": ["crank", "coupler"],
        "C": ["coupler", "rocker"],
        "D": ["rocker"],
    }.items():
        for body in bodies:  # an affine picture of a rod: its ends are as far from its middle as the joints are
            assert np.linalg.norm(place[body] - middle[joint], axis=1).min() < 8
    assert np.linalg.norm(place["crank"] - middle["D"], axis=1).min() > 50
    assert middle["B"][1] < middle["A"][1]  # up is up


def test_a_mechanism_that_is_not_finished_shows_what_it_has():
    mech = ct.Mechanism("begun")
    assert "0 bodies" in mech._repr_html_()
    mech.body("lonely", 1, (0, 0, 0), (1, 1, 1))
    text = mech._repr_html_()
    assert "lonely" in text
    assert "<svg" in text or "no picture yet" in text


def test_long_tables_are_cut():
    text = ct.gallery.n_four_bar(40)._repr_html_()
    assert text.count("<tr>") <= 2 * (MOST_ROWS + 2)
    assert " more</td>" in text


def test_springs_and_the_like_are_named():
    mech = pendulum()
    mech.spring("coil", "ground", (0, 0, 1), next(iter(mech.bodies)), (0.5, 0, 0), 10.0)
    text = mech._repr_html_()
    assert "springs: coil" in text
    assert "<polyline" in text


def test_the_hull_of_points():
    square = np.array([[0, 0], [2, 0], [2, 1], [0, 1.0]])
    rng = np.random.default_rng(0)
    inside = rng.uniform([0, 0], [2, 1], (50, 2))
    found = hull(np.concatenate([inside, square]))
    assert {tuple(x) for x in found} == {tuple(x) for x in square}
    x, y = found.T
    assert 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) == pytest.approx(
        2.0
    )  # the shoelace formula, counterclockwise
    assert len(hull(np.zeros((5, 2)))) == 1
    assert len(hull(np.array([[0, 0], [1, 1], [2, 2.0]]))) == 2


# -- words -----------------------------------------------------------------------------------------------------


def shown_as_text():
    mech = four_bar()
    system = mech.compile()
    q = ct.assemble(system, system.q0)
    yield ct.mobility(mech)
    yield ct.transition(system, q, np.zeros(system.nv), activate=["A"])
    yield ct.theory.assembly_plan(mech)
    yield assembly_plan(2, [0, 1, 3], [0, 0, 1], [1, 1])


def test_results_show_what_print_shows():
    for result in shown_as_text():
        text = result._repr_html_()
        assert Parsed(text).texts["pre"] == str(result)
        assert tags(text) == {"pre"}


def test_results_that_take_long_to_make_show_themselves_alike():
    for kind in (EmergencyStop, StepAssembly, Proposals):
        assert kind._repr_html_ is Shown._repr_html_


# -- no harm ---------------------------------------------------------------------------------------------------


def test_names_do_no_harm():
    run = evil_run()
    shown = [run, run.system, run.system.mechanism, ct.mobility(run.system)]
    for thing in shown:
        text = thing._repr_html_()
        assert tags(text) <= {"pre", "iframe", "div", "b", "table", "thead", "tbody", "tr", "th", "td", "svg", "rect",
                              "polygon", "polyline", "title", "details", "summary"}  # fmt: skip
        assert html.escape(EVIL) in text
        assert all(not a.startswith("on") for _, attributes in Parsed(text).tags for a in attributes)
    inner = framed_page(run._repr_html_())["srcdoc"]
    assert "img" not in tags(inner)
    assert Parsed(inner).texts["title"] == EVIL
