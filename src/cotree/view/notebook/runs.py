"""A run in a notebook: its certificate, and below it a small page that plays the motion."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from cotree._shown import preformatted
from cotree.errors import CotreeError
from cotree.model.shapes import Mesh, shapes_of
from cotree.view.page.data import page_data
from cotree.view.page.writing import filled

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

ROWS = 101
MOST_NUMBERS = 60_000  # in all frames: 330 kB
MOST_TRIANGLES = 6_000  # of all meshes: 290 kB
LARGEST = 1_000_000  # characters in total: notebooks store it
HEIGHT = 620  # pixels


def run_html(run: Run) -> str:
    """Certificate and page; without the page if it cannot be made or is too large to store."""
    try:
        words, frame = preformatted(str(run)), framed(_small_page(run))
    except CotreeError as error:  # states that are not finite
        return preformatted(f"{run!r}\nno picture: {error}")
    if len(words) + len(frame) > LARGEST:
        return words + preformatted(
            "The animation is too large for a notebook; write it to a file with run.html(path)."
        )
    return words + frame


def framed(text: str, height: int = HEIGHT) -> str:
    """A sandboxed page within the page."""
    page = html.escape(text).replace("&#x27;", "'").replace("&gt;", ">")  # which need no escape between double quotes
    style = f"width: 100%; height: {height}px; border: 0"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'


def _small_page(run: Run) -> str:
    bodies = run.system.mechanism.bodies.values()
    meshes = sum(isinstance(one, Mesh) for body in bodies for one in shapes_of(body.shape))
    row = 13 * run.system.n_bodies + run.system.nq + 10
    return filled(page_data(run, min(ROWS * row, MOST_NUMBERS), MOST_TRIANGLES // max(1, meshes)))
