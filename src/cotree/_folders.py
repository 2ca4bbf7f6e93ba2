"""Folders whose files are all loaded: each registers what it holds, and a new one is found where it lies."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules


def load_files(package: str, folder: Iterable[str]) -> None:
    """Import all files of a package, by its name and path."""
    for file in iter_modules(folder):
        import_module(f"{package}.{file.name}")
