"""The faults of cotree/papers/breaks.toml can still be put in: each text is there once, each example has some."""

import tomllib
from pathlib import Path

import pytest

from cotree.papers.scripts import scripts

ROOT = Path(__file__).resolve().parent.parent.parent
ENTRIES = tomllib.loads((ROOT / "src" / "cotree" / "papers" / "breaks.toml").read_text(encoding="utf-8"))["break"]


@pytest.mark.parametrize("entry", ENTRIES, ids=[f"{e['example']}: {e['what']}" for e in ENTRIES])
def test_fault_can_be_put_in(entry):
    text = (ROOT / entry["file"]).read_text(encoding="utf-8")
    assert text.count(entry["old"]) == 1, f"{entry['file']}: {entry['old']!r}"
    assert entry["new"] != entry["old"]
    assert entry["fails"]


def test_every_example_has_faults():
    assert {e["example"] for e in ENTRIES} == set(scripts())
