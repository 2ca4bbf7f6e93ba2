"""Mechanisms that run without Python: C libraries, web pages that simulate, functional mock-up units."""

from cotree.export.library import export_library
from cotree.export.page import export_page
from cotree.export.unit import export_fmu

__all__ = ["export_fmu", "export_library", "export_page"]
