"""Calling user functions: an exception keeps its type and gets a note that names the element whose function raised it."""

from __future__ import annotations


def blame(error: BaseException, whose: str, t: float) -> None:
    """Add a note like "in the function of motor 'm' at t = 0.5", once."""
    note = f"in {whose} at t = {t:.9g}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
