"""The studio's bench without a browser: what is opened, moved, set, run and saved is what the library does with it."""

import json

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, CotreeError, UnknownNameError
from cotree.studio import Bench
from cotree.studio.loops import REDUNDANT, SINGULAR, marked_joints
from cotree.studio.modes import modes_near
from cotree.studio.readings import read, sensors


@pytest.fixture
def bench():
    return Bench.of_gallery("four_bar")


def test_moves_keep_the_loops_closed(bench):
    for value in (0.5, -0.7, 0.9):
        assert bench.move("A", value)
        assert bench.closure() < 1e-12
        assert bench.q[bench.system.q_index("A")] == value
    assert not bench.move("A", 3.0)  # the crank cannot go round
    assert bench.closure() < 1e-12
    with pytest.raises(UnknownNameError, match="'A'"):
        bench.move("a", 0.1)


def test_a_run_is_that_of_the_library(bench):
    bench.move("A", 0.3)
    bench.add("motor", "A", 25.0)
    bench.add("spring", "D", 4.0)
    bench.add("damper", "B", 0.2)
    bench.push("coupler", (1.0, 2.0, 0.0))
    bench.set_rate("A", 0.5)
    heard = []
    name, run = bench.run(1.0, heard.append)
    mech = ct.gallery.four_bar()
    q = ct.assemble(mech.compile(), {"A": 0.3})
    mech.motor("m", "A", 25.0)
    mech.joint_spring("s", "D", 4.0, rest=float(q[mech.compile().q_index("D")]))
    mech.joint_damper("d", "B", 0.2)
    mech.force("f", "coupler", (1.0, 2.0, 0.0))
    other = ct.simulate(mech, 1.0, q, {"A": 0.5}, output=401)
    np.testing.assert_allclose(run.q, other.q, atol=1e-7)
    assert name == "run 1"
    assert heard
    assert heard == sorted(heard)
    np.testing.assert_allclose(read(run, "joint C: angle [rad]"), run.joint("C").angle)
    np.testing.assert_allclose(read(run, "element motor of A: force [N, N m]"), 25.0)
    for label in sensors(run.system):  # all of them can be read
        assert read(run, label).shape == (401,), label
    with pytest.raises(UnknownNameError, match="no sensor"):
        read(run, "joint X: angle [rad]")


def test_what_was_set_can_be_changed_and_taken_away(bench):
    bench.add("motor", "A", 25.0)
    bench.add("motor", "A", 5.0)
    assert bench.mech.joint_forces["motor of A"].torque.tolist() == [5.0]
    bench.add("motor", "A", 0.0)
    assert not bench.mech.joint_forces
    assert not bench.added
    bench.push("crank", (1, 0, 0))
    bench.push("crank", (0, 0, 0))
    assert not bench.mech.loads
    bench.set_rate("A", 1.0)
    bench.set_rate("A", 0.0)
    assert bench.rates == {}
    assert not ct.gallery.four_bar().joint_forces


def test_a_spring_between_points_is_that_of_the_library(bench):
    """The places are those of the posture; the points move with their bodies."""
    bench.move("A", 0.4)
    here = bench.centre("coupler")
    np.testing.assert_allclose(here, ct.simulate(bench.system, 1e-3, bench.q).point("coupler").position[0], atol=1e-12)
    name = bench.tie("ground", (0.5, 3.0, 0.0), "coupler", here, 80.0, 3.0)
    assert bench.set_words() == f"{name}: 80 N/m, 3 N s/m, {np.linalg.norm(here - (0.5, 3.0, 0.0)):.4g} m long"
    run = bench.run(0.5)[1]
    mech = ct.gallery.four_bar()
    com = mech.bodies["coupler"].properties.com
    mech.spring(
        "s", "ground", (0.5, 3.0, 0.0), "coupler", com, 80.0, float(np.linalg.norm(here - (0.5, 3.0, 0.0))), 3.0
    )
    other = ct.simulate(mech, 0.5, bench.q, output=401)
    np.testing.assert_allclose(run.q, other.q, atol=1e-8)
    np.testing.assert_allclose(read(run, f"element {name}: force [N, N m]"), other.element("s").force, atol=1e-6)
    assert abs(run.element(name).force[0]) < 1e-9  # at rest as it is
    again = Bench.of_bytes("model.json", bench.model_file())
    np.testing.assert_allclose(again.run(0.5)[1].q, run.q, atol=1e-9)
    bench.tie("coupler", here, "ground", (0.0, 3.0, 0.0), -80.0)  # takes its place
    assert list(bench.mech.springs) == ["spring from coupler to ground"]
    assert "(negative: it pushes away from its rest)" in bench.set_words()
    bench.tie("coupler", here, "ground", (0.0, 3.0, 0.0), 0.0)
    assert not bench.mech.springs
    assert bench.set_words() == ""


def test_negative_damping_is_refused_and_nothing_is_changed(bench):
    bench.add("damper", "A", 2.0)
    for wrong in (
        lambda: bench.add("damper", "A", -1.0),
        lambda: bench.tie("ground", (0, 3, 0), "coupler", (1, 1, 0), 1.0, -0.1),
    ):
        with pytest.raises(ChoiceError, match="a negative one would drive the motion"):
            wrong()
    assert bench.mech.joint_forces["damper of A"].damping == 2.0
    assert not bench.mech.springs


