"""The figures of README and docs are those of the stored benchmark runs."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FIGURES = runpy.run_path(str(ROOT / "tools" / "figures.py"))


@pytest.mark.parametrize("page", FIGURES["PAGES"])
def test_figures_are_current(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "<!-- figures: " in text
    assert FIGURES["filled"](text) == text, "run python tools/figures.py"


def test_figures_that_changed_are_noticed():
    made = "<!-- figures: trees -->\n| old |\n<!-- end of figures -->"
    assert "chain 300" in FIGURES["filled"](made)
    assert "old" not in FIGURES["filled"](made)
