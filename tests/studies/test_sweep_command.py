"""`cotree sweep study.toml`: studies in files, their reports, Sobol indices."""

import json
import re

import numpy as np
import pytest

import cotree as ct
from cotree.cli import FAILED, GOOD, INTERRUPTED, WRONG, main
from cotree.errors import StudyError, StudyWarning
from cotree.studies.sweeps import plots
from cotree.studies.sweeps.indices import sobol_indices
from cotree.studies.sweeps.report import write_report
from cotree.studies.sweeps.study_file import read_study
from tests.model.builders import refused
from tests.studies.sweep_rigs import acceleration, pendulum

pytest.importorskip("xarray")
pytest.importorskip("matplotlib")
STUDY = """
model = "four_bar.json"
t_end = 0.5
sampling = "latin"
samples = 4
run = { output = 11 }
worst = { angle = "smallest" }

[parameters]
mass = { path = "bodies.crank.mass", range = [0.5, 1.5] }
pull = { path = ["gravity.1"], normal = [-9.8, 0.1] }
rocker = { path = "bodies.rocker.com.0", value = 2.45 }

[measure]
angle = { joint = "D", take = "final" }
speed = { point = "coupler", at = [1.5, 1.1, 0], of = "velocity", component = "x", take = "largest" }
force = { reaction = "A", take = "max" }
lift = { energy = "potential", take = "range" }
"""
PYTHON = """
import cotree as ct
from tests.studies.sweep_rigs import acceleration, pendulum

def build(length, word):
    return pendulum(length)

def measure(mech):
    return {"rate": acceleration(mech)}
"""
GRID = """
build = "mine.py:build"
measure = "mine.py:measure"
parameters.length = { range = [1.0, 2.0], count = 3 }
parameters.word = { values = ["a", "b"] }
"""


@pytest.fixture
def study(tmp_path):
    ct.save(ct.gallery.four_bar(), tmp_path / "four_bar.json")
    (tmp_path / "mine.py").write_text(PYTHON)
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_a_study_of_a_model_file(study, capsys):
    assert main(["sweep", str(study), "--workers", "1", "--worst", "1", "--json"]) == GOOD
    told, folder = json.loads(capsys.readouterr().out), study.with_suffix("")
    assert (told["done"], told["failed"]) == (4, 0)
    found = ct.load_sweep(folder / "results.sweep")
    for i in range(4):  # the same by hand
        mech = ct.gallery.four_bar()
        mech = ct.io.from_json(
            ct.io.to_json(mech)
            .replace('"mass": 1.0,\n      "com": [0.3', f'"mass": {float(found.mass[i])!r},\n      "com": [0.3')
            .replace('"gravity": [0.0, -9.81, 0.0]', f'"gravity": [0.0, {float(found.pull[i])!r}, 0.0]')
        )
        run = ct.simulate(mech, 0.5, output=11)
        assert found.angle[i] == run.joint("D").angle[-1]
        assert found.speed[i] == np.abs(run.point("coupler", (1.5, 1.1, 0)).velocity[:, 0]).max()
        assert found.force[i] == np.linalg.norm(run.reaction("A").force, axis=1).max()
        assert found.lift[i] == np.ptp(run.energy.potential)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png") == 3
    linked = re.findall(r'href="(point_\d+\.html)"', page)
    assert f"point_{int(np.argmin(found.angle.values))}.html" in linked
    assert f"point_{int(np.argmax(found.force.values))}.html" in linked
    assert all((folder / name).stat().st_size > 10_000 for name in linked)
    table = (folder / "results.csv").read_text().splitlines()
    assert table[0] == "mass,pull,angle,speed,force,lift,status,message,warnings"
    assert float(table[2].split(",")[2]) == found.angle[1]


def test_a_study_in_python(study, capsys, tmp_path):
    study.write_text(GRID)
    out = tmp_path / "there"
    assert main(["sweep", str(study), "--out", str(out), "--workers", "1", "--worst", "1"]) == GOOD
    told = capsys.readouterr().out
    assert "6 points: 4 done, 2 failed\nfirst failure: ValueError: too long\n" in told
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<h2>Failures</h2>" in page
    assert page.count('<a href="point_0.html">') == 1
    assert main(["sweep", str(study), "--out", str(out), "--workers", "1", "--quiet"]) == GOOD
    assert capsys.readouterr().out == ""
    study.write_text(GRID.replace("[1.0, 2.0]", "[2.0, 3.0]"))
    assert main(["sweep", str(study), "--out", str(tmp_path / "bad"), "--workers", "1"]) == FAILED
    assert main(["sweep", str(study), "--out", str(out), "--workers", "1"]) == FAILED
    assert "holds results of another study" in capsys.readouterr().err


def test_an_interrupted_study(study, capsys, monkeypatch):
    study.write_text(GRID.replace("[1.0, 2.0]", "[1.0, 1.5]"))
    monkeypatch.setattr("cotree.studies.sweeps.journal.Journal.add", interrupted)
    assert main(["sweep", str(study), "--workers", "1"]) == INTERRUPTED
    assert "interrupted; the same command resumes" in capsys.readouterr().out
    monkeypatch.undo()
    assert main(["sweep", str(study), "--workers", "1"]) == GOOD
    assert "6 points: 6 done\n" in capsys.readouterr().out


