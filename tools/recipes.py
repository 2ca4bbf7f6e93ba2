"""Make the notebooks, pictures and playing data of docs/recipes: `python tools/recipes.py [name ...]`.

The pages are the only source: their text becomes the text of a notebook, their Python blocks its cells, and the pictures and
pages that the blocks write become the figures of the docs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES, NOTEBOOKS = ROOT / "docs" / "recipes", ROOT / "examples" / "notebooks"
FIGURES, PLAY = ROOT / "docs" / "figures" / "recipes", ROOT / "docs" / "play"
PIECE = re.compile(r"^```(python|text)\n(.*?)^```\n?", re.DOTALL | re.MULTILINE)
FIGURE = re.compile(r"^!\[.*\]\(.*\)\n?|^```\{raw\} html\n(?:.*\n)*?```\n?", re.MULTILINE)
DATA = re.compile(r'<script[^>]*id="data"[^>]*>(.*?)</script>', re.DOTALL)


def notebook(page: str) -> str:
    """The notebook of a page, as JSON; what blocks print and figures are left out, since a notebook makes them itself."""
    cells, end = [], 0
    for found in PIECE.finditer(page):
        cells.append(_cell("markdown", page[end : found.start()]))
        if found[1] == "python":
            cells.append(_cell("code", found[2]))
        end = found.end()
    cells.append(_cell("markdown", page[end:]))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {
        "cells": [c for c in cells if c["source"]],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    for k, cell in enumerate(made["cells"]):
        cell["id"] = f"cell-{k}"
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, text: str) -> dict[str, object]:
    text = FIGURE.sub("", text).strip("\n") if kind == "markdown" else text.rstrip("\n")
    made: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    return made if kind == "markdown" else made | {"execution_count": None, "outputs": []}


def drawn(page: Path) -> list[str]:
    """Run the blocks of a page and keep the pictures and pages that they write; returns their names."""
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copy(ROOT / "examples" / "four_bar.step", folder)
        for language, code in PIECE.findall(page.read_text(encoding="utf-8")):
            if language == "python":
                exec(compile(code, page.name, "exec"), names)
        written = [Path(shutil.copy(made, FIGURES)).name for made in sorted(Path(folder).glob("*.png"))]
        written += [keep_data(made) for made in sorted(Path(folder).glob("*.html"))]
        os.chdir(ROOT)
    return written


def keep_data(page: Path) -> str:
    """Keep what a playing page shows; Sphinx fills it into the viewer as that is then. Returns the name of the file."""
    kept = PLAY / f"{page.stem}.json"
    found = DATA.search(page.read_text(encoding="utf-8"))
    assert found is not None, f"{page.name} plays nothing"
    kept.write_text(found[1] + "\n", encoding="utf-8")
    return kept.name


def main() -> None:
    NOTEBOOKS.mkdir(exist_ok=True)
    for page in sorted(PAGES.glob("*.md")):
        if page.stem == "index" or (sys.argv[1:] and page.stem not in sys.argv[1:]):
            continue
        (NOTEBOOKS / f"{page.stem}.ipynb").write_text(notebook(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(page.stem, drawn(page))


if __name__ == "__main__":
    main()
