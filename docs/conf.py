"""Sphinx: pages in Markdown, the public names from their docstrings, the papers' equations from equations.toml."""

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "src")]

import generated  # noqa: E402  (beside this file)
import listings  # noqa: E402
import plain_text  # noqa: E402

import cotree  # noqa: E402
from cotree.view.page.writing import filled  # noqa: E402

project = "Cotree"
author = copyright = "The Cotree developers"
release = cotree.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
exclude_patterns = ["figures", "play"]
html_extra_path = [str(generated.REPORT.parent)] if generated.REPORT.exists() else []
html_theme = "furo"
html_title = "Cotree"
html_copy_source = False
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say what is taken; most of it is Any at the door
python_display_short_literal_types = True


def write_played(app, _):
    """Pages that play the runs of the recipes, each from its data and the viewer of the package."""
    if app.builder.format == "html":
        folder = Path(app.outdir) / "play"
        folder.mkdir(exist_ok=True)
        for kept in (Path(__file__).parent / "play").glob("*.json"):
            data = json.loads(kept.read_text(encoding="utf-8"))
            (folder / f"{kept.stem}.html").write_text(filled(data), encoding="utf-8")


def write_listings(app, _):
    """Files that the papers' equations link to, beside the pages."""
    if app.builder.format == "html":
        listings.write(generated.ROOT, generated.linked_files(), app.outdir)


def setup(app):
    app.connect("build-finished", write_listings)
    app.connect("build-finished", write_played)
    app.connect("source-read", generated.insert)
    app.connect("autodoc-process-docstring", plain_text.escape, priority=100)  # before napoleon
