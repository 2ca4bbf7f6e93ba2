"""The command line as a user meets it: what it prints, what it writes, its exit codes."""

import json

import pytest

import cotree as ct
from cotree import cli
from cotree.cli import FAILED, GOOD, WRONG, main
from cotree.errors import UnknownNameError
from cotree.integrate import progress as progress_module
from cotree.view.live import Viewer
from tests.view.pages import Parsed


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "four_bar.json"
    ct.save(ct.gallery.four_bar(), path)
    return path


def test_gallery(capsys, tmp_path):
    assert main(["gallery"]) == GOOD
    listed = capsys.readouterr().out
    assert all(name in listed for name in ct.gallery.__all__)
    assert main(["gallery", "--json"]) == GOOD
    assert set(json.loads(capsys.readouterr().out)) == set(ct.gallery.__all__)
    assert main(["gallery", "bennett"]) == GOOD
    assert "paradoxical" in capsys.readouterr().out
    path = tmp_path / "b.json"
    assert main(["gallery", "bennett", "--save", str(path)]) == GOOD
    assert ct.load(path).joints.keys() == ct.gallery.bennett().joints.keys()
    assert main(["gallery", "benet"]) == WRONG
    assert "did you mean 'bennett'" in capsys.readouterr().err
    with pytest.raises(UnknownNameError, match="bennett"):
        ct.gallery.named("benet")


def test_gallery_page(capsys, tmp_path):
    page, model = tmp_path / "x.html", tmp_path / "x.json"
    asked = ["gallery", "four_bar", "--t-end", "0.5", "--html"]
    assert main([*asked, str(page), "--save", str(model)]) == GOOD
    told = capsys.readouterr().out
    assert "four-bar: done, 0 to 0.5 s" in told
    assert told.endswith(f"html: {page}\n")
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert model.is_file()
    assert main([*asked, str(tmp_path / "missing" / "x.html")]) == WRONG
    assert main([*asked, str(tmp_path)]) == WRONG


def test_check(capsys, model):
    assert main(["check", str(model)]) == GOOD
    out = capsys.readouterr().out
    assert "1 DOF" in out
    assert "keeps translation along (1, 0, 0), translation along (0, 1, 0)" in out
    assert "3 redundant in every configuration" in out
    assert "reactions that rigid bodies leave undetermined" in out
    assert main(["check", str(model), "--json"]) == GOOD
    found = json.loads(capsys.readouterr().out)
    assert (found["dof"], found["bodies"], found["loops"][0]["kept"]) == (1, 3, 2)
    assert set(found["undetermined"]) == {"A", "B", "C", "D"}


def test_notes_are_shown(capsys, tmp_path):
    """What a robot's file says and a mechanism does not, and functions that are not there; warnings would say it twice."""
    path = tmp_path / "robot.urdf"
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    ends = '<parent link="world"/><child link="b"/><axis xyz="0 1 0"/>'
    more = '<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics friction="0.5"/>'
    hinge = f'<joint name="j" type="revolute">{ends}{more}</joint>'
    path.write_text(f'<robot name="r"><link name="world"/><link name="b">{inertial}</link>{hinge}</robot>')
    assert main(["check", str(path)]) == GOOD
    out, err = capsys.readouterr()
    assert "note: dry friction of joints 'j' is ignored; load(friction=True) keeps it" in out
    assert "note: limits of joints 'j' are ignored; limits=True (--limits) turns them into stops" in out
    assert err == ""
    assert main(["check", str(path), "--json"]) == GOOD
    assert len(json.loads(capsys.readouterr().out)["notes"]) == 3
    assert main(["run", str(path), "--t-end", "0.1", "--limits"]) == GOOD
    out = capsys.readouterr().out
    assert "note: dry friction" in out
    assert "limits of joints" not in out
    assert main(["check", str(path), "--floating"]) == WRONG
    assert "the root link is the world" in capsys.readouterr().err
    mech = ct.gallery.four_bar()
    mech.motor("m", "A", lambda t, q, v: 1.0)
    ct.save(mech, tmp_path / "driven.json")
    assert main(["check", str(tmp_path / "driven.json")]) == GOOD
    assert "note: the function of motor 'm' (torque) was not supplied; taken as zero" in capsys.readouterr().out
    assert main(["run", str(tmp_path / "driven.json"), "--t-end", "1"]) == WRONG
    assert "needs functions that are not stored in a file" in capsys.readouterr().err


