"""Texts of model files within bounds: their bytes, how many values they unfold to, and each key once."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from cotree.errors import DocumentError, DuplicateNameError, NotFiniteError, UnsafeFileError
from cotree.io.xml.elements import read_bytes, shown

MOST_BYTES = 64 << 20
MOST_VALUES = 1_000_000
MOST_PARTS = 100


def read_utf8(path: Path, most: int = MOST_BYTES) -> str:
    """The text of a file that is not too large; without a byte order mark."""
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"this is not UTF-8 text (byte {error.start} is {error.object[error.start]:#x}); save it as UTF-8"
        ) from None


def parse_json(text: str) -> Any:
    """Plain dicts and lists of a JSON text, without the NaN and Infinity of JavaScript."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict[str, Any]()
    for key, value in pairs:
        if key in found:
            raise DuplicateNameError(f"key {shown(key)} occurs twice in one object; keep one of them")
        found[key] = value
    return found


def _refuse(word: str) -> Any:
    raise NotFiniteError(f"{word} is not a JSON number; give a finite one")


def parse_toml(text: str) -> Any:
    """Plain dicts and lists of a TOML text; the reader's work grows with the square of the parts of a key."""
    if any(piece.count(".") > MOST_PARTS for piece in re.split(r"[=,\[\]{}\n]", text)):
        raise UnsafeFileError(f"a key has more than {MOST_PARTS} parts, more than any model needs; the file is refused")
    return tomllib.loads(text)


def counting(yaml: Any) -> Any:
    """A loader of PyYAML that refuses aliases that unfold without end, and keys given twice."""

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """sizes: values of each node that has been read, those of its aliases counted again."""

        def __init__(self, text: str) -> None:
            super().__init__(text)
            self.sizes: dict[int, int] = {}

        def compose_node(self, parent: Any, index: Any) -> Any:
            refers = self.check_event(yaml.AliasEvent)
            node = super().compose_node(parent, index)
            if refers:
                if id(node) not in self.sizes:
                    raise UnsafeFileError(f"{_line(node)}: an alias refers to itself; write the values out")
                return node
            inside = node.value if isinstance(node, yaml.SequenceNode) else []
            if isinstance(node, yaml.MappingNode):
                _check_keys([key for key, _ in node.value if isinstance(key, yaml.ScalarNode)])
                inside = [part for pair in node.value for part in pair]
            self.sizes[id(node)] = size = 1 + sum(self.sizes[id(part)] for part in inside)
            if size > MOST_VALUES:
                raise UnsafeFileError(
                    f"{_line(node)}: more than {MOST_VALUES} values, counting aliases; the file is refused"
                )
            return node

    return Loader


def _check_keys(keys: list[Any]) -> None:
    seen = set[str]()
    for key in keys:
        if key.value in seen and key.value != "<<":  # which merges, as often as one likes
            raise DuplicateNameError(f"{_line(key)}: key {shown(key.value)} occurs twice; keep one of them")
        seen.add(key.value)


def _line(node: Any) -> str:
    return f"line {node.start_mark.line + 1}"
