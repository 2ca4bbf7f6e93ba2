"""`cotree sweep study.toml`: compute a study, resume it where it was interrupted, write its report."""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

from cotree.errors import StudyWarning
from cotree.io.atomic import write_utf8
from cotree.model.naming import printable
from cotree.studies.sweeps import plots
from cotree.studies.sweeps.design import designed
from cotree.studies.sweeps.report import drawer, write_report
from cotree.studies.sweeps.study_file import read_study
from cotree.studies.sweeps.sweeping import OPTIONS, sweep

GOOD, FAILED, INTERRUPTED = 0, 1, 130


def run_study(given: argparse.Namespace) -> int:
    """What the command does."""
    study = read_study(Path(given.file))
    folder = Path(given.out or Path(given.file).with_suffix(""))
    folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)  # said below
        found = sweep(
            study.build, measure=study.measure, client=given.client, path=folder / "results.sweep", workers=given.workers,
            progress=False if given.quiet or given.json else None, **study.options,
        )  # fmt: skip
    status = found.status.values.ravel()
    counts = {word: int((status == word).sum()) for word in ("done", "failed", "missing")}
    files = {"results": folder / "results.sweep"}
    if not counts["missing"]:
        design = designed(*(study.options[k] for k in ("parameters", "sampling", "samples", "seed")))
        run_options = {k: v for k, v in study.options.items() if k in OPTIONS}
        draw = drawer(study.build, design.point, study.options["t_end"], run_options)
        files["table"] = _written(found, folder / "results.csv")
        files["report"] = write_report(found, folder, study.name, draw, study.worst, given.worst)
    _say(given, counts, files, _first_message(found))
    return INTERRUPTED if counts["missing"] else GOOD if counts["done"] else FAILED


def _written(found: Any, path: Path) -> Path:
    """All points as a table, with their messages and warnings."""
    import csv
    import io

    columns = plots.table(found)
    columns |= {word: found[word].values.ravel() for word in ("status", "message", "warnings")}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(x.tolist() for x in columns.values()), strict=True))
    write_utf8(path, text.getvalue())
    return path


def _first_message(found: Any) -> str:
    return next((m for m in found.message.values.ravel().tolist() if m), "")


def _say(given: argparse.Namespace, counts: dict[str, int], files: dict[str, Path], message: str) -> None:
    if given.json:
        print(json.dumps({**counts, "message": message, "files": {k: str(v) for k, v in files.items()}}))
    elif not given.quiet:
        words = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
        print(printable(f"{sum(counts.values())} points: {words}"))
        if message:
            print(printable(f"first failure: {message}"))
        if counts["missing"]:
            print("interrupted; the same command resumes")
        for what, path in files.items():
            print(f"{what}: {path}")
