"""The page: a template with style, scripts and data filled in, one self-contained file."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from cotree.io.atomic import write_whole
from cotree.io.paths import path_of
from cotree.view.page.data import page_data, still_data
from cotree.view.scene import Scene
from cotree.view.scene.colours import style_rules

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

SCRIPTS = (
    "vectors", "data", "motion", "triangles", "webgl", "camera", "painted", "arrows", "scene", "labels", "plots", "timeline",
    "modes", "page",
)  # fmt: skip


def write_page(run: Run, path: Any, arrows: Any = None, compare: Any = None) -> None:
    """Write an HTML page that plays a run; for the options see `Run.html`."""
    write_text(page(run, arrows, compare), path)


def write_still(scene: Scene, words: str, path: Any) -> None:
    """Write an HTML page that shows a configuration and a text."""
    write_text(filled(still_data(scene, words)), path)


def page(run: Run, arrows: Any = None, compare: Any = None) -> str:
    """Text of the page of a run."""
    return filled(page_data(run, arrows=arrows, compare=compare))


def filled(data: dict[str, Any]) -> str:
    """The template with data filled in."""
    pieces = {
        "title": html.escape(data["name"]),
        "style": style_rules() + _asset("page.css"),
        "data": harmless_json(data),
        "script": "\n".join(_asset(f"{name}.js") for name in SCRIPTS),
    }
    return re.sub(
        r"\{\{(\w+)\}\}", lambda found: pieces[found[1]], _asset("page.html")
    )  # in one pass: names may contain braces


def harmless_json(data: Any) -> str:
    """JSON that is safe inside an HTML script element, whatever names it contains."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def write_text(text: str, path: Any) -> None:
    """The page as a file, whole or not at all."""
    write_whole(
        path_of(path, "html(path)"), text.encode("utf-8", "xmlcharrefreplace")
    )  # names may contain lone surrogates


def _asset(name: str) -> str:
    return (files("cotree.view.page") / "assets" / name).read_text(encoding="utf-8")
