"""Shows that the checks of `cotree papers` can fail: breaks the code, one place at a time, and sees which of them notice.

`python tools/break_papers.py [NAME ...]` copies the package for each entry of examples/papers/breaks.toml, puts `new` in place
of `old` in `file`, runs `example` and expects these checks (by a part of their words) among those that fail. At the
end it lists checks that no entry breaks. Each entry compiles the kernels anew: minutes in all.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def failing(package: Path, example: str) -> tuple[list[str], list[str]]:
    """(checks that failed, all checks) of an example run with the package in a folder; "did not run" is one of them."""
    environment = {**os.environ, "PYTHONPATH": str(package), "MPLBACKEND": "Agg"}
    out = package / "report.html"
    command = [sys.executable, "-m", "cotree.cli", "papers", example, "--json", "--out", str(out)]
    done = subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True)
    found = json.loads(done.stdout)["examples"][0]
    checks = {f"{c['where']}: {words}": held for c in found["comparisons"] for words, held in c["checks"].items()}
    failed = [words for words, held in checks.items() if not held]
    return ([found["trouble"].strip().splitlines()[-1]] if found["trouble"] else failed), list(checks)


def broken(entry: dict[str, str], folder: Path) -> Path:
    """A copy of package and examples with one thing wrong."""
    shutil.copytree(ROOT / "src" / "cotree", folder / "cotree", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "examples" / "papers", folder / "cotree" / "examples_of_papers")
    path = folder / entry["file"].removeprefix("src/")
    text = path.read_text(encoding="utf-8")
    if text.count(entry["old"]) != 1:
        sys.exit(f"{entry['file']}: {entry['old']!r} is there {text.count(entry['old'])} times, not once")
    path.write_text(text.replace(entry["old"], entry["new"]), encoding="utf-8")
    return folder


def main(names: list[str]) -> int:
    entries = tomllib.loads((ROOT / "examples" / "papers" / "breaks.toml").read_text(encoding="utf-8"))["break"]
    noticed: dict[str, set[str]] = {}
    every: dict[str, set[str]] = {}
    bad = 0
    for entry in entries:
        example = entry["example"]
        if names and example not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            failed, checks = failing(broken(entry, Path(folder)), example)
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
