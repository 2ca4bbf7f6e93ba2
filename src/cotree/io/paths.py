"""Paths that a user gives, checked before anything is done with them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cotree.errors import ArgumentError
from cotree.model.checks import shown


def path_of(value: Any, call: str, folder: bool = False) -> Path:
    """A path to a file, or to a folder; call: how the function is called, in words, such as "save(mech, path)"."""
    try:
        path = Path(value)
        os.fsencode(path)
    except Exception:
        raise ArgumentError(f"the path is {shown(value)}; give the name of a file: {call}") from None
    if "\0" in str(path):
        raise ArgumentError(f"the path {shown(value)} contains a NUL character; give the name of a file: {call}")
    if not (path.name or folder):
        raise ArgumentError(f"the path {shown(value)} is not the name of a file; give a file name: {call}")
    return path
