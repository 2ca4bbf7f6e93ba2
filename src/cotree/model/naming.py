"""Names: allowed characters, suggestions for unknown ones, and safe printing of text from elsewhere."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from cotree.errors import ModelError
from cotree.model.checks import shown

# control characters, line separators, characters that change the text direction, and non-characters:
# terminals interpret them, and files do not preserve them
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef"
_NO_CHARACTERS = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
UNPRINTABLE = re.compile(f"[{_CONTROLS}{_NO_CHARACTERS}]")
_UNPRINTABLE_IN_TEXT = re.compile(f"(?!\n)[{_CONTROLS}{_NO_CHARACTERS}\ud800-\udfff]")  # lone surrogates, too


def check_characters(name: str, what: str, error: type[ModelError] = ModelError) -> None:
    """A name without control characters."""
    found = UNPRINTABLE.search(name)
    if found:
        raise error(
            f"the name of {what}, {name[:60]!r}, contains the character U+{ord(found[0]):04X}, which terminals interpret "
            "and files do not preserve; leave it out"
        )


def printable(text: str) -> str:
    """Text from elsewhere (a file, another program) with control characters escaped; line breaks stay."""
    return _UNPRINTABLE_IN_TEXT.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


LONGEST = 100  # characters compared


def unknown(name: Any, what: str, known: Iterable[str], heading: str = "") -> str:
    """A name that is not known, and what may have been meant: "'k' is not a joint; the joints are 'A', 'B'".

    what: the word, with "a" before it. heading: what the known names are, where it is not that word with an s."""
    return f"{shown(name)} is not a {what}{nearest(name, known, heading or f'the {what}s are')}"


def nearest(name: Any, known: Iterable[str], heading: str = "there are") -> str:
    """A suggestion of what the user may have meant."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name[:LONGEST], names, n=1) if isinstance(name, str) else []
    if close:
        return f"; did you mean {close[0]!r}?"
    return (
        f"; {heading} {', '.join(map(repr, names[:8]))}{', ...' if len(names) > 8 else ''}"
        if names
        else "; it has none"
    )
