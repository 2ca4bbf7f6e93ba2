"""The live view, from the program's side: what the server holds is what the run says; no browser is needed."""

import builtins
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

import cotree as ct
from cotree.errors import MissingPackageError, NotFiniteError, ShapeError, UnknownNameError, ViewError
from cotree.integrate.events.event import Occurrence
from cotree.lie import rotation_of_quaternion
from cotree.view.live import player
from cotree.view.live import viewer as viewer_module
from cotree.view.live.clock import passed
from cotree.view.live.posing import single_coordinates
from cotree.view.live.server import quiet
from cotree.view.live.viewer import at_prompt
from tests.model.builders import four_bar, pendulum, refused
from tests.view.browsers import until
from tests.view.pages import made_run, swung
from tests.view.test_page import evil_run

viser = pytest.importorskip("viser", reason="the package viser is not installed: no live views")


@pytest.fixture(scope="module")
def run():
    return ct.simulate(four_bar(), 2.0, output=41, events=[ct.Event(lambda q: q[0] + 0.31, "crank down", direction=-1)])


@pytest.fixture
def opened():
    """Opens views without a browser, and closes them."""
    made = []

    def make(shown, *given, **options):
        viewer = shown.view(*given, open=False, wait=False, **options)
        made.append(viewer)
        return viewer

    yield make
    for viewer in made:
        viewer.close()


def poses_shown(viewer):
    """(n, 4, 4) of the bodies' frames, from the nodes on the server."""
    scene = viewer.stage.scene
    centres = np.array([scene.system.mechanism.bodies[name].properties.com for name in scene.system.body_names])
    C = np.tile(np.eye(4), (len(centres), 1, 1))
    C[:, :3, :3] = rotation_of_quaternion(np.array([node.wxyz for node in viewer.stage.bodies]))
    places = np.array([node.position for node in viewer.stage.bodies]) + scene.frames.origin
    C[:, :3, 3] = places - np.einsum("nij,nj->ni", C[:, :3, :3], centres)
    return C


def queued(viewer):
    """Messages that a browser would be sent, by kind."""
    return list(viewer.server._websock_server._broadcast_buffer.message_from_id.values())


# -- runs ------------------------------------------------------------------------------------------------------


def test_bodies_are_where_the_run_says(opened, run):
    viewer = opened(run)
    viewer.pause()
    for k in (0, 7, 40, 21):
        viewer.time = run.t[k]
        assert viewer.time == run.t[k]
        np.testing.assert_allclose(poses_shown(viewer), run.poses()[k, 1:], atol=1e-6)
        assert viewer.slider.value == pytest.approx(run.t[k], abs=2e-3)


@pytest.mark.parametrize("make", [ct.gallery.stewart, ct.gallery.snakeboard, ct.gallery.rx130, ct.gallery.heavy_top])
def test_other_mechanisms(opened, make):
    run = swung(make(), rows=3)
    viewer = opened(run)
    viewer.pause()
    viewer.time = run.t[1]
    exact = run.poses()[1, 1:]
    np.testing.assert_allclose(poses_shown(viewer), exact, atol=1e-6 * max(1.0, np.abs(exact).max()))


def test_springs_reach_from_body_to_body(opened):
    mech = pendulum()
    mech.spring("coil", "ground", (0, 0, 1), next(iter(mech.bodies)), (0.5, 0, 0), 10.0)
    run = made_run(mech, [0.0, 0.7])
    viewer = opened(run)
    viewer.pause()
    viewer.time = 1.0
    node, _, length = viewer.stage.ties[0]
    a = np.array(node.position) + viewer.frames.origin
    reach = length * np.array(node.scale) * [0, 0, 1]
    b = a + rotation_of_quaternion(np.array(node.wxyz)) @ reach
    np.testing.assert_allclose(a, [0, 0, 1], atol=1e-7)
    np.testing.assert_allclose(b, (run.poses()[1, 1] @ [0.5, 0, 0, 1])[:3], atol=1e-7)


