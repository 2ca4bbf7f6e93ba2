"""Display of runs, mechanisms and systems in notebooks: HTML that needs no network and contains names only as text."""

from cotree.view.notebook.models import mechanism_html, system_html
from cotree.view.notebook.runs import run_html

__all__ = ["mechanism_html", "run_html", "system_html"]
