"""Names that were not found, and what may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


def nearest(name: Any, known: Iterable[str]) -> str:
    """A hint at what the user may have meant."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(str(name), names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return (
        f"; there are {', '.join(map(repr, names[:8]))}{', ...' if len(names) > 8 else ''}"
        if names
        else "; it has none"
    )