def test_it_plays_when_opened_and_pauses(opened, run):
    viewer = opened(run)
    assert viewer.playing
    until(lambda: viewer.time > 0, "it does not play")
    viewer.pause()
    assert not viewer.playing
    viewer.speed.value, viewer.loop.value = "10", False
    viewer.time = 2.0
    viewer.play()  # from the start again
    until(lambda: not viewer.playing, "it does not stop at the end")
    assert viewer.time == 2.0
    assert viewer.button.label == "Play"


def test_nothing_moves_after_a_pause(opened, run, monkeypatch):
    """The picture of a tick is shown before `pause` returns, or not at all."""
    inside, proceed = threading.Event(), threading.Event()

    def slowly(*given):
        inside.set()
        proceed.wait(60)
        return passed(*given)

    monkeypatch.setattr(player, "passed", slowly)
    viewer = opened(run)
    assert inside.wait(60)

    def stop():
        viewer.pause()
        viewer.time = 1.0

    other = threading.Thread(target=stop)
    other.start()
    other.join(0.5)  # where it does not wait for the tick, it comes before it
    proceed.set()
    other.join(60)
    time.sleep(0.1)
    assert viewer.time == 1.0


def test_the_clock():
    assert passed(0.2, 0.5, 0.0, 1.0, True) == (0.7, True)
    assert passed(0.8, 0.5, 0.0, 1.0, True) == (pytest.approx(0.3), True)
    assert passed(3.8, 2.5, 3.0, 4.0, True) == (pytest.approx(3.3), True)
    assert passed(0.8, 0.5, 0.0, 1.0, False) == (1.0, False)
    assert passed(0.0, 0.5, 0.0, 0.0, True) == (0.0, False)


def test_times_are_kept_within_the_run(opened, run):
    viewer = opened(run)
    viewer.pause()
    viewer.time = 99.0
    assert viewer.time == 2.0
    viewer.time = -1.0
    assert viewer.time == 0.0
    with refused(ShapeError, "time", "seconds"):
        viewer.time = float("nan")


def test_words_marks_and_plots_are_there(opened, run):
    viewer = opened(run)
    kinds = {type(m).__name__ for m in queued(viewer)}
    assert {"GuiSliderMessage", "GuiButtonMessage", "GuiUplotMessage", "GuiHtmlMessage", "GridMessage"} <= kinds
    words = "".join(m.props.content for m in queued(viewer) if type(m).__name__ == "GuiHtmlMessage")
    assert all(line.strip() in words for line in str(run).split("\n") if "'" not in line)
    buttons = [m.props.label for m in queued(viewer) if type(m).__name__ == "GuiButtonMessage"]
    assert sum("crank down" in label for label in buttons) == len(run.events)
    assert [plot.plot.title for plot in viewer._plots] == ["energy [J]", "coordinates [rad]"]
    viewer.pause()
    viewer.time = run.t[9]
    t, *_, total, now = viewer._plots[0].plot.data
    (k,) = np.flatnonzero(np.isfinite(now))
    assert (t[k], now[k]) == (run.t[9], total[k])
    np.testing.assert_allclose(total, run.energy.total, rtol=1e-12)


def test_many_events_are_a_list(opened):
    x = np.zeros(1)
    events = tuple(Occurrence(f"e{k}", 0.1 * k, x, x) for k in range(12))
    viewer = opened(made_run(pendulum(), np.zeros(3), events=events))
    viewer.pause()
    (choice,) = [
        h for h in viewer.server.gui._gui_input_handle_from_uuid.values() if getattr(h, "label", "") == "jump to"
    ]
    assert len(choice.options) == 12
    choice.value = choice.options[7]
    assert viewer.time == pytest.approx(0.7)
    (step,) = [
        h for h in viewer.server.gui._gui_input_handle_from_uuid.values() if type(h).__name__ == "GuiButtonGroupHandle"
    ]
    step.value = "next"
    until(lambda: viewer.time == pytest.approx(0.8), "next")


