"""Names: which are taken, which were not found and what may have been meant, and how texts are shown that are not ours."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from cotree.errors import ModelError

# control characters, separators of lines, characters that turn the direction of what follows, and those that are none at all:
# terminals act on them, and files do not give them back
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef"
_NO_CHARACTERS = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
UNPRINTABLE = re.compile(f"[{_CONTROLS}{_NO_CHARACTERS}]")
_UNPRINTABLE_IN_TEXT = re.compile(f"(?!\n)[{_CONTROLS}{_NO_CHARACTERS}\ud800-\udfff]")  # halves of characters, too


def check_characters(name: str, what: str, error: type[ModelError] = ModelError) -> None:
    """A name without control characters."""
    found = UNPRINTABLE.search(name)
    if found:
        raise error(
            f"the name of {what}, {name[:60]!r}, has the character U+{ord(found[0]):04X} in it, which terminals act on and "
            "files do not give back; leave it out"
        )


def printable(text: str) -> str:
    """A text from elsewhere (a file, another program) with its control characters written out; line breaks stay."""
    return _UNPRINTABLE_IN_TEXT.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


LONGEST = 100  # letters that are compared


def nearest(name: Any, known: Iterable[str]) -> str:
    """A hint at what the user may have meant."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name[:LONGEST], names, n=1) if isinstance(name, str) else []
    if close:
        return f"; did you mean {close[0]!r}?"
    return (
        f"; there are {', '.join(map(repr, names[:8]))}{', ...' if len(names) > 8 else ''}"
        if names
        else "; it has none"
    )
