"""Mechanisms that run without Python: C libraries, web pages that simulate, functional mock-up units."""

from cotree.export.library import export_library

__all__ = ["export_library"]
