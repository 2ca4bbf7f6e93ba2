"""Write the tables of docs/api.md, docs/gallery.md and docs/features.md: public names with the first sentence of their
docstrings, and what works with what, by the declarations.

They make the pages readable in the repository without a build; a test compares. `python tools/api_tables.py` after a change.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import cotree as ct  # noqa: E402
from cotree.model.features import CONSUMERS, FEATURES, Consumer  # noqa: E402

PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
PAGES = ("docs/api.md", "docs/gallery.md", "docs/features.md")


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


def theory() -> str:
    return table([(f"theory.{n}", getattr(ct.theory, n)) for n in ct.theory.__all__])


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


def load_declarations() -> dict[str, Consumer]:
    """All consumers, by their names: of each module that declares one."""
    source = ROOT / "src"
    for path in sorted(source.rglob("*.py")):
        if re.search(r"^[A-Z_]+ = declare\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            importlib.import_module(".".join(path.relative_to(source).with_suffix("").parts))
    return dict(sorted(CONSUMERS.items()))


def features() -> str:
    rows = [f"| {f.name} | {f.kind} | {f.meaning} |" for f in FEATURES.values()]
    return "\n".join(["| feature | kind | |", "|---|---|---|", *rows]) + "\n"


def consumers() -> str:
    """What each leaves out or refuses, and why."""
    lines = ["| | leaves out | refuses | why |", "|---|---|---|---|"]
    for consumer in load_declarations().values():
        verdicts: dict[tuple[str, str], list[str]] = {}
        for feature in FEATURES:
            word, reason, _ = consumer.verdict(feature)
            verdicts.setdefault((word, reason), []).append(feature)
        for (word, reason), names in verdicts.items():
            cells = (_by_kind(names), "") if word == "leaves out" else ("", _by_kind(names))
            lines += [f"| {consumer.name} | {cells[0]} | {cells[1]} | {reason} |"] if word != "handles" else []
        if len(verdicts) == 1:
            lines.append(f"| {consumer.name} | | | |")
    return "\n".join(lines) + "\n"


def _by_kind(names: list[str]) -> str:
    """Features, with one word for a kind where all of it are there."""
    kinds = {f.kind: [g.name for g in FEATURES.values() if g.kind == f.kind] for f in FEATURES.values()}
    whole = {kind: own for kind, own in kinds.items() if len(own) > 1 and set(own) <= set(names)}
    single = [n for n in names if FEATURES[n].kind not in whole]
    return ", ".join([*(f"all {kind}" for kind in whole), *single])


MAKERS = {
    "theory": theory,
    "features": features,
    "consumers": consumers,
    "names": names,
    "members": members,
    "gallery": gallery,
}


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
