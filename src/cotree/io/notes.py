"""Notes on what a file says and a mechanism does not, in one line each."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 5


def listed(what: str, names: Iterable[str], rest: str) -> str:
    """ "limits of joints 'a', 'b' are left out", with the first few names; nothing without names."""
    quoted = [repr(name) for name in names]
    if not quoted:
        return ""
    more = f" and {len(quoted) - MOST} others" if len(quoted) > MOST + 1 else ""
    return f"{what} {', '.join(quoted[: MOST if more else None])}{more} {rest}"
