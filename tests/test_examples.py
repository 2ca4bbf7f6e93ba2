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
    "cad_assembly": r"coupler-rocker(?s:.*)four_bar: done, 0 to 2 s",
}


@pytest.mark.parametrize("name", PRINTED)
def test_example(name, tmp_path, monkeypatch, capsys):
    if name == "cad_assembly":
        pytest.importorskip("OCP")
    if name == "learning":
        pytest.importorskip("gymnasium")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [name])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    found = re.search(PRINTED[name], capsys.readouterr().out)
    assert found
    if name == "pendulum":
        assert float(found[1]) == pytest.approx(float(found[2]), rel=1e-7)
    if name == "stiff_springs":
        assert int(found[1]) > 20 * int(found[2])


def test_every_example_is_tried():
    """The demo is what `make demo` runs."""
    assert {p.stem for p in FOLDER.glob("*.py")} == {"demo", *PRINTED}