def test_the_floor_has_lines_at_round_numbers_and_axes_are_at_the_origin(opened):
    """A pendulum whose picture is not about the world's origin: lines and axes are about it all the same."""
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    mech.body("bob", 1, (3.3, 0.2, 0.1), (0.1, 0.1, 0.1))
    mech.joint("pivot", "ground", "bob", ct.Revolute((3.0, 0.2, 0.1), (0, 0, 1)))
    near = opened(made_run(mech, np.linspace(0, 6, 9)))
    grid = next(m for m in queued(near) if type(m).__name__ == "GridMessage").props
    (floor,) = near.stage.shown["floor"]
    axes = rotation_of_quaternion(np.array(floor.wxyz))
    np.testing.assert_allclose(axes[:, 2], [0, 1, 0], atol=1e-12)
    in_world = (np.array(floor.position) + near.frames.origin) @ axes
    np.testing.assert_allclose(in_world[:2] / grid.cell_size, np.round(in_world[:2] / grid.cell_size), atol=1e-9)
    assert in_world[2] < 0.2 - 0.3
    assert near.stage.shown["axes"] == []  # the origin is ten sizes away
    mech = pendulum()
    (axes_node,) = opened(made_run(mech, np.linspace(0, 6, 9))).stage.shown["axes"]
    assert np.linalg.norm(axes_node.position) < 1.0


def test_what_is_shown_can_be_hidden(opened, run):
    viewer = opened(run)
    assert all(node.visible for node in viewer.stage.shown["joints"])
    assert not any(node.visible for node in viewer.stage.shown["body names"])
    boxes = {h.label: h for h in viewer.server.gui._gui_input_handle_from_uuid.values() if hasattr(h, "label")}
    boxes["joints"].value = False
    boxes["body names"].value = True
    assert not any(node.visible for node in viewer.stage.shown["joints"])
    assert all(node.visible for node in viewer.stage.shown["body names"])
    assert len(viewer.stage.shown["body names"]) == 3


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_runs_of_few_rows(opened, rows):
    viewer = opened(made_run(four_bar(), np.zeros((rows, 3)), status="failed", message="stopped"))
    assert viewer.playing == (rows == 2)
    viewer.pause()
    viewer.time = 5.0
    np.testing.assert_allclose(poses_shown(viewer), np.tile(np.eye(4), (3, 1, 1)), atol=1e-9)


def test_names_are_sent_as_text(opened):
    viewer = opened(evil_run())
    for message in queued(viewer):
        if type(message).__name__ == "GuiHtmlMessage":
            assert "<img" not in message.props.content
        assert "<img" not in getattr(message, "name", "")
    opened(made_run(pendulum("half \ud800 a character"), [0.0]))


# -- servers ---------------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_closing_frees_the_port(opened, run):
    port = free_port()
    for _ in range(2):
        viewer = opened(run, port=port)
        assert viewer.url.startswith(f"http://127.0.0.1:{port}/")
        with socket.create_connection(("127.0.0.1", port), timeout=60):
            pass
        with refused(ViewError, str(port), "name another"):
            run.view(port=port, open=False, wait=False)
        viewer.close()
        viewer.close()
        assert viewer.closed
        assert "closed" in repr(viewer)
        with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            pass
    with refused(ViewError, "70000"):
        run.view(port=70000, open=False, wait=False)


@pytest.mark.filterwarnings("error")
def test_after_closing_nothing_is_sent_and_nothing_moves(opened, run):
    viewer, posed = opened(run), opened(four_bar())
    viewer.close()
    posed.close()
    t, q = viewer.time, posed.q
    viewer.time = 0.5 if t != 0.5 else 0.6
    viewer.pause()
    viewer.play()
    posed.q = q + 0.1
    assert not posed.move("A", 0.2)
    assert viewer.time == t
    assert not viewer.playing
    np.testing.assert_array_equal(posed.q, q)


def test_two_at_once_and_nothing_printed(opened, run, capfd):
    a, b = opened(run), opened(run)
    assert a.url != b.url
    with a:
        assert repr(a) == f"<RunViewer {a.url}>"
    assert a.closed
    assert not b.closed
    b.close()
    assert capfd.readouterr().out == ""


