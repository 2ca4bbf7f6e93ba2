"""Where the examples of the papers are, and one of them run."""

from __future__ import annotations

import importlib.util
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cotree.errors import StudyError, UnknownNameError
from cotree.model.mechanism import nearest
from cotree.papers.study import Study

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Outcome:
    """A script that was run: its words on what is reproduced, the study or the trace of what went wrong, seconds taken."""

    name: str
    words: str
    study: Study | None
    trouble: str
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether it ran and all its checks held."""
        return self.study is not None and self.study.holds


def scripts(folder: Path | None = None) -> dict[str, Path]:
    """{"lie/heavy_top": path, ...} in the order of papers and names."""
    root = folder or HERE
    found = {f"{p.parent.name}/{p.stem}": p for p in sorted(root.glob("*/*.py")) if not p.stem.startswith("_")}
    if not found:
        raise StudyError(f"no examples in {root}: each is a file PAPER/NAME.py in that folder")
    return found


def chosen(names: Any, folder: Path | None = None) -> dict[str, Path]:
    """Those named, by "lie/heavy_top", by "heavy_top" or all of a paper by "lie"; all of them where none is named."""
    every = scripts(folder)
    out = {} if names else dict(every)
    for name in names:
        found = {n: p for n, p in every.items() if name in (n, *n.split("/"))}
        if not found:
            known = [*every, *(n.split("/")[1] for n in every)]
            raise UnknownNameError(f"there is no example {name!r} of the papers{nearest(name, known)}")
        out.update(found)
    return out


def perform(name: str, path: Path) -> Outcome:
    """Run the function `study` of a script; what it raises is part of the outcome."""
    start, words = time.perf_counter(), ""
    try:
        module = _loaded(name, path)
        words = (module.__doc__ or "").strip()
        study: Study | None = module.study()
        trouble = ""
    except Exception:
        study, trouble = None, traceback.format_exc(limit=-4)
    return Outcome(name, words, study, trouble, time.perf_counter() - start)


def _loaded(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"cotree_papers.{name.replace('/', '.')}", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


def main(make: Any) -> None:
    """For `python -m cotree.papers.lie.heavy_top`: print the study, write its pictures to out/papers."""
    study = make()
    print(study)
    out = Path("out") / "papers"
    for k, c in enumerate(study.comparisons):
        if c.picture:
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"{study.name.replace('/', '_')}_{k + 1}.png"
            path.write_bytes(c.picture)
            print(f"  picture of {c.where}: {path}")
    sys.exit(0 if study.holds else 1)
