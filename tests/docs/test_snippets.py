"""Every Python block of the docs runs, and prints what its page shows, messages of errors word for word."""

import matplotlib
import pytest

from cotree.integrate.checks.run_warnings import KINDS
from cotree.integrate.methods.tableaux import METHODS
from tests.docs.snippets import DOCS, alike, numbers, pages, results, words

matplotlib.use("Agg")
NEEDS = {
    "conversions.md": ["mujoco"],
    "migrating.md": ["mujoco", "pinocchio", "exudyn"],
    "migrating_drake.md": ["pydrake"],
    "model_files.md": ["mujoco", "OCP"],
    "recipes/step.md": ["OCP", "PIL"],
    "recipes/parameter_study.md": ["xarray", "PIL"],
}


@pytest.fixture
def _methods_as_they_were():
    """A page adds one."""
    before = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(before)


@pytest.mark.parametrize("page", pages())
@pytest.mark.usefixtures("_methods_as_they_were")
def test_page(page, tmp_path, monkeypatch):
    for package in NEEDS.get(page, ()):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)  # for the files that blocks write
    if page in ("model_files.md", "recipes/step.md"):
        from tests.io.step_files import four_bar, write_step

        write_step(tmp_path / "four_bar.step", four_bar())
    for code, got, shown in results(page):
        if shown is None:
            assert "Error: " not in got, f"{page}: this block fails, and the page does not say so:\n{code}\n{got}"
            continue
        assert words(got) == words(shown), f"{page}, after\n{code}\nis printed\n{got}"
        different = [(a, b) for a, b in zip(numbers(got), numbers(shown), strict=True) if not alike(a, b)]
        assert not different, f"{page}, after\n{code}\nis printed\n{got}\n{different}"


def test_every_python_block_is_seen():
    """Also indented or otherwise fenced ones would have to be."""
    assert {
        "choosing.md",
        "conversions.md",
        "derivatives.md",
        "elements.md",
        "extending.md",
        "index.md",
        "rest.md",
        "many.md",
        "sensors.md",
        "stepper.md",
        "model_files.md",
        "troubleshooting.md",
        "tutorial.md",
    } <= set(pages())


def test_the_page_on_trust_explains_every_kind_of_warning():
    table = (DOCS / "trust.md").read_text(encoding="utf-8").split("## What a warning means")[1].split("## Five")[0]
    explained = {
        word.strip() for line in table.splitlines() if line.startswith("| ") for word in line.split("|")[1].split(",")
    }
    assert explained - {"kind"} == KINDS.keys()


def test_what_counts_as_the_same():
    assert words("a gap of 0.17 remains") == words("a gap\n of -3e-4 remains") != words("a gap of 0.17 stays")
    assert alike(234, 236)
    assert not alike(234, 260)
    assert alike(1e-15, 7e-9)
    assert not alike(0.0, 1e-3)
