"""A run as one HTML page that plays it in a browser, without a network."""

from cotree.view.page.writing import write_page

__all__ = ["write_page"]
