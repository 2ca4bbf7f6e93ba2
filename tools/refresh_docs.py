"""Run the blocks of README.md and docs/*.md and put what they print now in the place of what the pages show.

Blocks whose words and numbers still agree are left alone. Read the differences before committing them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import matplotlib

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.docs import snippets  # noqa: E402
from tests.io.step_files import four_bar, write_step  # noqa: E402


def refreshed(page: Path) -> int:
    """Number of blocks of a page that were replaced."""
    snippets.DOCS, text, count = page.parent, page.read_text(encoding="utf-8"), 0
    for _, got, shown in snippets.results(page.name):
        if shown is None or snippets.words(got) == snippets.words(shown):
            continue
        text, count = text.replace(f"```text\n{shown}```", f"```text\n{got.rstrip()}\n```", 1), count + 1
    page.write_text(text, encoding="utf-8")
    return count


def main() -> None:
    matplotlib.use("Agg")
    asked = [Path(p).resolve() for p in sys.argv[1:]] or [
        ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "recipes").glob("*.md"))
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # for the files that blocks write
        write_step(Path("four_bar.step"), four_bar())
        for page in asked:
            if count := refreshed(page):
                print(f"{page.relative_to(ROOT)}: {count} blocks")


if __name__ == "__main__":
    main()
