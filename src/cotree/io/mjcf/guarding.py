"""What is looked at before a model is handed to MuJoCo: its size, its root, what it declares and what it includes.

MuJoCo's own parser expands no entities; a file that declares some, or is larger than any model, is refused all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

from cotree.errors import CotreeError, DocumentError

MOST_BYTES = 8 << 20  # of a model with all that it includes
MOST_ELEMENTS = 100_000
DEEPEST = 100  # elements within elements
MOST_FILES = 100
INCLUDE = re.compile(r"<include((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(?:/>|>\s*</include\s*>)")
FILE = re.compile(r"\sfile\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


@dataclass(frozen=True)
class Sources:
    """Text of a model and of the files that it includes; those that are not there are taken out of it, and named."""

    text: str
    includes: dict[str, bytes]
    missing: tuple[str, ...]


def is_text(path_or_text: Any) -> bool:
    """Whether a model is given as text and not as the name of a file."""
    return isinstance(path_or_text, str) and path_or_text.lstrip("\ufeff \t\r\n").startswith("<")


def read_bytes(path: Path) -> bytes:
    """A file that is not too large."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DocumentError(f"the file cannot be read: {error.strerror}; look at its name") from None


def gather(data: bytes, folder: Path) -> Sources:
    """A model with its includes, each of them looked at."""
    root = looked_at(data)
    if root != "mujoco":
        raise DocumentError(f"the root element is <{root[:60]}>; that of an MJCF file is <mujoco>")
    found, missing, total = dict[str, bytes](), list[str](), len(data)
    waiting = included(decoded(data))
    while waiting:
        name = waiting.pop(0)
        if name in found or name in missing:
            continue
        if len(found) + len(missing) >= MOST_FILES:
            raise DocumentError(f"more than {MOST_FILES} files are included, which no model needs; it is not read")
        if not (folder / name).is_file():
            missing.append(name)
            continue
        found[name] = read_bytes(folder / name)
        total += len(found[name])
        looked_at(found[name], total)
        waiting += included(decoded(found[name]))
    includes = {name: without(decoded(inner), missing).encode() for name, inner in found.items()}
    return Sources(without(decoded(data), missing), includes, tuple(missing))


def decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DocumentError("this is no text in UTF-8, which MuJoCo reads; save it so") from None


def included(text: str) -> list[str]:
    """Names of the files that a text includes."""
    return [_file(element) for element in INCLUDE.finditer(text) if _file(element)]


def without(text: str, missing: list[str]) -> str:
    """The text without the includes of some files."""
    return INCLUDE.sub(lambda element: "" if _file(element) in missing else element[0], text)


def _file(element: re.Match[str]) -> str:
    found = FILE.search(element[1])
    return (found[1] or found[2] or "") if found else ""


def looked_at(data: bytes, total: int | None = None) -> str:
    """Tag of the root of a document that is well formed, of sensible size, and declares nothing."""
    if (len(data) if total is None else total) > MOST_BYTES:
        raise DocumentError(f"the model has more than {MOST_BYTES} bytes, which no model needs; it is not read")
    look = _Look()
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = look.declaration
    parser.StartElementHandler, parser.EndElementHandler = look.start, look.end
    try:
        parser.Parse(data, True)
    except CotreeError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two for encodings
        raise DocumentError(f"this is no valid XML: {error}") from None
    return look.root


class _Look:
    """Handlers of the parser: they count, and note the root."""

    def __init__(self) -> None:
        self.root, self.count, self.depth = "", 0, 0

    def declaration(self, *_: Any) -> None:
        raise DocumentError(
            "the file has a DOCTYPE declaration, which may hide entities; take it out, no model needs it"
        )

    def start(self, tag: str, _: dict[str, str]) -> None:
        self.count += 1
        self.depth += 1
        if self.count > MOST_ELEMENTS or self.depth > DEEPEST:
            raise DocumentError(
                f"the file has more than {MOST_ELEMENTS} elements, or some {DEEPEST} deep, which no model needs; it is not read"
            )
        self.root = self.root or tag

    def end(self, _: str) -> None:
        self.depth -= 1
