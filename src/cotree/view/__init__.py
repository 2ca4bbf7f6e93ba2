"""Visualization of mechanisms and runs."""

from cotree.view.page import write_page
from cotree.view.plots import plot_run
from cotree.view.still_page import write_rest_page

__all__ = ["plot_run", "write_page", "write_rest_page"]
