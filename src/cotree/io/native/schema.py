"""JSON Schema of the native model format, for editors and other programs.

`python tools/schema.py` writes the file beside this one anew.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import msgspec

from cotree.io.native.structs import Document

FILE = Path(__file__).parent / "mechanism.schema.json"


def json_schema() -> dict[str, Any]:
    """Schema of a model file, as plain dicts and lists."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Cotree mechanism"}
    return dict(_cleaned(json.loads(json.dumps({**head, **msgspec.json.schema(Document)}))))


def _cleaned(part: Any) -> Any:
    """The same, whichever versions it was made with: without the indentation of docstrings, which Python strips from version
    3.13 on, and with "null" as the last of several types, where msgspec puts it among the first before version 0.22."""
    if isinstance(part, list):
        return [_cleaned(x) for x in sorted(part, key=lambda x: x == {"type": "null"})]
    if isinstance(part, dict):
        return {key: _cleaned(x) for key, x in part.items()}
    return inspect.cleandoc(part) if isinstance(part, str) else part


def as_text() -> str:
    """The file that is shipped."""
    return json.dumps(json_schema(), indent=1) + "\n"