def test_saved_and_opened_again_it_is_the_same(bench):
    bench.move("A", 0.4)
    bench.add("motor", "A", 3.0)
    bench.set_rate("A", 0.7)
    content = bench.model_file()
    assert json.loads(content)["q_start"] == bench.q.tolist()
    again = Bench.of_bytes("../../x/model.JSON", content)
    np.testing.assert_allclose(again.q, bench.q, atol=1e-15)
    first, second = bench.run(0.5)[1], again.run(0.5)[1]
    np.testing.assert_allclose(second.q, first.q, atol=1e-9)
    np.testing.assert_allclose(second.v[0], first.v[0], atol=1e-12)
    assert b"run 1" not in bench.page_file("run 1")
    bench.run(0.5)
    assert b"run 1" in bench.page_file("run 2", arrows=True)
    pytest.importorskip("h5py")
    assert bench.run_file("run 1")[:4] == b"\x89HDF"


def test_what_a_browser_may_send_is_bounded(bench, monkeypatch):
    for wrong, words in (
        (lambda: Bench.of_bytes("a.exe", b""), "not a model file"),
        (lambda: Bench.of_bytes("a.json", b" " * (21 << 20)), "up to 20 MB"),
        (lambda: Bench.of_bytes("a.json", b"{"), "not valid JSON"),
        (lambda: Bench.of_gallery("four_ba"), "four_bar"),
        (lambda: bench.add("rocket", "A", 1.0), "cannot be added"),
        (lambda: bench.add("motor", "X", 1.0), "no one-DOF joint"),
        (lambda: bench.add("motor", "A", float("nan")), "motor of joint"),
        (lambda: bench.push("X", (1, 0, 0)), "is not a body"),
        (lambda: bench.push("crank", ("a", 0, 0)), "load on body"),
        (lambda: bench.tie("ground", (0, 0, 0), "X", (1, 0, 0), 1.0), "'X' is not a body; the bodies are"),
        (lambda: bench.tie("crank", (0, 0, 0), "crank", (1, 0, 0), 1.0), "two bodies"),
        (lambda: bench.tie("ground", (1, 0, 0), "crank", (1, 0, 0), 1.0), "apart from each other"),
        (lambda: bench.tie("ground", (float("nan"), 0, 0), "crank", (1, 0, 0), 1.0), "place"),
        (lambda: bench.run(1e9), "up to 1000 s"),
        (lambda: bench.run(-1.0), "end"),
        (lambda: bench.run_named("run 7"), "no run yet"),
    ):
        with pytest.raises(CotreeError, match=words):
            wrong()
    monkeypatch.setattr("cotree.studio.bench.MOST_ADDED", 1)
    bench.add("motor", "A", 1.0)
    with pytest.raises(ChoiceError, match="as many as"):
        bench.add("motor", "B", 1.0)
    monkeypatch.setattr("cotree.studio.bench.MOST_RUNS", 2)
    for _ in range(3):
        bench.run(0.01)
    assert list(bench.runs) == ["run 2", "run 3"]
    with pytest.raises(UnknownNameError, match="run 2"):
        bench.run_named("run2")


def test_a_run_can_be_stopped(bench):
    def stop(t):
        raise KeyboardInterrupt

    assert bench.run(100.0, stop)[1].status == "interrupted"


def test_redundant_and_singular_loops_are_marked():
    bench = Bench.of_gallery("four_bar")
    marked = marked_joints(bench.system, bench.q, bench.mobility())
    assert marked == dict.fromkeys("ABCD", REDUNDANT)
    chain = Bench.of_gallery("pendulum_chain")
    assert marked_joints(chain.system, chain.q, chain.mobility()) == {}
    flat = ct.Mechanism("flat parallelogram")
    points = {"A": (0, 0, 0), "B": (1, 0, 0), "C": (3, 0, 0), "D": (2, 0, 0)}
    bars = [
        flat.body(ends, shape=ct.Rod(points[ends[0]], points[ends[1]]), density=1000) for ends in ("AB", "BC", "CD")
    ]
    for name, parent, child in (
        ("A", flat.ground, bars[0]),
        ("B", *bars[:2]),
        ("C", *bars[1:]),
        ("D", flat.ground, bars[2]),
    ):
        flat.joint(name, parent, child, ct.Revolute(points[name], (0, 0, 1)))
    folded = Bench(flat)
    report = folded.mobility()
    assert report.singular
    assert set(marked_joints(folded.system, folded.q, report).values()) == {SINGULAR}


def test_modes_swing_at_the_frequency_of_a_small_oscillation():
    bench = Bench.of_gallery("four_bar")
    found = modes_near(bench.system, bench.q)
    (mode,) = found.modes
    run = ct.simulate(
        bench.system, 3.0, ct.assemble(bench.system, found.q + np.array([1e-4, 0, 0]), fixed=["A"]), output=3001
    )
    swing = run.joint("A").angle - found.q[bench.system.q_index("A")]
    turns = run.t[1:][np.diff(np.sign(swing)) != 0]
    assert mode.frequency == pytest.approx(0.5 / np.diff(turns).mean(), rel=2e-3)
    pictures = found.pictures(0)
    assert len(pictures) == 32
    for q in pictures:
        assert np.abs(ct.constraint_residual(bench.system, q)).max() < 1e-12
    assert np.ptp([q[0] for q in pictures]) > 0.01
