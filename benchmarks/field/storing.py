"""Solutions and models in open formats, and the page benchmarks/field/README.md made from them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

import cotree as ct
from benchmarks.field.catalogue import PROBLEMS
from benchmarks.field.solving import Solved

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(__file__).parent / "data"
PAGE = ROOT / "benchmarks" / "field" / "README.md"
WORDS = {"exudyn": "Exudyn", "mujoco": "MuJoCo"}
HEAD = """# A benchmark set of the field

Published problems of multibody dynamics, each with its data, its source, our solution and an estimate of its error.
Made by `python -m benchmarks.field --store`; do not edit.
Solutions (CSV), models (JSON model files) and these figures (JSON) are in `benchmarks/field/data`, the problems as code in
`benchmarks/field`.
To cite the set, cite the software with its version (`CITATION.cff`) and the source of the problem.

The error is the larger of two distances: from a second solution of ours with another method, another formulation and other
coordinates, and from a solution by other equations, which share no code with the package but for the velocities at the start.
Both are the largest distances of the watched points over the whole motion.
"""
FOOT = """
`python -m benchmarks.field A03` computes one row again, with `--work` also what accuracy costs.

Problems with flexible bodies (the slider-crank of the Test Set for IVP Solvers among them: its crank is driven, so that with a
rigid rod nothing is left to solve) and with contact are not in the set.
"""


def name_of(key: str) -> str:
    return key.replace(" ", "_")


def store(found: Solved, costs: list[dict[str, Any]], others: list[dict[str, Any]]) -> None:
    """Solution as CSV, errors and costs as JSON, the model as a Cotree model file (JSON)."""
    p, name = found.problem, name_of(found.problem.key)
    DATA.mkdir(exist_ok=True)
    with (DATA / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["t [s]", *p.columns])
        writer.writerows([[repr(float(x)) for x in row] for row in np.column_stack([p.times, found.rows])])
    note = {
        "title": p.title, "sources": p.sources, "t_end": p.t_end, "points": p.points, "velocities": p.v,
        "error": found.error, "another formulation": found.other, p.why_second: found.second,
        "published": {k.source: d for k, d in zip(p.known, found.known, strict=True)}, "energy": found.energy,
        "cotree": ct.__version__, "work": costs, "peers": others,
    }  # fmt: skip
    (DATA / f"{name}.json").write_text(json.dumps(note, indent=1, default=float) + "\n", encoding="utf-8")
    ct.save(p.make(), DATA / f"{name}.model.json")
    PAGE.write_text(page(), encoding="utf-8")


def stored(key: str) -> tuple[dict[str, Any], np.ndarray] | None:
    """Note and rows (t, watched coordinates) of a problem, None if it was not stored."""
    path = DATA / f"{name_of(key)}.csv"
    if not path.exists():
        return None
    note: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return note, np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


def page() -> str:
    there = {key: found for key in PROBLEMS if (found := stored(key)) is not None}
    lines = [
        HEAD,
        "| problem | what it tests | time | error | other formulation | other equations | published solution |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, (note, _) in there.items():
        p = PROBLEMS[key]
        published = ", ".join(f"{d:.1e}" for d in note["published"].values()) or "–"
        lines.append(
            f"| [{p.key}](#{anchor(p.key, p.title)}) {p.title} | {p.tests} | {p.t_end:g} s | {note['error']:.1e} m "
            f"| {note['another formulation']:.1e} m | {note[p.why_second]:.1e} m | {published} |"
        )
    lines.append(FOOT)
    for key, (note, rows) in there.items():
        lines += problem_section(key, note, rows)
    return "\n".join(lines)


def anchor(key: str, title: str) -> str:
    words = "".join(c for c in f"{key} {title}".lower() if c.isalnum() or c in " -")
    return words.replace(" ", "-")


def error_of(row: dict[str, Any]) -> str:
    return "gave up" if row["error"] is None else f"{row['error']:.1e}"


def problem_section(key: str, note: dict[str, Any], rows: np.ndarray) -> list[str]:
    p = PROBLEMS[key]
    lines = [f"## {p.key}: {p.title}\n", "Sources: " + "; ".join(p.sources) + ".", f"Other equations: {p.why_second}."]
    if p.choices:
        lines.append(f"Our choices: {p.choices}")
    lines += [f"Published: {source}; ours is {d:.1e} away." for source, d in note["published"].items()]
    lines.append(f"Energy balance error of our solution: {note['energy']:.1e} J.")
    last = ", ".join(f"{c} {x:.9f}" for c, x in zip(p.columns, rows[-1, 1:], strict=True))
    lines += [f"At {p.t_end:g} s: {last}.", f"Files: `{name_of(key)}.csv`, `{name_of(key)}.json`.\n"]
    if note["work"]:
        lines += ["| method | tolerance or step | error [m] | seconds |", "|---|---|---|---|"]
        for w in note["work"]:
            fineness = f"step {w['step']:.1e} s" if "step" in w else f"{w['rtol']:.0e}"
            lines.append(f"| {w['method']} | {fineness} | {error_of(w)} | {w['seconds']:.3g} |")
        for w in note["peers"]:
            tool, (method, fineness) = WORDS[w["tool"]], w["setting"].split(", ")
            lines.append(f"| {tool}, {method} | {fineness} | {error_of(w)} | {w['seconds']:.3g} |")
        lines.append("")
    return lines
