"""Recipes are short, and their notebooks are made from the pages."""

import json

import pytest

from tests.docs.snippets import DOCS, blocks
from tools.recipes import NOTEBOOKS, PLAY, notebook

NAMES = sorted(p.stem for p in (DOCS / "recipes").glob("*.md") if p.stem != "index")


def test_there_are_ten_and_the_index_lists_them():
    index = (DOCS / "recipes" / "index.md").read_text(encoding="utf-8")
    assert len(NAMES) == 10
    for name in NAMES:
        assert f"]({name}.md)" in index


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_has_under_forty_lines_a_picture_a_page_that_plays_and_its_notebook(name):
    page = (DOCS / "recipes" / f"{name}.md").read_text(encoding="utf-8")
    code = [text for language, text in blocks(f"recipes/{name}.md") if language == "python"]
    assert sum(bool(line.strip()) for text in code for line in text.splitlines()) < 40
    assert f"figures/recipes/{name}.png" in page
    assert (DOCS / "figures" / "recipes" / f"{name}.png").stat().st_size > 5000
    assert any(f'.html("{name}.html"' in text for text in code)
    assert f'src="../play/{name}.html"' in page
    data = json.loads((PLAY / f"{name}.json").read_text(encoding="utf-8"))
    assert data["status"] == "done"
    assert len(data["time"]) > 500
    kept = (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    assert kept == notebook(page), "python tools/recipes.py"
    cells = json.loads(kept)["cells"]
    assert ["".join(c["source"]) for c in cells if c["cell_type"] == "code"] == [text.rstrip("\n") for text in code]
