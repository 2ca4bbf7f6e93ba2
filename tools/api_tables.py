"""Write the tables of docs/api.md and docs/gallery.md: public names with the first sentence of their docstrings.

They make the pages readable in the repository without a build; a test compares. `python tools/api_tables.py` after a change.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import cotree as ct  # noqa: E402

PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
PAGES = ("docs/api.md", "docs/gallery.md")


def first_sentence(thing: Any) -> str:
    """The first sentence of a docstring, on one line, with the signs of tables escaped."""
    text = (inspect.getdoc(thing) or "").split("\n\n")[0]
    found = re.match(r"(.*?[.!])(?:\s|$)", text, re.DOTALL)
    return " ".join((found[1] if found else text).split()).replace("|", "\\|")


def table(rows: list[tuple[str, Any]]) -> str:
    lines = ["| name | |", "|---|---|", *(f"| `{name}` | {first_sentence(thing)} |" for name, thing in rows)]
    return "\n".join(lines) + "\n"


def names() -> str:
    """A table for each subject."""
    parts = []
    for module, found in ct._MODULES.items():
        parts.append(f"### {ct._TITLES.get(module, module)}\n\n" + table([(n, getattr(ct, n)) for n in sorted(found)]))
    return "\n".join(parts)


def members() -> str:
    """Methods and properties of the three classes that users hold in their hands."""
    parts = []
    for c in (ct.Mechanism, ct.System, ct.Run):
        found = [(n, m) for n, m in inspect.getmembers(c) if not n.startswith("_") and _documented(m)]
        parts.append(
            f"### {c.__name__}\n\n" + table([(f".{n}{'()' if inspect.isfunction(m) else ''}", m) for n, m in found])
        )
    return "\n".join(parts)


def _documented(member: Any) -> bool:
    return (inspect.isfunction(member) or isinstance(member, property) or hasattr(member, "func")) and bool(
        inspect.getdoc(member)
    )


def gallery() -> str:
    return table([(f"{name}()", getattr(ct.gallery, name)) for name in ct.gallery.__all__])


MAKERS = {"names": names, "members": members, "gallery": gallery}


def filled(text: str) -> str:
    """A page with the tables of now."""
    return PLACE.sub(lambda m: f"{m[1]}{MAKERS[m[2]]()}{m[3]}", text)


if __name__ == "__main__":
    for page in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            path.write_text(filled(text), encoding="utf-8")
            print(page)
