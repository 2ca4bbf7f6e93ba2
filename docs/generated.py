"""What pages show of the repository as it is: marks in them are replaced when they are read."""

import ast
import importlib
import json
import tomllib
from collections import Counter
from functools import cache
from operator import attrgetter
from pathlib import Path

import listings

import cotree

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "build" / "papers" / "validation_report.json"  # made by `make papers`
STATUS = ("verified", "derived", "misprint", "erratum", "unused", "unreadable")
WITH_MEMBERS = ("Mechanism", "Run", "System")
GUIDE = (
    "tutorial", "mobility", "elements", "contact", "trust", "sensors", "rest", "stepper", "many", "model_files",
    "beams", "export",
)  # fmt: skip
NOT_MADE_BY_HAND = ("Run", "System", "Transition")  # shown without the arguments of their classes


def insert(app, page, source):
    """For Sphinx's source-read."""
    for mark, make in MARKS.items():
        if mark in source[0]:
            source[0] = source[0].replace(mark, make())


def public_names():
    """One section a module with the names that `cotree` offers from it."""
    parts = {cotree._TITLES.get(module, module): names for module, names in cotree._MODULES.items()}
    parts["Theory"] = [f"theory.{name}" for name in cotree.theory.__all__]
    return "\n".join(f"## {title}: arguments\n\n" + "\n".join(map(_directive, names)) for title, names in parts.items())


def _directive(name):
    kind = "autoclass" if isinstance(attrgetter(name)(cotree), type) else "autofunction"
    call = "()" if name in NOT_MADE_BY_HAND else ""
    options = ":members:\n:inherited-members:\n" if name in WITH_MEMBERS else ""
    return f"```{{eval-rst}}\n.. {kind}:: cotree.{name}{call}\n{_indented(options)}\n```\n"


def gallery():
    """The ready mechanisms, in the order of their names."""
    names = cotree.gallery.__all__
    return "\n".join(f"```{{eval-rst}}\n.. autofunction:: cotree.gallery.{name}\n```\n" for name in names)


def guide():
    """The toctree of the pages in the order in which one learns: those that exist."""
    pages = [page for page in GUIDE if (ROOT / "docs" / f"{page}.md").exists()]
    return "\n".join(["```{toctree}", ":caption: Guide", ":maxdepth: 1", "", *pages, "```"])


def _indented(text):
    return "".join(f"   {line}\n" for line in text.splitlines())


def equations():
    """Counts by status, the errata, and a table for each paper."""
    registry = tomllib.loads((ROOT / "equations.toml").read_text(encoding="utf-8"))
    papers = registry["papers"]
    parts = [_counts(registry)]
    for status, title in (("erratum", "Errata: formulas and claims"), ("misprint", "Misprints")):
        listed = [(p, n, e) for p in papers for n, e in registry[p].items() if e["status"] == status]
        parts += [f"## {title}\n\n{len(listed)}, corrected and tested:\n"]
        parts += [f"- [{p}] {_number(n)}, {_cell(e['title'])}: {_cell(e['note'])}" for p, n, e in listed]
    parts += [_paper(p, title, registry[p]) for p, title in papers.items()]
    return "\n".join(parts)


def validation(report=REPORT):
    """What the papers state beside ours, a table for each example, when the examples have been run."""
    if not report.exists():
        return "*Not in this build: `make papers` runs the examples, and `make docs` puts their report here.*"
    found = json.loads(report.read_text(encoding="utf-8"))["examples"]
    compared = [c for e in found for c in e["comparisons"]]
    counts = Counter(c["verdict"] for c in compared)
    parts = [
        f"{len(found)} examples, {len(compared)} figures, tables and statements: "
        + ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
        + f'. <a href="{report.with_suffix(".html").name}">The report with all figures</a>.\n'
    ]
    return "\n".join(parts + [_example(e) for e in found])


def _example(e):
    rows = [f"\n## {e['name']}\n", "| | the paper | here | verdict |", "|---|---|---|---|"]
    for c in e["comparisons"]:
        cells = (f"{c['where']}: {c['quantity']}", c["paper"], c["ours"], c["verdict"])
        rows.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(rows)


def _counts(registry):
    rows = [f"| | equations | {' | '.join(STATUS)} |", "|---|" + "---|" * (1 + len(STATUS))]
    total = Counter()
    for p in registry["papers"]:
        found = Counter(e["status"] for e in registry[p].values())
        total += found
        rows.append(_row(f"[{p}]", found))
    return "\n".join([*rows, _row("all", total)]) + "\n"


def _row(name, counts):
    return f"| {name} | {counts.total()} | {' | '.join(str(counts[s]) for s in STATUS)} |"


def _paper(short, title, entries):
    page = f"[The paper on a page of its own](paper_{short.lower()}.md), with its symbols and examples."
    head = "| | what | call this | code and test | status |"
    rows = [f"\n## [{short}]\n\n{_cell(title)}\n\n{page}\n", head, "|---|---|---|---|---|"]
    for number, e in entries.items():
        call = f"`{e['call']}`" if "call" in e else ""
        where = "<br>".join(_linked(e[k]) for k in ("code", "test") if k in e)
        status = e["status"] + (f": {_cell(e['note'])}" if "note" in e else "")
        rows.append(f"| {_number(number)} | {_cell(e['title'])} | {call} | {where} | {status} |")
    return "\n".join(rows)


def _linked(name):
    """A function or test by name, with a link to its line."""
    shown = name.removeprefix("cotree.").removeprefix("tests/")
    return f'<a href="{listings.address(*place_of(name))}"><code>{shown}</code></a>'


def linked_files():
    """Files of the repository to which the papers' equations have links."""
    registry = tomllib.loads((ROOT / "equations.toml").read_text(encoding="utf-8"))
    entries = [e for paper in registry["papers"] for e in registry[paper].values()]
    return sorted({place_of(e[k])[0] for e in entries for k in ("code", "test") if k in e})


def place_of(name):
    """(file, line) of `cotree.module.function` or `tests/file.py::function`."""
    if "::" in name:
        path, _, function = name.partition("::")
        return path, _line(ROOT / path, function)
    module, _, function = name.rpartition(".")
    made = getattr(importlib.import_module(module), function)
    plain = getattr(made, "py_func", made)
    path = ROOT / "src" / (module.replace(".", "/") + ".py")
    if not path.exists():  # a package that passes it on
        path = ROOT / "src" / (plain.__module__.replace(".", "/") + ".py")
    return path.relative_to(ROOT).as_posix(), _line(path, function)


@cache
def _lines(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {n.name: n.lineno for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}


def _line(path, function):
    return _lines(path)[function]


def _number(number):
    return f"({number})" if number[0].isdigit() else number


def _cell(text):
    """Text that Markdown leaves alone, on one line."""
    for sign in "\\*_|<[]$^~`":
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


MARKS = {
    "<!-- public names -->": public_names, "<!-- equations -->": equations, "<!-- gallery -->": gallery,
    "<!-- validation -->": validation, "<!-- guide -->": guide,
}  # fmt: skip
