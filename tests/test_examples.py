"""The small examples run as they are, and print what they promise."""

import re
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "examples"
PRINTED = {
    "pendulum": r"period (\S+) s, by elliptic integrals (\S+) s",
    "four_bar": r"loops closed to within \S+e-1\d (?s:.*)greatest force at D: \d+",
    "robot_file": r"remaining unbalanced torque at the end: \S+e-(0[5-9]|1\d) N m",
    "stiff_springs": r"explicit, dopri5: done, (\d+) steps(?s:.*)generalized-alpha: done, (\d+) steps",
    "emergency_stop": r"lock J2, energy lost \d(?s:.*)emergency stop of planar 3R",
    "learning": r"passes Gymnasium's check\nbalanced for 500 of 500 steps",
    "campbell": r"greatest relative difference from the closed form: \S+e-1\d(?s:.*)critical speeds",
    "coupler_curve": r"found after (\d+) starts in \S+ s, off the points by \S+e-1[3-9] m(?s:.*)coupler_curve.html plays it",
    "engine_balance": r"evaluations\n.* at \((\S+), (\S+)\) mm, by the closed form \((\S+), 0\) mm",
    "friction": r"fit of 4 numbers to 160 measurements(?s:.*)true values lie (\S+), (\S+), (\S+) standard deviations away",
    "swing_up": r"effort (\S+) N\^2 s; the simulation ends (\S+) from upright",
    "least_torque": r"effort (\S+) by polynomials, (\S+) N.* at the least\nthe simulation ends (\S+) rad from the target",
    "with_jax": r"by JAX (\S+) rad/\(N m\), by differences (\S+)",
    "elements": r"limit: at most 2\.\d+, work 0.000 J, balance \de-(0[89]|1\d) J",
    "flexible_links": r"coupler: done, bends by at most 1\.70\d mm(?s:.*)times 100: legs carry \[ 66.2 115.3 139.8  90.7\] N",
    "cad_assembly": r"coupler-rocker(?s:.*)four_bar: done, 0 to 2 s",
}


ARGUMENTS = {"elements": ["limit", "limit.png"]}


@pytest.mark.parametrize("name", PRINTED)
def test_example(name, tmp_path, monkeypatch, capsys):
    if name == "cad_assembly":
        pytest.importorskip("OCP")
    if name == "learning":
        pytest.importorskip("gymnasium")
    if name in ("swing_up", "least_torque"):
        pytest.importorskip("casadi", reason="the package casadi is not installed")
    if name == "with_jax":
        pytest.importorskip("jax", reason="the package jax is not installed: 400 MB, so not among those of the tests")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [name, *ARGUMENTS.get(name, [])])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    found = re.search(PRINTED[name], capsys.readouterr().out)
    assert found
    if name == "pendulum":
        assert float(found[1]) == pytest.approx(float(found[2]), rel=1e-7)
    if name == "engine_balance":
        assert float(found[1]) == pytest.approx(float(found[3]), abs=1e-5)
        assert abs(float(found[2])) < 1e-5
    if name == "friction":
        assert max(map(float, found.groups())) < 3.0
    if name == "swing_up":
        assert float(found[1]) < 77.0
        assert float(found[2]) < 0.03  # upright is unstable
    if name == "least_torque":
        assert float(found[2]) < 0.95 * float(found[1])
        assert float(found[3]) < 1e-4
    if name == "with_jax":
        assert float(found[1]) == pytest.approx(float(found[2]), abs=2e-9)
    if name == "stiff_springs":
        assert int(found[1]) > 20 * int(found[2])


def test_every_example_is_tried():
    """The demo is what `make demo` runs."""
    assert {p.stem for p in FOLDER.glob("*.py")} == {"demo", *PRINTED}


TASKS = {  # what an engineer tried first, each short and without an index into q
    "wishbone": r"travel 90 mm, camber 4.84 degrees, toe 0.86 degrees\nlower ball joint: at most 69\d\d N",
    "engine": r"gas: \[(?s:.*) J a cycle(?s:.*)main bearing at most \d+ N",
    "stewart": r"legs push with 112.9 to 169.6 N\nthe platform follows to \de-(0[7-9]|1\d) m",
    "modes": r"0.74087 Hz, damping 0.0554; stable: True\na torque(?s:.*)measured in a run 0.7(39|40) Hz",
    "stepping": r"rad/s after 0.2 s, work of the brake -\d",
    "elements": r"friction: sticks at(?s:.*)bearing: (?s:.*)rope: at most(?s:.*)belt: \d",
    "results": r"'q\[A\]'(?s:.*) rad at 2 s",
    "sensors": r"moment about its axis \de-1\d N m\ncut joint C: \[ 0.   58.95\] degrees",
}


@pytest.mark.parametrize("name", TASKS)
def test_task(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FOLDER / "tasks" / f"{name}.py"), run_name="__main__")
    assert re.search(TASKS[name], capsys.readouterr().out)


def test_every_task_is_tried_and_names_what_it_reads():
    """The study starts processes, which takes long; ct.sweep has tests of its own."""
    files = list((FOLDER / "tasks").glob("*.py"))
    assert {p.stem for p in files} == {"study", *TASKS}
    for path in files:
        assert not re.search(r"\b[qv]\[[\d:-]|index\(|row_of", path.read_text(encoding="utf-8")), path.name
