"""The page that leads from words to names: each name stands on a page that its row links to."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
ROWS = [
    line for line in (DOCS / "find.md").read_text(encoding="utf-8").splitlines() if line.count("](") and line[0] == "|"
]


@pytest.mark.parametrize("row", ROWS, ids=[row.split("|")[1].strip() for row in ROWS])
def test_names_stand_on_the_pages_of_their_row(row):
    names = re.findall(r"\b(?:ct|mech|run|stepper)\.(\w+)", row.split("|")[2])
    linked = "".join((DOCS / page).read_text(encoding="utf-8") for page in re.findall(r"\]\((\w+\.md)", row))
    assert [name for name in names if not re.search(rf"\b{name}\b", linked)] == []