def test_without_the_package(monkeypatch, run):
    monkeypatch.setitem(sys.modules, "viser", None)
    with refused(MissingPackageError, "the package viser", "pip install 'cotree[view]'"):
        run.view(open=False, wait=False)


def test_a_viewer_in_a_notebook_is_a_frame(opened, run):
    viewer = opened(run)
    assert f'<iframe src="{viewer.url}"' in viewer._repr_html_()
    viewer.close()
    assert "closed" in viewer._repr_html_()
    assert "<iframe" not in viewer._repr_html_()


# -- browsers and prompts ----------------------------------------------------------------------------------------


@pytest.fixture
def browsers(monkeypatch):
    """Addresses that a browser was asked to open."""
    seen = []
    monkeypatch.setattr(viewer_module.webbrowser, "open", seen.append)
    return seen


def waits_until(viewer, end):
    """`wait` of the event that a view is closed, in which the main thread meets its end: never before it waits."""
    plain = viewer._closed.wait

    def wait(seconds):
        if threading.current_thread() is threading.main_thread():
            end(viewer)
        return plain(seconds)

    return wait


def test_waiting_ends_when_it_is_closed_and_by_ctrl_c(opened, run, browsers, capsys):
    for end in (lambda viewer: viewer.close(), lambda _: signal.raise_signal(signal.SIGINT)):
        viewer = opened(run)
        viewer._closed.wait = waits_until(viewer, end)
        viewer.show(open=True, wait=True)
        assert viewer.closed
        assert browsers.pop() == viewer.url
        assert viewer.url in capsys.readouterr().out


def test_two_threads_that_are_quiet_leave_standard_output_as_it_was():
    """The second begins before the first has ended, and ends after it."""
    before, inside, ended = sys.stdout, threading.Event(), threading.Event()

    def second():
        inside.wait(60)
        with quiet():
            ended.wait(60)

    thread = threading.Thread(target=second)
    thread.start()
    with quiet():
        inside.set()
        time.sleep(0.2)
    ended.set()
    thread.join()
    assert sys.stdout is before


@pytest.mark.parametrize("where", ["script", "prompt", "IPython", "notebook"])
def test_only_scripts_wait(opened, run, browsers, monkeypatch, where):
    monkeypatch.delattr(sys, "ps1", raising=False)
    if where == "prompt":
        monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    if where == "IPython":
        monkeypatch.setattr(builtins, "get_ipython", None, raising=False)
    if where == "notebook":
        monkeypatch.setitem(sys.modules, "ipykernel", os)
    assert at_prompt() == (where != "script")
    viewer, waited = opened(run), []
    monkeypatch.setattr(viewer, "wait", lambda words="": waited.append(True))
    viewer.show(open=None, wait=None)
    assert waited == [True] * (where == "script")
    assert browsers == [viewer.url] * (where != "notebook")  # where it shows itself
    viewer.show(open=False, wait=None)
    assert len(waited) == (where == "script")  # who opens no browser goes on


SCRIPT = """
import cotree as ct

mech = ct.Mechanism("pendulum")
bob = mech.body("bob", mass=1, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1))
mech.joint("pivot", mech.ground, bob, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
run = ct.simulate(mech, t_end=0.2)
other = run.view(open=False)
run.view()
print("after")
"""