def interrupted(journal, outcomes):
    raise KeyboardInterrupt


WRONGS = {
    "worst.angle is 'low'": ('"smallest"', '"low"'),
    "samplign": ("sampling =", "samplign ="),
    "give either model = ": ('model = "four_bar.json"', ""),
    "parameters.mass: say what it sets": ('path = "bodies.crank.mass", ', ""),
    "parameters.rocker: give one of values": (", value = 2.45", ""),
    "parameters.mass: a grid needs values": ('sampling = "latin"\nsamples = 4', ""),
    "readings of a run need t_end": ("t_end = 0.5", ""),
    "measure.angle: give one of joint, point": ('joint = "D", ', ""),
    "measure.angle.take is 'last'": ('"final"', '"last"'),
    "measure.speed.component is 'X' ": ('component = "x"', 'component = "X"'),
    "there is no 'crnak' in bodies; did you mean 'crank'?": ("bodies.crank.mass", "bodies.crnak.mass"),
    "there is no '5' in gravity": ("gravity.1", "gravity.5"),
    "there is no 'x' in bodies.crank.mass": ("bodies.crank.mass", "bodies.crank.mass.x"),
    "bodies.rocker.com is not a number": ("bodies.rocker.com.0", "bodies.rocker.com"),
    "'nowhere.py:build' is not a function of a file": ('model = "four_bar.json"', 'build = "nowhere.py:build"'),
    "mine.py has no function 'biuld'": ('model = "four_bar.json"', 'build = "mine.py:biuld"'),
    "bad.py cannot be run: ZeroDivisionError": ('model = "four_bar.json"', 'build = "bad.py:build"'),
}


@pytest.mark.parametrize("words", WRONGS)
def test_mistakes_in_files(study, words, capsys):
    (study.parent / "bad.py").write_text("1 / 0\n")
    old, new = WRONGS[words]
    assert old in STUDY
    study.write_text(STUDY.replace(old, new))
    assert main(["sweep", str(study), "--workers", "1"]) == WRONG
    told = capsys.readouterr().err
    assert told.startswith("cotree: study.toml: ")
    assert words.rstrip() in told


def test_a_normal_parameter_needs_a_sample(study):
    study.write_text(STUDY.replace('"latin"\nsamples = 4', '"grid"').replace("range = [0.5, 1.5]", "values = [1.0]"))
    with refused(ct.errors.DocumentError, "parameters.pull: a grid needs values"):
        read_study(study)


def test_sobol_indices():
    """Of Ishigami's function, whose indices are known."""
    pytest.importorskip("SALib")

    def build(x, y, z):
        mech = pendulum()
        mech.q_start = np.array([np.sin(x) + 7.0 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x)])
        return mech

    ranges = dict.fromkeys("xyz", (-np.pi, np.pi))
    found = ct.sweep(
        build, ranges, lambda m: {"f": m.q_start[0], "one": 1.0}, sampling="saltelli", samples=1024, workers=1
    )
    assert found.sizes["sample"] == 1024 * 5
    indices = sobol_indices(found)
    assert indices["f.first"].values == pytest.approx([0.3139, 0.4424, 0.0], abs=0.03)
    assert indices["f.total"].values == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.03)
    assert indices["one.total"].values.tolist() == [0.0] * 3
    assert len(plots.index_bars(indices).axes) == 2
    with refused(StudyError, "sampling='saltelli'"):
        sobol_indices(ct.sweep(pendulum, {"length": [1.0]}, acceleration, workers=1))
    found.status[3] = "failed"
    with refused(StudyError, "1 failed or are missing"):
        sobol_indices(found)


def test_a_report_without_results(tmp_path):
    with pytest.warns(StudyWarning):
        found = ct.sweep(pendulum, {"length": np.linspace(2, 3, 25)}, acceleration, workers=1)
    page = write_report(found, tmp_path, "nothing <b>").read_text(encoding="utf-8")
    assert "nothing &lt;b&gt;" in page
    assert "and 5 more" in page
    with refused(StudyError, "there is nothing to plot"):
        plots.main_effects(found)


def test_pages_that_cannot_be_drawn(tmp_path):
    found = ct.sweep(pendulum, {"length": [0.5, 1.0]}, acceleration, workers=1)

    def draw(i, path):
        raise StudyError("no <page>")

    assert "not available: no &lt;page&gt;" in write_report(found, tmp_path, "x", draw).read_text(encoding="utf-8")
    assert plots.heat_maps(found) is None


def test_heat_maps_of_a_grid_are_means():
    x, y, z = plots._meshed(np.array([1, 1, 2, 2]), np.array([5, 5, 5, 6]), np.array([1.0, 3.0, 4.0, np.nan]))
    assert (x.tolist(), y.tolist()) == ([1, 2], [5, 6])
    np.testing.assert_array_equal(z, [[2.0, 4.0], [np.nan, np.nan]])
