"""The site builds without a warning, and shows the repository as it is."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import cotree as ct

ROOT = Path(__file__).resolve().parent.parent.parent


def module(name):
    """A module beside conf.py."""
    if str(ROOT / "docs") not in sys.path:  # they load each other
        sys.path.append(str(ROOT / "docs"))
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_builds_without_warnings(tmp_path):
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-d",
        tmp_path / "doctrees",
        "docs",
        tmp_path / "html",
    ]
    path = os.pathsep.join([str(Path(ct.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    api, papers = ((tmp_path / "html" / f"{page}.html").read_text(encoding="utf-8") for page in ("api", "papers"))
    assert all(f'id="cotree.{name}"' in api for name in ct.__all__)
    assert 'id="cotree.Mechanism.brake"' in api
    assert "terminal equation of a loop" in papers
    gallery = (tmp_path / "html" / "gallery.html").read_text(encoding="utf-8")
    assert all(f'id="cotree.gallery.{name}"' in gallery for name in ct.gallery.__all__)
    played = (tmp_path / "html" / "play" / "engine.html").read_text(encoding="utf-8")
    assert (ROOT / "docs" / "play" / "engine.json").read_text(encoding="utf-8").strip() in played


def test_every_equation_is_on_the_page():
    registry = tomllib.loads((ROOT / "equations.toml").read_text(encoding="utf-8"))
    page = module("generated").equations()
    entries = [e for paper in registry["papers"] for e in registry[paper].values()]
    for paper in registry["papers"]:
        rows = page.split(f"\n## [{paper}]\n")[1].split("\n## ")[0].count("\n| ")
        assert rows == 1 + len(registry[paper])  # one is the head of the table
    assert f"| all | {len(entries)} |" in page
    for status, title in (("erratum", "Errata: formulas and claims"), ("misprint", "Misprints")):
        assert f"## {title}\n\n{sum(e['status'] == status for e in entries)}, corrected" in page
    for e in entries:
        assert "call" not in e or f"`{e['call']}`" in page


def test_links_lead_to_the_functions(tmp_path):
    """Code and tests of each equation, on pages with numbered lines."""
    made, listings = module("generated"), module("listings")
    path, line = made.place_of("cotree.formulations.handles.handle_equations")
    assert (ROOT / path).read_text(encoding="utf-8").splitlines()[line - 1].startswith("def handle_equations(")
    path, line = made.place_of("tests/test_equations.py::test_code_exists")
    assert "def test_code_exists(" in (ROOT / path).read_text(encoding="utf-8").splitlines()[line - 1]
    listings.write(ROOT, made.linked_files(), tmp_path)
    page = made.equations()
    for address in set(re.findall(r'href="(source/[^"]+)"', page)):
        file, _, place = address.partition("#")
        assert f'id="{place}"' in (tmp_path / file).read_text(encoding="utf-8")


def test_docstrings_are_plain_text():
    lines = ["J_c v = b, *all* of |x|.", "method: `auto` and so on,", "and on; a stray ` stays"]
    assert module("plain_text").escaped(lines) == [
        r"J\_c v = b, \*all\* of \|x\|.", "", "method: ``auto`` and so on,", "and on; a stray ' stays",
    ]  # fmt: skip


def test_sections_of_docstrings_stay_what_they_are():
    lines = [
        "Sum of J_c.",
        "",
        "Parameters",
        "----------",
        "v_dot : array_like",
        "    Of J_c v.",
        "",
        "Examples",
        "--------",
        ">>> a_b",
    ]
    assert module("plain_text").escaped(lines) == [r"Sum of J\_c.", *lines[1:5], r"    Of J\_c v.", *lines[6:]]


def test_the_report_on_the_papers_is_shown(tmp_path):
    made = module("generated")
    assert "make papers" in made.validation(tmp_path / "missing.json")
    report = tmp_path / "validation_report.json"
    compared = {"where": "Figure 1", "quantity": "a|b", "paper": "1", "ours": "2", "verdict": "differs", "checks": {}}
    report.write_text(json.dumps({"examples": [{"name": "lie/top", "comparisons": [compared]}]}), encoding="utf-8")
    page = made.validation(report)
    assert "1 examples, 1 figures, tables and statements: 1 differs" in page
    assert 'href="validation_report.html"' in page
    assert r"| Figure 1: a\|b | 1 | 2 | differs |" in page
