"""Put the figures of stored benchmark runs (benchmarks/results/*.json) into README.md and docs.

Tables stand between `<!-- figures: NAME -->` and `<!-- end of figures -->`; a test compares them with the stored runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/performance.md", "docs/derivatives.md", "docs/findings.md")
PLACE = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
TOOLS = ("Cotree", "Exudyn", "MuJoCo", "Pinocchio")
Row = dict[str, Any]


def results(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def trial(case: str, tool: str, default: bool) -> Row | None:
    """The trial of a program: as it comes, or at equal accuracy."""
    rows = results("simulation")["rows"]
    found = [r for r in rows if r["case"] == case and r["tool"] == tool and ("comes" in r["setting"]) is default]
    return found[0] if found else None


def number(x: float | None, missing: str = "gives up") -> str:
    return missing if x is None else f"{x:.1e}" if x < 1e-3 else f"{x:.2g}"


def simulation() -> str:
    """Seconds at equal accuracy, ratios to Cotree, errors at the defaults."""
    cases = list(dict.fromkeys(r["case"] for r in results("simulation")["rows"]))
    lines = [f"| mechanism | {' | '.join(TOOLS)} |", "|---" * (1 + len(TOOLS)) + "|"]
    return "\n".join(
        [
            *lines,
            *(f"| {case} | {' | '.join(cell(case, tool) for tool in TOOLS)} |" for case in cases),
            stamp("simulation"),
        ]
    )


def lie() -> str:
    return papers("lie/")


def geo() -> str:
    return papers("geo/")


def papers(prefix: str) -> str:
    """What the examples of the papers gave when they were last stored; models are left out."""
    stored = results("papers")
    lines = ["| | the paper | here | verdict |", "|---|---|---|---|"]
    for example in stored["examples"]:
        for c in example["comparisons"] if example["name"].startswith(prefix) else ():
            if "model" not in c["quantity"]:
                cells = (f"{example['name']}, {c['where']}: {c['quantity']}", c["paper"], c["ours"], c["verdict"])
                lines.append("| " + " | ".join(x.replace("|", "\\|").replace("*", "\\*") for x in cells) + " |")
    return "\n".join([*lines, "", f"`{stored['command']}`, {stored['date']}.", ""])


def cell(case: str, tool: str) -> str:
    ours, found, default = trial(case, "Cotree", False), trial(case, tool, False), trial(case, tool, True)
    assert ours is not None
    if found is None:
        return "–"
    reached = found["error"] is not None and found["error"] <= results("simulation")["target"]
    words = f"{number(found['seconds'])} s" if reached else "not reached"
    if reached and tool != "Cotree":
        words += f" (×{ratio(found, ours)})"
    return words + ("" if default is None else f" [{number(default['error'])}]")


def ratio(found: Row, ours: Row) -> str:
    x = found["seconds"] / ours["seconds"]
    return f"{x:.0f}" if x >= 10 else f"{x:.1f}"


def times(case: str) -> list[str]:
    """Times for equal accuracy over Cotree's."""
    ours = trial(case, "Cotree", False)
    assert ours is not None
    found = [trial(case, tool, False) for tool in TOOLS]
    return ["–" if f is None else f"×{ratio(f, ours)}" if f["tool"] != "Cotree" else "×1" for f in found]


def trees() -> str:
    lines = [
        "| tree | quantity | compiled loop | from Python | Pinocchio | ratio | greatest difference |",
        "|---" * 7 + "|",
    ]
    for r in results("tree_dynamics")["rows"]:
        times = " | ".join(f"{r[k]:.3g}" for k in ("loop", "python", "pinocchio"))
        lines.append(
            f"| {r['case']} | {r['quantity']} | {times} | {r['pinocchio'] / r['python']:.1f} | {r['difference']:.0e} |"
        )
    return "\n".join([*lines, stamp("tree_dynamics")])


def derivatives() -> str:
    lines = [
        "| mechanism | derivatives of | Cotree [µs] | Pinocchio [µs] | ratio | of one evaluation | greatest difference |",
        "|---" * 7 + "|",
    ]
    for r in results("derivatives")["rows"]:
        times, many = f"{r['python']:.3g} | {r['pinocchio']:.3g}", f"×{r['python'] / r['evaluation']:.1f}"
        compared = f"{r['pinocchio'] / r['python']:.2f} | {many} | {r['difference']:.0e}"
        lines.append(f"| {r['case']} | {r['quantity']} | {times} | {compared} |")
    return "\n".join([*lines, stamp("derivatives")])


def readme() -> str:
    """Five rows."""
    heads = ["| | Cotree | Exudyn | MuJoCo | Pinocchio |", "|---|---|---|---|---|"]
    tree = next(
        r for r in results("tree_dynamics")["rows"] if (r["case"], r["quantity"]) == ("chain 300", "forward dynamics")
    )
    faster = f"{tree['pinocchio'] / tree['python']:.1f}"
    errors, gaps = ([error("four-bar", tool, what) for tool in TOOLS] for what in ("error", "gap"))
    rows = [
        ("four-bar, 10 s at the default settings: greatest position error [m]", *errors),
        ("the same: loop open by at most [m]", *gaps),
        ("Bricard 6R, redundant constraints: time for an accuracy of 0.1 mm", *times("Bricard 6R")),
        ("10 four-bars, through singular configurations: time for 0.1 mm", *times("10 four-bars")),
        ("forward dynamics of a chain of 300 bodies, called from Python: time", "×1", "–", "–", f"×{faster}"),
    ]
    return "\n".join([*heads, *(f"| {' | '.join(row)} |" for row in rows)])


def error(case: str, tool: str, what: str) -> str:
    found = trial(case, tool, True)
    return "– (no integrator)" if found is None else number(found[what])


def stamp(name: str) -> str:
    """When, with what, and on how busy a machine."""
    found = results(name)
    named = (("exudyn", "Exudyn"), ("mujoco", "MuJoCo"), ("pin", "Pinocchio"))
    peers = ", ".join(f"{word} {found['versions'][k]}" for k, word in named)
    words = f"Measured on {found['date']} with Cotree {found['versions']['cotree']}, {peers}."
    if found["load"] > found["cores"]:
        words += (
            f" The machine was busy with other work (load {found['load']:g} on {found['cores']} cores): take the ratios, "
            "not the times."
        )
    return f"\n{words}"


MAKERS: dict[str, Callable[[], str]] = {
    "simulation": simulation,
    "trees": trees,
    "derivatives": derivatives,
    "readme": readme,
    "lie": lie,
    "geo": geo,
}


def filled(text: str) -> str:
    """A page with the tables of now."""
    return PLACE.sub(lambda m: f"{m[1]}{MAKERS[m[2]]()}\n{m[3]}", text)


if __name__ == "__main__":
    for page in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            path.write_text(filled(text), encoding="utf-8")
            print(page)
