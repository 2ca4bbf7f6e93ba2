"""Studies of papers: what they must say, how scripts are found and run, the report and the command."""

import json

import matplotlib as mpl
import pytest

from cotree import cli
from cotree.errors import ChoiceError, StudyError, UnknownNameError
from cotree.papers import Study
from cotree.papers.page import page
from cotree.papers.scripts import chosen, main, perform, scripts

mpl.use("Agg")
SCRIPT = '''"""Words <on> it.

Chosen:
- `mass` of one
- no <friction>
"""
import matplotlib.pyplot as plt
from cotree.papers import Study

def study():
    out = Study("geo/one", "One & only", "Euler")
    figure, ax = plt.subplots()
    ax.plot([0, 1])
    out.compare("Figure 1", "slope", paper="is 1", ours="1", checks={"is one": RESULT}, figure=figure)
    return out
'''


def made(folder, result="True", name="one"):
    (folder / "geo").mkdir(exist_ok=True)
    (folder / "geo" / f"{name}.py").write_text(SCRIPT.replace("RESULT", result), encoding="utf-8")


def test_a_comparison_must_be_able_to_fail_and_say_why():
    study = Study("geo/one", "One", "Euler")
    with pytest.raises(StudyError, match="without checks"):
        study.compare("Figure 1", "slope", paper="", ours="", checks={})
    with pytest.raises(ChoiceError, match="'fine' is not one of 'agrees'"):
        study.compare("Figure 1", "slope", paper="", ours="", checks={"a": True}, verdict="fine")
    with pytest.raises(StudyError, match="explain in reason="):
        study.compare("Figure 1", "slope", paper="", ours="", checks={"a": True}, verdict="differs")
    assert not study.holds  # nothing compared, nothing shown
    study.compare("Figure 1", "slope", paper="1", ours="1", checks={"a": True})
    assert study.holds
    study.compare("Figure 2", "slope", paper="1", ours="2", checks={"b": 1, "c": 0}, verdict="differs", reason="so")
    assert not study.holds
    assert "Figure 2, slope: CHECK FAILED" in str(study)
    assert "[FAILED] c" in str(study)


def test_scripts_are_chosen_by_name_or_paper(tmp_path):
    with pytest.raises(StudyError, match="no examples in"):
        scripts(tmp_path)
    made(tmp_path)
    made(tmp_path, name="two")
    made(tmp_path, name="_shared")
    assert list(chosen((), tmp_path)) == ["geo/one", "geo/two"]
    assert list(chosen(["two"], tmp_path)) == ["geo/two"]
    assert list(chosen(["geo"], tmp_path)) == ["geo/one", "geo/two"]
    with pytest.raises(UnknownNameError, match="did you mean"):
        chosen(["geo/tow"], tmp_path)


@pytest.mark.parametrize(("result", "holds"), [("True", True), ("False", False), ("1/0", False)])
def test_outcomes_and_their_page(tmp_path, result, holds):
    made(tmp_path, result)
    outcome = perform("geo/one", tmp_path / "geo" / "one.py")
    assert outcome.holds is holds
    html = page([outcome])
    assert "<p>Words &lt;on&gt; it.</p>" in html.replace("\n", "")
    assert "<ul><li><code>mass</code> of one</li><li>no &lt;friction&gt;</li></ul>" in html
    assert ("ZeroDivisionError" in html) is (result == "1/0")
    assert ("badge failed" in html) is not holds
    assert html.count("data:image/png") == (result != "1/0")
    assert "http" not in html


@pytest.mark.parametrize(("result", "code"), [("True", 0), ("False", 1), ("1/0", 1)])
def test_the_command(tmp_path, monkeypatch, capsys, result, code):
    made(tmp_path, result)
    monkeypatch.setattr("cotree.papers.scripts.HERE", tmp_path)
    out = tmp_path / "reports" / "papers.html"
    assert cli.main(["papers", "--out", str(out), "--json"]) == code
    told = capsys.readouterr()
    assert json.loads(told.out)["holds"] is (code == 0)
    assert "[ 1/1] geo/one" in told.err
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert cli.main(["papers", "--out", str(out), "--verbose"]) == code
    assert ("NOT all checks held" in capsys.readouterr().out) is (code == 1)
    assert cli.main(["papers", "--list"]) == 0
    assert capsys.readouterr().out == "geo/one\n"


def test_a_script_by_itself(tmp_path, monkeypatch, capsys):
    made(tmp_path)
    monkeypatch.chdir(tmp_path)
    namespace = {}
    exec((tmp_path / "geo" / "one.py").read_text(encoding="utf-8"), namespace)
    with pytest.raises(SystemExit) as left:
        main(namespace["study"])
    assert left.value.code == 0
    assert (tmp_path / "out" / "papers" / "geo_one_1.png").stat().st_size > 1000
    assert "picture of Figure 1" in capsys.readouterr().out
