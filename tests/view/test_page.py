"""The page of a run, as text: one harmless file of bounded size whose numbers are the run's."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cotree as ct
from cotree.errors import NotFiniteError
from cotree.integrate.events.crossings import Crossing
from cotree.integrate.events.event import Occurrence
from cotree.lie import rotation_of_quaternion, vee
from cotree.view import write_page
from cotree.view.page.data import liveliest
from cotree.view.page.writing import harmless_json, page
from cotree.view.scene import frames as frames_module
from cotree.view.scene.frames import chosen_rows, frames, greatest_turn
from tests.model.builders import four_bar, pendulum
from tests.view.pages import EVIL, Parsed, data_of, made_run, numbers, poses_in, swung

MECHANISMS = [getattr(ct.gallery, name) for name in ct.gallery.__all__]


@pytest.fixture(scope="module")
def run():
    return ct.simulate(four_bar(), 1.0, output=21)


# -- one file ------------------------------------------------------------------------------------------------


def test_the_page_is_one_file_that_refers_to_no_other(run, tmp_path):
    run.html(tmp_path / "run.html")
    assert [p.name for p in tmp_path.iterdir()] == ["run.html"]
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert text == page(run)
    assert not re.search(r"https?:|url\(|@import|\bimport\b|fetch\(|XMLHttpRequest|WebSocket|sendBeacon", text)
    for tag, attributes in Parsed(text).tags:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:,") == "data:,"
    policy = [a["content"] for t, a in Parsed(text).tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policy) == 1
    assert "default-src 'none'" in policy[0]


def test_no_place_is_left_open(run):
    assert "{{" not in page(run)


def test_words(run):
    data = data_of(run)
    assert data["certificate"] == str(run)
    assert (data["name"], data["status"], data["version"]) == ("four-bar", "done", ct.__version__)
    assert data["notes"] == []
    assert Parsed(page(run)).texts["title"] == "four-bar"


# -- numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MECHANISMS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_poses_are_those_of_the_run(make, coordinates):
    mech = make()
    if coordinates == "absolute":
        mech.joint_forces.clear()  # they need the joints' own coordinates
        mech.constraints.clear()
    run = swung(mech, rows=3, coordinates=coordinates)
    data = data_of(run)
    assert [body["name"] for body in data["bodies"]] == list(run.system.body_names)
    exact = run.poses()[:, 1:]
    np.testing.assert_allclose(poses_in(data), exact, atol=4e-7 * max(1.0, np.abs(exact).max()))
    np.testing.assert_array_equal(numbers(data["time"], "<f8"), run.t)


@pytest.mark.parametrize("make", [four_bar, ct.gallery.three_bar, ct.gallery.snakeboard])
def test_velocities_are_the_rates_of_the_poses(make):
    """By differences of a run of small steps: R' = R w^, and the mass centre's."""
    h = 1e-4
    run = ct.simulate(make(), 3 * h, step=h, output=[0, h, 2 * h, 3 * h])
    found = frames(run)
    R = rotation_of_quaternion(found.quaternions)
    spin = vee(np.swapaxes(R[1], -1, -2) @ (R[2] - R[0]) / (2 * h))
    np.testing.assert_allclose(found.spins[1], spin, atol=1e-4 * (1 + np.abs(spin).max()))
    speed = (found.centres[2] - found.centres[0]) / (2 * h)
    np.testing.assert_allclose(found.speeds[1], speed, atol=1e-5 * (1 + np.abs(speed).max()))
    stored = numbers(data_of(run)["motion"]).reshape(4, -1, 13)
    np.testing.assert_allclose(stored[..., 7:10], found.spins, rtol=1e-6, atol=1e-30)
    np.testing.assert_allclose(stored[..., 10:], found.speeds, rtol=1e-6, atol=1e-30)


def test_far_from_home_the_picture_is_as_sharp():
    """Two pendulums, one of them a million metres away: the same picture to single precision of its own size."""
    near, far = ct.Mechanism("pendulum"), ct.Mechanism("pendulum")
    away = np.array([1e6, -2e6, 3e6])
    for mech, shift in ((near, 0.0 * away), (far, away)):
        mech.body("bob", 1, shift + np.array([0.3, 0, 0]), (0.1, 0.1, 0.1))
        mech.joint("pivot", "ground", "bob", ct.Revolute(shift, (0, 1, 0)))
    q = np.linspace(0, 3, 9)
    a, b = (data_of(made_run(mech, q)) for mech in (near, far))
    np.testing.assert_allclose(numbers(b["motion"]), numbers(a["motion"]), atol=3e-7)
    np.testing.assert_allclose(np.subtract(b["origin"], a["origin"]), away, rtol=1e-12)
    assert json.dumps(b["bodies"][0]["parts"][0]) == json.dumps(a["bodies"][0]["parts"][0])
    for which in ("low", "high", "eye"):
        np.testing.assert_allclose(b["view"][which], a["view"][which], atol=1e-6)


def test_curves_and_coordinates(run):
    data = data_of(run)
    for name in ("kinetic", "potential", "total", "balance"):
        np.testing.assert_array_equal(numbers(data["curves"][name]), getattr(run.energy, name).astype("f4"))
    np.testing.assert_array_equal(numbers(data["curves"]["position"]), run.violation.astype("f4"))
    np.testing.assert_array_equal(numbers(data["curves"]["velocity"]), run.velocity_violation.astype("f4"))
    assert not {"supplied", "dissipated"} & set(data["curves"])
    np.testing.assert_array_equal(numbers(data["coordinates"]["values"]).reshape(3, -1).T, run.q.astype("f4"))
    assert data["coordinates"]["names"] == list(run.system.coordinate_names)
    assert data["coordinates"]["units"] == ["rad"] * 3


def test_what_is_not_there_is_not_plotted():
    mech = pendulum()
    mech.joint_damper("oil", "pivot", 0.3)
    data = data_of(ct.simulate(mech, 0.2, v=[1.0], output=5))
    assert set(data["curves"]) == {"kinetic", "potential", "total", "dissipated", "balance"}


def test_events_and_crossings_in_order(run):
    q, v = run.q[0], run.v[0]
    more = {"events": (Occurrence("late", 0.7, q, v), Occurrence("early", 0.1, q, v))}
    more["crossings"] = (Crossing(0.4, "passed", ("A",), "went through A", "same"),)
    marks = data_of(made_run(four_bar(), run.q, run.t, **more))["marks"]
    assert [(m["kind"], m["text"], m["t"]) for m in marks] == [
        ("event", "early", 0.1), ("crossing", "went through A", 0.4), ("event", "late", 0.7),
    ]  # fmt: skip


# -- size ----------------------------------------------------------------------------------------------------


def test_a_long_run_is_thinned_and_says_so():
    k, t_event = 40_000, 17.31234
    t = np.linspace(0, 100, k)
    q = np.sin(t)[:, None]
    some = np.random.default_rng(0).integers(0, k, 20)
    mech, event = pendulum(), Occurrence("top", t_event, q[0], q[0])
    long = made_run(mech, q, t, events=(event,))
    text = page(long)
    assert len(text) < 4_000_000
    data = json.loads(Parsed(text).texts["script#data"])
    times = numbers(data["time"], "<f8")
    assert len(times) < k
    assert (times[0], times[-1]) == (0, 100)
    assert data["notes"] == [
        f"{len(times)} of the run's {k} rows are on this page; the certificate covers all of them."
    ]
    i = np.searchsorted(t, t_event)
    assert {t[i], t[i - 1]} <= set(times)  # nothing is left out about an event
    places = np.searchsorted(t, times)
    np.testing.assert_allclose(poses_in(data)[:, 0, 0, 0], np.cos(q[places, 0]), atol=1e-6)
    assert np.abs(np.interp(t[some], times, np.cos(q[places, 0])) - np.cos(q[some, 0])).max() < 1e-4


def test_many_bodies_are_bounded_too():
    """200 bodies, 400 rows: 1.1 million numbers would be 6 MB."""
    mech, above = ct.Mechanism("chain"), "ground"
    for i in range(200):
        mech.body(f"b{i}", 1, (i + 0.5, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"j{i}", above, f"b{i}", ct.Revolute((i, 0, 0), (0, 1, 0)))
        above = f"b{i}"
    text = page(made_run(mech, np.zeros((400, 200))))
    assert len(text) < 4_000_000


@given(st.integers(0, 300), st.integers(0, 3000), st.lists(st.floats(0, 299), max_size=5))
def test_rows_are_chosen_in_order_and_within_bounds(k, most_numbers, times):
    events = tuple(Occurrence("e", t, np.zeros(1), np.zeros(1)) for t in times)
    rows = chosen_rows(made_run(pendulum(), np.zeros(k), events=events), most_numbers)
    most = max(2, most_numbers // (13 + 1 + 10))
    assert len(rows) <= (k if k <= most else most + 2 * min(len(times), most // 4))
    assert np.all(np.diff(rows) > 0)
    if k:
        assert (rows[0], rows[-1]) == (0, k - 1)


def test_fast_turns_are_said():
    """4 rad/s: a second between rows is 4 rad, half a second is 2."""
    t = np.arange(5.0)
    fast = made_run(pendulum(), 4 * t, t, np.full((5, 1), 4.0))
    assert greatest_turn(frames(fast)) == pytest.approx(4.0)
    assert "up to 4.0 rad from one frame to the next" in data_of(fast)["notes"][0]
    slow = made_run(pendulum(), 2 * t, t / 2, np.full((5, 1), 4.0))
    assert greatest_turn(frames(slow)) == pytest.approx(2.0)
    assert data_of(slow)["notes"] == []
    assert greatest_turn(frames(made_run(pendulum(), [0.0], v=[[9.0]]))) == 0.0


# -- names that would do harm ---------------------------------------------------------------------------------


def evil_run():
    mech = ct.Mechanism(EVIL)
    mech.body(EVIL, 1, (1, 0, 0), (1, 1, 1))
    mech.joint(EVIL, "ground", EVIL, ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.spring(EVIL, "ground", (0, 0, 1), EVIL, (1, 0, 0), 10.0)
    mech.bodies[EVIL] = type(mech.bodies[EVIL])(EVIL, mech.bodies[EVIL].properties, None, ct.Mesh(EVIL))
    event = Occurrence(EVIL, 0.5, np.zeros(1), np.zeros(1))
    crossing = Crossing(0.6, "passed", (EVIL,), EVIL, "same")
    return made_run(mech, [0, 0.1], events=(event,), crossings=(crossing,), message=EVIL, status=EVIL)


def test_names_do_no_harm():
    plain, evil = Parsed(page(made_run(pendulum(), [0, 0.1]))), Parsed(page(evil_run()))
    assert [tag for tag, _ in evil.tags] == [tag for tag, _ in plain.tags]
    assert evil.texts["title"] == EVIL
    data = json.loads(evil.texts["script#data"])
    assert data["name"] == data["bodies"][0]["name"] == data["joints"][0]["name"] == data["ties"][0]["name"] == EVIL
    assert "<" not in evil.texts["script#data"]


@given(st.text())
def test_any_text_survives_and_holds_no_markup(text):
    out = harmless_json({text: [text]})
    assert json.loads(out) == {text: [text]}
    assert not set("<>&") & set(out)


@pytest.mark.parametrize("name", ["{{data}}", "{{script}} \\1 \\g<0>", "-->", "<!--<script>", "é \u200d \ud800", "'\""])
def test_names_like_the_template_s_own(name, tmp_path):
    mech = pendulum(name)
    write_page(made_run(mech, [0.0]), tmp_path / "run.html")
    parsed = Parsed((tmp_path / "run.html").read_text(encoding="utf-8"))
    assert json.loads(parsed.texts["script#data"])["name"] == name
    if "\ud800" not in name:
        assert parsed.texts["title"] == name


# -- runs that did not come far -------------------------------------------------------------------------------


def test_a_run_without_rows_shows_the_reference_assembly():
    mech = four_bar()
    empty = made_run(mech, np.zeros((0, 3)), status="failed", message="nothing came of it")
    data = data_of(empty)
    assert data["status"] == "failed"
    assert "nothing came of it" in data["certificate"]
    assert data["curves"] == {}
    assert data["notes"] == ["The run has no output rows; the picture shows the reference assembly."]
    np.testing.assert_allclose(poses_in(data), np.broadcast_to(np.eye(4), (1, 3, 4, 4)), atol=1e-6)
    assert numbers(data["time"], "<f8").tolist() == [0.0]


def test_a_run_that_failed_shows_how_far_it_came():
    def stop(t):
        return -1e300 if t > 0.1 else 0.0

    mech = pendulum()
    mech.motor("motor", "pivot", stop)
    failed = ct.simulate(mech, 1.0)
    assert failed.status == "failed"
    data = data_of(failed)
    assert data["status"] == "failed"
    assert len(poses_in(data)) == len(failed.t)


def test_one_row():
    assert len(poses_in(data_of(made_run(pendulum(), [0.3])))) == 1


def test_states_that_are_no_numbers_are_refused_by_name():
    with pytest.raises(NotFiniteError, match="pivot"):
        page(made_run(pendulum(), [0.0, np.nan]))


def test_budget_is_the_one_stated():
    """As base64: 4 bytes a number and 4/3 of that in text."""
    assert frames_module.MOST_NUMBERS * 16 / 3 < 3e6


def test_quaternions_are_not_the_first_curves():
    """A body that floats: its four parts of a quaternion are as many as no other coordinates, and say little."""
    flying = ct.Mechanism("flying")
    flying.joint("air", "ground", flying.body("box", mass=1, inertia=(1, 1, 1)), ct.Free())
    units = ["1", "1", "1", "1", "m", "m", "m"]
    q = ct.simulate(flying, 0.1, v={"air.wx": 1.0}).q
    assert liveliest(units, q) == [4, 5, 6]
    assert liveliest(units[:4], q[:, :4]) == [0, 1, 2, 3]
