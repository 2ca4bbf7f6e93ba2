"""Pictures of mechanisms and runs."""

from cotree.view.page import write_page
from cotree.view.plots import plot_run

__all__ = ["plot_run", "write_page"]
