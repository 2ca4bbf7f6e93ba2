"""Whether somebody looks at what is written to stderr, so that a bar makes sense."""

from __future__ import annotations

import os
import sys

SWITCH = "COTREE_PROGRESS"  # 1: bars are always shown, 0: never; else where somebody can see them


def watched() -> bool:
    """On a terminal or in a notebook, unless the environment says otherwise."""
    asked = os.environ.get(SWITCH)
    if asked in ("0", "1"):
        return asked == "1"
    return (sys.stderr is not None and sys.stderr.isatty()) or "ipykernel" in sys.modules