def test_a_script_stays_until_ctrl_c(tmp_path):
    """The browser is a program that writes down where it was sent; another view that nobody closes ends as silently."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "browser.py").write_text("import sys, json; json.dump(sys.argv[1:], open('opened.json', 'w'))")
    command = f"{sys.executable} {tmp_path / 'browser.py'} %s"
    paths = os.pathsep.join([str(Path(ct.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "script.py"], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
        env={**os.environ, "BROWSER": command, "PYTHONPATH": paths},
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        assert "(Ctrl-C to quit)" in line
        url = line.split()[0]
        with socket.create_connection(("127.0.0.1", urlsplit(url).port), timeout=60):
            pass
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120)[0] == "after\n"
        assert process.returncode == 0
        assert json.loads((tmp_path / "opened.json").read_text()) == [url]
    finally:
        process.kill()


# -- mechanisms ------------------------------------------------------------------------------------------------


def test_a_mechanism_is_shown_at_its_start(opened):
    mech = ct.gallery.stewart()
    viewer = opened(mech)
    q = ct.assemble(mech.compile(), mech.compile().q0 if mech.q_start is None else mech.q_start)
    np.testing.assert_allclose(viewer.q, q, atol=1e-12)
    np.testing.assert_allclose(poses_shown(viewer), ct.poses(viewer.system, q)[1:], atol=1e-6)


def test_moving_a_coordinate_closes_the_loop(opened):
    system = four_bar().compile()
    viewer = opened(system)
    assert set(viewer.sliders) == {name for name, _, _ in single_coordinates(system)} == {"A", "B", "D"}
    i = system.coordinate_names.index("A")
    for angle in (0.4, -0.9, 0.0):
        assert viewer.move("A", angle)
        assert viewer.q[i] == angle
        assert np.abs(ct.constraint_residual(system, viewer.q, regularized=False)).max() < 1e-10
        np.testing.assert_allclose(poses_shown(viewer), ct.poses(system, viewer.q)[1:], atol=1e-6)
        assert viewer.sliders["D"].value == pytest.approx(viewer.q[system.coordinate_names.index("D")], abs=1e-9)
    np.testing.assert_allclose(viewer.q, system.q0, atol=1e-7)  # and on the same branch
    with refused(UnknownNameError, "no one-DOF joint 'C'", "four-bar"):  # which is cut
        viewer.move("C", 0.1)
    with refused(NotFiniteError, "joint 'A'"):
        viewer.move("A", float("nan"))


def test_where_the_loop_cannot_close_it_stays_and_says_so(opened):
    """The crank of this four-bar cannot go round: by the lengths it stops where coupler and rocker are in line."""
    system = four_bar().compile()
    viewer = opened(system)
    assert not viewer.move("A", 3.1)
    assert viewer.trouble.visible
    assert np.abs(ct.constraint_residual(system, viewer.q, regularized=False)).max() < 1e-10
    lengths = crank, coupler, rocker, base = 1.0, np.hypot(1.8, 0.6), np.hypot(0.1, 1.4), 2.5
    assert min(lengths) + max(lengths) > sum(sorted(lengths)[1:3])  # Grashof
    reach = coupler + rocker
    limit = np.arccos((crank**2 + base**2 - reach**2) / (2 * crank * base)) - np.arctan2(0.8, 0.6)
    i = system.coordinate_names.index("A")
    assert limit - 0.1 <= viewer.q[i] <= limit + 1e-3
    assert viewer.move("A", 0.0)
    assert not viewer.trouble.visible


def test_a_configuration_may_be_set(opened):
    system = ct.gallery.spherical_double_pendulum().compile()
    viewer = opened(system)
    q = ct.displace(system, system.q0, np.linspace(0.1, 0.6, system.nv))
    viewer.q = q
    np.testing.assert_allclose(poses_shown(viewer), ct.poses(system, q)[1:], atol=1e-6)
    assert viewer.sliders == {}
    with refused(ShapeError):
        viewer.q = [0.0]


def test_sliders_of_lengths(opened):
    mech = ct.Mechanism("rail")
    mech.body("cart", 1, (0, 0, 0), (1, 1, 1))
    mech.body("bob", 1, (0, 0, -3), (1, 1, 1))
    mech.joint("slide", "ground", "cart", ct.Prismatic((1, 0, 0)))
    mech.joint("pin", "cart", "bob", ct.Revolute((0, 0, 0), (0, 1, 0)))
    viewer = opened(mech, [0.5, 0.2])
    assert viewer.sliders["slide"].max == 5.0
    assert viewer.sliders["pin"].max == 3.14
    assert viewer.move("slide", -2.0)
    np.testing.assert_allclose(viewer.q, [-2.0, 0.2], atol=1e-12)
