"""The tables of public names that are committed with the pages are those of the package."""

import runpy
from pathlib import Path

import pytest

import cotree as ct

ROOT = Path(__file__).resolve().parent.parent.parent
TABLES = runpy.run_path(str(ROOT / "tools" / "api_tables.py"))


@pytest.mark.parametrize("page", TABLES["PAGES"])
def test_tables_are_current(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "<!-- table: " in text
    assert TABLES["filled"](text) == text, "run python tools/api_tables.py"


def test_every_name_is_listed():
    api = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in ct.__all__ if f"| `{name}` |" not in api] == []
    assert "| `.compile()` |" in api


def test_a_docstring_becomes_one_sentence():
    def thing():
        """Size |x| of it,
        in metres. More.

        And more.
        """

    assert TABLES["first_sentence"](thing) == r"Size \|x\| of it, in metres."
