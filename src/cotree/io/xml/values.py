"""Names and numbers in elements; what is missing, no number, not finite or absurd is refused by name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cotree.errors import DocumentError, NotFiniteError
from cotree.io.xml.elements import Element, shown

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
LONGEST = 64  # characters of one number
LARGEST = 1e12  # metres, kilograms, anything: beyond it a file is wrong
ENDLESS = {"inf": float("inf"), "+inf": float("inf"), "-inf": -float("inf")}


def number(text: str, what: str, endless: bool = False) -> float:
    """A finite number of sensible size; with `endless` (limits) any size, and infinity."""
    word = text.strip()
    if word.lower().lstrip("+-") in ("nan", "inf", "infinity") and not (endless and word.lower() in ENDLESS):
        raise NotFiniteError(f"{what} is {word}; give a finite number")
    if endless and word.lower() in ENDLESS:
        return ENDLESS[word.lower()]
    if len(word) > LONGEST or not NUMBER.fullmatch(word):
        hint = "; run xacro on the file first" if "${" in word else ""
        raise DocumentError(f"{what} is {shown(word)}, which is not a number{hint}")
    value = float(word)
    if not endless and abs(value) > LARGEST:
        raise NotFiniteError(f"{what} is {word}, which is too large; numbers up to {LARGEST:g} in size are read")
    return value


def numbers(text: str, count: int, what: str) -> tuple[float, ...]:
    """So many numbers, separated by blanks."""
    words = text.split(None, count + 1)
    if len(words) != count:
        raise DocumentError(f"{what} is {shown(text)}; it must be {count} numbers")
    return tuple(number(word, what) for word in words)


def attribute(element: Element, name: str) -> str:
    """Text of an attribute that must be there."""
    text = element.attributes.get(name, "")
    if not text.strip():
        raise DocumentError(f"{element.tag} has no {name}; it must be given")
    return text


def the(element: Element, tag: str) -> Element:
    """The element inside that must be there."""
    found = element.first(tag)
    if found is None:
        raise DocumentError(f"{element.tag} has no <{tag}>; it must be given")
    return found


def number_at(element: Element, name: str, default: float | None = None, endless: bool = False) -> float:
    """An attribute that is a number; without a default it must be there."""
    if default is not None and name not in element.attributes:
        return default
    return number(attribute(element, name), f"{element.tag} {name}", endless)


def vector_at(element: Element | None, name: str, default: Sequence[float]) -> tuple[float, ...]:
    """An attribute of as many numbers as the default has."""
    if element is None or name not in element.attributes:
        return tuple(default)
    return numbers(element.attributes[name], len(default), name if element.tag == "origin" else f"{element.tag} {name}")


def one_of(word: str, known: Sequence[str], what: str) -> str:
    """A word of those to choose from."""
    if word not in known:
        raise DocumentError(f"{what} {shown(word)} is unknown; choose one of {', '.join(known)}")
    return word
