"""What is looked at before a model is handed to MuJoCo: its size, its root, what it declares and what it includes.

MuJoCo's own parser expands no entities; a file that declares some, or is larger than any model, is refused all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cotree.errors import DocumentError, UnsafeFileError
from cotree.io.mjcf.growth import check_growth
from cotree.io.native.error_paths import located
from cotree.io.xml.elements import MOST_BYTES, Element, parse, read_bytes, shown

DEEPEST = 400  # elements within elements: a chain of bodies is that deep
MOST_FILES = 100
INCLUDE = re.compile(r"<include((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(?:/>|>\s*</include\s*>)")
FILE = re.compile(r"\sfile\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


@dataclass(frozen=True)
class Sources:
    """Text of a model and of the files that it includes; those that are missing are taken out of it, and named."""

    text: str
    includes: dict[str, bytes]
    missing: tuple[str, ...]


def is_text(path_or_text: Any) -> bool:
    """Whether a model is given as text and not as the name of a file."""
    return isinstance(path_or_text, str) and path_or_text.lstrip("\ufeff \t\r\n").startswith("<")


def gather(data: bytes, folder: Path) -> Sources:
    """A model with its includes, each of them looked at."""
    root = parse(_small(data), DEEPEST)
    if root.tag != "mujoco":
        raise DocumentError(f"the root element is <{root.tag[:60]}>; an MJCF file has <mujoco>")
    found, missing, total = dict[str, bytes](), list[str](), len(data)
    check_growth(root)
    waiting = list(_included(root, 0))
    while waiting:
        name, depth = waiting.pop(0)
        if name in found or name in missing:
            continue
        if len(found) + len(missing) >= MOST_FILES:
            raise UnsafeFileError(
                f"more than {MOST_FILES} files are included, more than any model needs; the file is refused"
            )
        if not (folder / name).is_file():
            missing.append(name)
            continue
        with located(f"include {shown(name)}"):
            found[name] = read_bytes(folder / name, MOST_BYTES - total)
            total += len(found[name])
            inner = parse(found[name], DEEPEST - depth)
            check_growth(inner)
            waiting += _included(inner, depth)
    includes = {name: _without(_text(inner), missing).encode() for name, inner in found.items()}
    return Sources(_without(_text(data), missing), includes, tuple(missing))


def _small(data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise UnsafeFileError(f"the text has more than {MOST_BYTES} bytes, more than any model needs; it is refused")
    return data


def _included(element: Element, depth: int) -> Iterator[tuple[str, int]]:
    """Names of the files that a document at a depth includes, with the depth at which they are; MuJoCo includes each once."""
    waiting = [(element, depth)]
    while waiting:
        e, depth = waiting.pop()
        waiting += [(inner, depth + 1) for inner in reversed(e.inside)]
        if e.tag == "include" and e.attributes.get("file"):
            yield e.attributes["file"], depth


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DocumentError("this is not UTF-8 text, which MuJoCo requires; save it as UTF-8") from None


def _without(text: str, missing: list[str]) -> str:
    """The text without the includes of files that are missing."""
    return INCLUDE.sub(lambda element: "" if _file(element) in missing else element[0], text) if missing else text


def _file(element: re.Match[str]) -> str:
    found = FILE.search(element[1])
    return (found[1] or found[2] or "") if found else ""
