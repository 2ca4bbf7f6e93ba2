"""Documents as text: JSON, YAML and TOML, to and from plain dicts and lists."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import numpy as np

from cotree.errors import CotreeError, DocumentError, MissingPackageError, UnsafeFileError
from cotree.io.native.bounded import counting, parse_json, parse_toml
from cotree.io.native.yaml_words import also_in_12, keep_breaks, read_as_in_12
from cotree.model.naming import printable

WIDTH = 120


@dataclass(frozen=True)
class Syntax:
    """How a document is written and read; may_be_cut: whether its first part alone can be valid, too."""

    name: str
    write: Callable[[Any], str]
    parse: Callable[[str], Any]
    may_be_cut: bool = False

    def read(self, text: str) -> Any:
        """Plain dicts and lists; a text that is not in this syntax is refused."""
        try:
            return self.parse(text)
        except CotreeError:  # a package is missing, or the text is within no bounds
            raise
        except RecursionError:
            raise UnsafeFileError("values are nested deeper than any model needs; the file is refused") from None
        except Exception as error:  # each library has its own
            words = str(error).replace('in "<unicode string>", ', "in ")  # as PyYAML has it
            raise DocumentError(f"this is not valid {self.name}: {printable(cut_short(words))}") from None


def cut_short(words: str, most: int = 500) -> str:
    return words if len(words) <= most else words[: most - 3] + "..."


def package(name: str, extra: str) -> Any:
    """An optional package, loaded when it is needed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingPackageError(
            f"the package {name} is needed for this and is not installed; pip install 'cotree[{extra}]'"
        ) from None


# -- JSON ----------------------------------------------------------------------------------------------------


def write_json(value: Any, indent: str = "") -> str:
    """JSON with one entry per line, vectors and matrices on one."""
    short = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    if not isinstance(value, dict | list) or (len(indent) + len(short) <= WIDTH and not _has_dict(value)):
        return short
    inner, (left, right) = indent + "  ", "{}" if isinstance(value, dict) else "[]"
    keys = [f"{msgspec.json.encode(key).decode()}: " for key in value] if isinstance(value, dict) else [""] * len(value)
    entries = value.values() if isinstance(value, dict) else value
    lines = [f"{inner}{key}{write_json(entry, inner)}" for key, entry in zip(keys, entries, strict=True)]
    return f"{left}\n" + ",\n".join(lines) + f"\n{indent}{right}"


def as_json(value: Any) -> str:
    """Text of plain data; numbers of NumPy become plain, anything else what it prints as."""
    return json.dumps(value, default=lambda x: x.tolist() if isinstance(x, np.ndarray | np.generic) else repr(x))


def _has_dict(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_dict, value)))


# -- YAML ----------------------------------------------------------------------------------------------------


@cache
def _yaml() -> tuple[Any, Any, Any]:
    """PyYAML with a loader for YAML 1.2, and a dumper for what 1.1 and 1.2 both read alike."""
    yaml = package("yaml", "files")
    return yaml, read_as_in_12(counting(yaml)), keep_breaks(also_in_12(type("Dumper", (yaml.SafeDumper,), {})))


def write_yaml(value: Any) -> str:
    yaml, _, dumper = _yaml()
    return str(
        yaml.dump(value, Dumper=dumper, sort_keys=False, default_flow_style=None, allow_unicode=True, width=WIDTH)
    )


def parse_yaml(text: str) -> Any:
    yaml, loader, _ = _yaml()
    return yaml.load(text, Loader=loader)


# -- TOML ----------------------------------------------------------------------------------------------------


def write_toml(value: Any) -> str:
    """TOML with each vector on one line, which the writer spreads over many."""
    text = str(package("tomli_w", "files").dumps(value))
    return re.sub(r"\[\n((?:\s+[-+.\de]+,\n)+)\s*\]", lambda found: f"[{' '.join(found[1].split())[:-1]}]", text)


JSON = Syntax("JSON", lambda value: write_json(value) + "\n", parse_json)
YAML = Syntax("YAML", write_yaml, parse_yaml, may_be_cut=True)
TOML = Syntax("TOML", write_toml, parse_toml, may_be_cut=True)
