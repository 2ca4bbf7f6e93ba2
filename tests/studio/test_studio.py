"""The studio's server without a browser: drags, uploads, and what is said where something fails."""

from types import SimpleNamespace

import numpy as np
import pytest

from cotree.errors import ViewError
from cotree.studio import Bench, Studio
from cotree.studio.uploads import bound_uploads
from tests.view.browsers import until

messages = pytest.importorskip("viser._messages", reason="the package viser is not installed: no studio")


@pytest.fixture(scope="module")
def studio():
    with Studio(Bench.of_gallery("four_bar")) as made:
        yield made


def test_a_drag_is_followed_and_ends(studio):
    origin, q = studio.stage.scene.frames.origin, studio.bench.q.copy()
    start = np.array([1.5, 1.1, 0.0]) - origin
    studio.hand.feel("coupler", "start", start, start)
    until(lambda: studio.hand.grip is not None, "nothing was grabbed")
    studio.hand.feel("coupler", "update", start, start + np.array([0.2, 0, 0]))
    until(lambda: studio.bench.q[0] < q[0] - 0.05, "it did not follow")
    moved = studio.bench.q.copy()
    for wrong in (np.full(3, np.nan), np.full(3, 1e300), None, "x", [1.0, 2.0]):
        studio.hand.feel("coupler", "update", start, wrong)
    assert studio._wish is None
    studio.hand.feel("coupler", "end", start, start + np.array([0.25, 0, 0]))
    studio.hand.feel("coupler", "update", start, start)  # late: the end is not replaced
    until(lambda: studio.hand.grip is None, "it was not let go")
    assert studio.bench.q[0] < moved[0]
    assert studio.bench.closure() < 1e-12
    until(lambda: studio._unmarked is None, "the mobility was not told")
    assert "1 degree of freedom" in studio.panels.posture.content
    assert studio.panels.sliders["A"].value == pytest.approx(studio.bench.q[0])


def test_playing_stops_before_bodies_are_dragged(studio):
    q = studio.bench.q.copy()
    studio.bench.run(0.05)
    studio.attempt(lambda: studio.show_run("run 1"))
    studio.hand.feel("coupler", "start", np.zeros(3), np.zeros(3))
    until(lambda: "can be dragged" in studio.panels.said, "it plays on")
    assert studio.playing is None
    assert studio.hand.grip is None
    assert studio.bench.q.tolist() == q.tolist()


def test_files_are_bounded_before_they_are_taken(studio, monkeypatch):
    gui = studio.server.gui
    (begin,) = gui._websock_interface._incoming_handlers[messages.FileTransferStartUpload]
    (part,) = gui._websock_interface._incoming_handlers[messages.FileTransferPart]
    upload = studio.panels.upload._impl.uuid

    def start(number, size, parts):
        return messages.FileTransferStartUpload(upload, f"{number}", "big.step", "", parts, size)

    begin(0, start(1, 500 << 20, 1000))
    assert "'big.step' has 500.0 MB and was not taken; the studio takes files up to 100 MB" in studio.panels.said
    assert gui._current_file_upload_states == {}
    monkeypatch.setattr("cotree.studio.uploads.MOST_BYTES", 1000)
    begin(0, start(2, 600, 3))
    begin(0, start(3, 600, 3))  # both together are too much
    assert list(gui._current_file_upload_states) == ["2"]
    part(0, messages.FileTransferPart(upload, "2", 0, bytes(500)))
    assert gui._current_file_upload_states["2"]["transferred_bytes"] == 500
    part(0, messages.FileTransferPart(upload, "2", 1, bytes(500)))  # more than announced, and not the last
    assert gui._current_file_upload_states == {}
    part(0, messages.FileTransferPart(upload, "2", 2, bytes(500)))
    assert gui._current_file_upload_states == {}
    with pytest.raises(ViewError, match="does not let the studio bound"):
        bound_uploads(SimpleNamespace(gui=SimpleNamespace()), print)


def test_what_fails_is_said(studio, capsys):
    def broken():
        raise ZeroDivisionError("of the moon")

    studio.attempt(broken)
    assert "of the moon" in studio.panels.said
    assert "ZeroDivisionError" in capsys.readouterr().err
    studio.running = True
    studio.attempt(broken)
    studio.running = False
    assert "press Stop" in studio.panels.said
    studio.attempt(lambda: None, "Reading ...")
    assert studio.panels.said == ""


def test_a_run_that_fails_says_why_and_can_be_followed_by_another(studio):
    studio.attempt(lambda: studio.panels._added("add", "motor", "A", 1e300))
    studio.panels.t_end.value = 0.1
    studio.attempt(studio.panels._start)
    (name,) = list(studio.bench.runs)[-1:]
    assert f"{name} failed at t = 0 s: " in studio.panels.said
    assert "made with: motor of A: 1e+300" in studio.panels.certificate.content
    studio.attempt(lambda: studio.panels._added("add", "motor", "A", 0.0))
    studio.attempt(studio.panels._start)
    assert studio.panels.said == ""
    assert studio.playing == "run"
    assert studio.panels.time.max == pytest.approx(0.1)
    studio.attempt(studio.stop)


def test_gravity_units_and_settings_are_told(studio):
    studio.attempt(lambda: studio.panels._added("set_gravity", (0.0, 0.0, 0.0)))
    assert studio.bench.mech.gravity.tolist() == [0, 0, 0]
    run = studio.bench.run(0.1)[1]
    assert np.abs(run.q - run.q[0]).max() < 1e-12
    panels = studio.panels
    for kind, words in (
        ("spring", "stiffness [N m/rad]"),
        ("damper", "damping [N m s/rad]"),
        ("motor", "torque [N m]"),
    ):
        panels.kind.value = kind
        panels._name()
        assert panels.size.label == words
    studio.attempt(lambda: studio.open_bench(Bench.of_gallery("slider_crank")))
    assert "N" in panels.size.label
    sliding = [name for name, unit in panels.units.items() if unit == "m"]
    if sliding:
        panels.joint.value = panels.moved.value = sliding[0]
        panels._name()
        assert (panels.size.label, panels.rate.label) == ("force [N]", "rate [m/s]")
