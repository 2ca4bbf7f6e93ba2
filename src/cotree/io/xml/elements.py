"""XML as a tree of elements, within bounds: nothing is declared, fetched or expanded, and nothing grows beyond measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from cotree.errors import CotreeError, DocumentError, UnsafeFileError

MOST_BYTES = 8 << 20
MOST_ELEMENTS = 100_000
MOST_ATTRIBUTES = 50  # of one element
LONGEST = 200  # characters of a name
DEEPEST = 50


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with its attributes, the elements inside it, and its text."""

    tag: str
    attributes: dict[str, str]
    inside: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()

    @property
    def who(self) -> str:
        """The element in an error: joint 'knee', or its tag alone."""
        name = self.attributes.get("name")
        return self.tag if name is None else f"{self.tag} {shown(name)}"

    def all(self, tag: str) -> Iterator[Element]:
        return (e for e in self.inside if e.tag == tag)

    def first(self, tag: str) -> Element | None:
        return next(self.all(tag), None)


def shown(text: str) -> str:
    """A text of the file in a message, cut short where it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """A file that is not too large; a pipe or a device, which may have no end, is not read."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UnsafeFileError("this is a pipe or device, not a file; write its contents to a file first")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise UnsafeFileError(f"the file has more than {most} bytes, more than any model needs; it is refused")
    return data


def parse(data: bytes, deepest: int = DEEPEST) -> Element:
    """The root element; a document with a DTD or entities, too deep or too long is refused before it is read through."""
    builder = _Builder(deepest)
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = builder.declaration
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.characters
    try:
        parser.Parse(data, True)
    except CotreeError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two for encodings
        raise DocumentError(f"this is not valid XML: {error}") from None
    return builder.top.inside[0]


class _Builder:
    """Handlers of the parser: they keep the open elements and count."""

    def __init__(self, deepest: int) -> None:
        self.top = Element("", {})
        self.open, self.count, self.deepest = [self.top], 0, deepest

    def declaration(self, *_: Any) -> None:
        # entities can be declared nowhere else, so that none is ever expanded or fetched
        raise UnsafeFileError("the file has a DOCTYPE declaration, which may define entities; remove it")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise UnsafeFileError(
                f"the file has more than {MOST_ELEMENTS} elements, more than any model needs; it is refused"
            )
        if len(self.open) > self.deepest:
            raise UnsafeFileError(
                f"elements are more than {self.deepest} levels deep, more than any model needs; the file is refused"
            )
        if len(attributes) > MOST_ATTRIBUTES:
            raise UnsafeFileError(f"{shown(tag)} has more than {MOST_ATTRIBUTES} attributes; the file is refused")
        if len(attributes.get("name", "")) > LONGEST:
            raise UnsafeFileError(f"{shown(tag)} has a name of more than {LONGEST} characters; the file is refused")
        element = Element(tag, attributes)
        self.open[-1].inside.append(element)
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        self.open[-1].pieces.append(text)
