"""What is said of the release in several places is the same: version, changelog, citation."""

import re
from pathlib import Path

import cotree as ct

ROOT = Path(__file__).resolve().parent.parent.parent
HEADINGS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_version_is_the_same_everywhere():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == ct.__version__
    assert f"\nversion: {ct.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_changelog_has_one_line_per_change():
    """In the sections of Keep a Changelog, breaking changes first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    body = text[text.index("\n## ") :]
    assert {*re.findall(r"^### (.+)$", body, re.MULTILINE)} <= HEADINGS
    assert [line for line in body.splitlines() if line and not line.startswith(("- ", "## ", "### "))] == []
    for section in body.split("\n### "):
        marked = [line.startswith("- **breaking**") for line in section.splitlines() if line.startswith("- ")]
        assert marked == sorted(marked, reverse=True)
