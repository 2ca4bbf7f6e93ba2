"""Where in a document something is wrong: errors that begin with the place, such as bodies[2].mass."""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from cotree.errors import CotreeError, DocumentError
from cotree.model.naming import printable

MISSING = re.compile(r"Object missing required field `(?P<field>.*)`")
UNKNOWN = re.compile(r"Object contains unknown field `(?P<field>.*)`")
CHOICE = re.compile(r"Invalid (enum )?value")
BOUND = re.compile(r"Expected `(?P<type>\w+)` (?P<bound>[^,]*)")
WORDS = {
    "float": "a number", "int": "a whole number", "str": "text", "array": "a list", "object": "an object", "null": "nothing",
}  # fmt: skip


class Short(reprlib.Repr):
    """Values in messages: a few entries, a few levels, a few digits."""

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if abs(x) < 10**18 else f"a number of {x.bit_length()} bits"


SHORT = Short()
SHORT.maxstring = SHORT.maxother = 60


@contextmanager
def located(place: str) -> Iterator[None]:
    """Errors of the package inside name the place first, and stay of their class."""
    try:
        yield
    except CotreeError as error:
        raise type(error)(f"{place}: {error}") from error


def complaint(error: msgspec.ValidationError, raw: Any, known: set[str]) -> DocumentError:
    """An error of the structures in our words: place, what is wrong, what was found; `known`: names of all fields."""
    return DocumentError(printable(_complaint(error, raw, known)))


def _complaint(error: msgspec.ValidationError, raw: Any, known: set[str]) -> str:
    text, _, place = str(error).partition(" - at `")
    place = place.rpartition("$")[2].rstrip("`").lstrip(".")  # of "key` in `$.bodies[0]" that of the object
    if text == "Expected `str`" and " - at `key" in str(error):
        return f"{place or 'the document'}: a key is not text; put it in quotes"
    value = _at(raw, place)
    got = SHORT.repr(value)
    if found := MISSING.match(text):
        if found["field"] == "version":
            return "version: missing; give the format version, 1, at the top"
        return f"{_joined(place, found['field'])}: missing; it must be given"
    if found := UNKNOWN.match(text):
        return f"{_joined(place, found['field'])}: unknown field{_nearest(found['field'], known)}"
    if CHOICE.match(text):
        return f"{place}: {got} is not one of the allowed values{_nearest(value, known)}"
    if found := BOUND.match(text):
        return f"{place}: must be {_bound(found['type'], found['bound'])}, got {got}"
    if "`" not in text:  # Number out of range
        return f"{place or 'the document'}: {text[:1].lower()}{text[1:]}, got {got}"
    expected = " or ".join(WORDS.get(word, word) for word in re.findall(r"\w+", text.split("`")[1]))
    return f"{place or 'the document'}: must be {expected}, got {got}"


def _bound(kind: str, bound: str) -> str:
    """> 0.0: positive; of length 3: 3 entries long."""
    if bound.startswith("of length"):
        return "non-empty text" if kind == "str" else f"a list {bound}"
    return {"> 0.0": "positive", ">= 0.0": "positive or zero"}.get(bound, bound)


def _joined(place: str, field: str) -> str:
    return f"{place}.{field}" if place else field


def _nearest(word: Any, known: set[str]) -> str:
    close = difflib.get_close_matches(str(word)[:60], known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _at(raw: Any, place: str) -> Any:
    """The value at a place such as bodies[2].mass, or what it is in where no name leads further."""
    for name, index in re.findall(r"([$\w]+)|\[(\d+)\]", place):
        key: Any = name or int(index)
        if not isinstance(raw, dict if name else list) or (name and name not in raw):
            return raw
        raw = raw[key]
    return raw