def test_run(capsys, model, tmp_path):
    out, page, table = tmp_path / "run.h5", tmp_path / "run.html", tmp_path / "run.csv"
    words = [
        "run",
        str(model),
        "--t-end",
        "0.5",
        "--out",
        str(out),
        "--html",
        str(page),
        "--csv",
        str(table),
        "--rows",
        "11",
    ]
    assert main(words) == GOOD
    printed = capsys.readouterr().out
    assert "four-bar: done, 0 to 0.5 s" in printed
    assert str(page) in printed
    assert len(table.read_text().splitlines()) == 12
    run = ct.load_run(out)
    again = ct.simulate(ct.gallery.four_bar(), 0.5, output=11)
    assert run.q[-1] == pytest.approx(again.q[-1], abs=1e-12)
    assert main(["run", str(model), "--t-end", "0.5", "--json", "--coordinates", "absolute"]) == GOOD
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "done"
    assert found["violation"] < 1e-12
    assert main(["view", str(out), "--html", str(tmp_path / "view.html")]) == GOOD
    assert (tmp_path / "view.html").stat().st_size > 10_000


def test_a_model_file_is_shown_at_rest(capsys, model, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(cli.webbrowser, "open", opened.append)
    assert main(["view", str(model)]) == GOOD
    page = model.with_suffix(".html")
    assert capsys.readouterr().out.strip() == str(page)
    assert opened == [page.resolve().as_uri()]
    data = json.loads(Parsed(page.read_text(encoding="utf-8")).texts["script#data"])
    assert [body["name"] for body in data["bodies"]] == ["crank", "coupler", "rocker"]
    assert "1 DOF, trivial mobility, regular configuration" in data["certificate"]
    assert data["status"] == "at rest"
    assert data["curves"] == {}


def test_live_views(capsys, model, tmp_path, monkeypatch):
    """Both kinds, with a browser that closes what it is sent to look at."""
    pytest.importorskip("viser")
    seen = []

    def waited(viewer, words=""):
        print(words)
        seen.append((type(viewer).__name__, viewer.url))
        viewer.close()

    monkeypatch.setattr(Viewer, "wait", waited)
    monkeypatch.setattr(cli.webbrowser, "open", lambda url: seen.append(url))
    out = tmp_path / "run.h5"
    ct.simulate(ct.gallery.four_bar(), 0.1, output=3).save(out)
    assert main(["view", str(out), "--live"]) == GOOD
    assert main(["view", str(model), "--live"]) == GOOD
    (first, second) = (seen[0], seen[2])
    assert seen == [first, ("RunViewer", first), second, ("PoseViewer", second)]
    assert first in capsys.readouterr().out
    assert list(tmp_path.glob("*.html")) == []
    with pytest.raises(SystemExit):
        main(["view", str(out), "--live", "--html", "page.html"])


@pytest.mark.parametrize(("words", "progress"), [([], None), (["--json"], False), (["--quiet"], False)])
def test_progress_is_for_those_who_watch(capsys, model, monkeypatch, words, progress):
    asked = []
    simulate = ct.simulate
    monkeypatch.setattr(ct, "simulate", lambda *a, **k: asked.append(k["progress"]) or simulate(*a, **k))
    assert main(["run", str(model), "--t-end", "0.1", *words]) == GOOD
    assert asked == [progress]
    assert (capsys.readouterr().out == "") == (words == ["--quiet"])


def test_the_progress_bar_is_on_the_terminal(capsys, model, monkeypatch):
    """As if stderr were one, and nobody patient."""
    monkeypatch.setattr(progress_module, "PATIENCE", 0.0)
    monkeypatch.setattr(progress_module, "watched", lambda: True)
    assert main(["run", str(model), "--t-end", "0.5"]) == GOOD
    assert "four-bar" in capsys.readouterr().err
    assert main(["run", str(model), "--t-end", "0.5", "--quiet"]) == GOOD
    assert capsys.readouterr().err == ""


def test_exit_codes(capsys, model, tmp_path):
    assert main(["check", str(tmp_path / "none.json")]) == WRONG
    assert "none.json" in capsys.readouterr().err
    assert main(["run", str(model), "--t-end", "1", "--method", "rk9"]) == WRONG
    assert "rk9" in capsys.readouterr().err
    stiff = ct.gallery.four_bar()
    stiff.joint_spring("s", "A", 1e4)
    stiff.motor("m", "B", 1e200)
    ct.save(stiff, tmp_path / "wild.json")
    assert main(["run", str(tmp_path / "wild.json"), "--t-end", "1"]) == FAILED
    (tmp_path / "broken.json").write_text("{")
    assert main(["check", str(tmp_path / "broken.json")]) == WRONG
    with pytest.raises(SystemExit):
        main(["nonsense"])


@pytest.mark.parametrize("option", ["--out", "--html", "--plot", "--csv"])
def test_files_that_cannot_be_written_are_noticed_before_the_run(tmp_path, capsys, monkeypatch, model, option):
    monkeypatch.setattr(ct, "simulate", lambda *_, **__: pytest.fail("it was simulated first"))
    cases = {tmp_path / "nowhere" / "x.h5": "does not exist", tmp_path: "is a directory"}
    monkeypatch.setattr("cotree.cli.os.access", lambda path, mode: path != tmp_path)
    cases[tmp_path / "x.h5"] = "is not writable"
    for path, words in cases.items():
        assert main(["run", str(model), "--t-end", "0.1", option, str(path)]) == WRONG
        assert words in capsys.readouterr().err


def test_results_are_kept_when_a_file_cannot_be_written_after_all(tmp_path, capsys, monkeypatch, model):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    figure = tmp_path / "x.not_a_figure"
    assert main(["run", str(model), "--t-end", "0.1", "--plot", str(figure)]) == WRONG
    said = capsys.readouterr()
    assert "four-bar: done" in said.out
    assert f"{figure} cannot be written" in said.err
    kept = said.err.split("the results were saved to ")[1].strip()
    assert ct.load_run(kept).t[-1] == 0.1


def test_the_summary_of_a_run_beyond_all_numbers():
    mech = ct.Mechanism("fast")
    mech.body("block", 1.0, (0, 0, 0), (1.0, 1.0, 1.0))
    mech.joint("slide", "ground", "block", ct.Prismatic((1, 0, 0)))
    assert cli._summary(ct.simulate(mech, 1.0, v=[1e200]), {})["energy_balance"] is None


def test_tolerances_that_were_not_given_are_none_beside_a_step(capsys, model):
    asked = ["run", str(model), "--t-end", "0.1", "--step", "0.01", "--json"]
    assert main(asked) == GOOD
    assert json.loads(capsys.readouterr().out)["warnings"] == []
    with pytest.warns(ct.errors.RunWarning, match="rtol has no effect"):
        assert main([*asked, "--rtol", "1e-6"]) == GOOD
    (found,) = json.loads(capsys.readouterr().out)["warnings"]
    assert (found["kind"], found["t"]) == ("input", None)
    assert "rtol has no effect with step=0.01" in found["text"]


def test_warnings_in_json(capsys, model):
    """Also those that the results show: a program that reads the summary must not take such a run for a good one."""
    assert main(["run", str(model), "--t-end", "1", "--step", "0.05", "--method", "euler", "--json"]) == GOOD
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "done"
    assert "energy" in [w["kind"] for w in told["warnings"]]
