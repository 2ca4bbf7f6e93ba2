"""Shows that the checks of `cotree papers` can fail: breaks the code, one place at a time, and sees which of them notice.

`python tools/break_papers.py [NAME ...]` copies the package for each entry of cotree/papers/breaks.toml, puts `new` in place
of `old` in `file`, runs `example` and expects these checks (by a part of their words) among those that fail. At the
end it lists checks that no entry breaks. Each entry compiles the kernels anew: minutes in all. Neighbours with the same fault
share a copy; a fault in plain Python, which no kernel sees (`plain = true`), needs none: it is put in as the module is loaded.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
AS_IT_LOADS = """
import importlib.machinery, sys
path, old, new = sys.argv[1:4]
whole = importlib.machinery.SourceFileLoader.get_code
def get_code(loader, name):
    if loader.get_filename(name) != path:
        return whole(loader, name)
    return compile(open(path, encoding="utf-8").read().replace(old, new), path, "exec")
importlib.machinery.SourceFileLoader.get_code = get_code
from cotree.cli import main
sys.exit(main(sys.argv[4:]))
"""


def failing(package: Path, example: str, plain: dict[str, str] | None = None) -> tuple[list[str], list[str]]:
    """(checks that failed, all checks) of an example run with the package in a folder; "did not run" is one of them.

    plain: the entry of a fault that is put in as its module is loaded."""
    environment = {**os.environ, "PYTHONPATH": str(package), "MPLBACKEND": "Agg"}
    run = ["-m", "cotree.cli"]
    if plain is not None:
        run = ["-c", AS_IT_LOADS, str(ROOT / plain["file"]), plain["old"], plain["new"]]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, *run, "papers", example, "--json", "--out", f"{folder}/report.html"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    found = json.loads(done.stdout)["examples"][0]
    checks = {f"{c['where']}: {words}": held for c in found["comparisons"] for words, held in c["checks"].items()}
    failed = [words for words, held in checks.items() if not held]
    return ([found["trouble"].strip().splitlines()[-1]] if found["trouble"] else failed), list(checks)


def broken(entry: dict[str, str], folder: Path) -> Path:
    """A copy of the package with one thing wrong."""
    shutil.copytree(ROOT / "src" / "cotree", folder / "cotree", ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / entry["file"].removeprefix("src/")
    path.write_text(_text(entry).replace(entry["old"], entry["new"]), encoding="utf-8")
    return folder


def _text(entry: dict[str, str]) -> str:
    """The file to break, with what is to be replaced there once."""
    text = (ROOT / entry["file"]).read_text(encoding="utf-8")
    if text.count(entry["old"]) != 1:
        sys.exit(f"{entry['file']}: {entry['old']!r} is there {text.count(entry['old'])} times, not once")
    return text


def outcomes(entries: list[dict[str, Any]]) -> list[tuple[dict[str, Any], list[str], list[str]]]:
    """(entry, checks that failed, all checks) of entries with one fault."""
    if entries[0].get("plain"):
        assert _text(entries[0])
        return [(e, *failing(ROOT / "src", e["example"], e)) for e in entries]
    with tempfile.TemporaryDirectory() as folder:
        package = broken(entries[0], Path(folder))
        return [(e, *failing(package, e["example"])) for e in entries]


def main(names: list[str]) -> int:
    entries = tomllib.loads((ROOT / "src" / "cotree" / "papers" / "breaks.toml").read_text(encoding="utf-8"))["break"]
    wanted = [e for e in entries if not names or e["example"] in names]
    groups = [list(g) for _, g in groupby(wanted, key=lambda e: (e["file"], e["old"], e["new"]))]
    noticed: dict[str, set[str]] = {}
    every: dict[str, set[str]] = {}
    bad = 0
    for entry, failed, checks in (found for group in groups for found in outcomes(group)):
        example = entry["example"]
        every.setdefault(example, set()).update(checks)
        noticed.setdefault(example, set()).update(failed)
        missing = [w for w in entry["fails"] if not any(w in f for f in failed)]
        bad += bool(missing)
        print(
            f"{example}: {entry['what']}: {'NOT NOTICED by ' + '; '.join(missing) if missing else 'noticed'}",
            flush=True,
        )
        print("".join(f"    {words}\n" for words in failed), end="", flush=True)
    for example, checks in every.items():
        for words in sorted(checks - noticed[example]):
            print(f"{example}: nothing breaks {words!r}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
