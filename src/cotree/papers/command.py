"""`cotree papers`: run the examples of the papers, write the report, say by the exit code whether all checks held."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cotree.io.atomic import write_utf8
from cotree.papers.scripts import Outcome, chosen, perform

GOOD, FAILED = 0, 1


def options(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="names of examples (see --list) or of a paper; default: all"
    )
    parser.add_argument("--list", action="store_true", help="list the examples without running them")
    parser.add_argument("--out", default="papers.html", help="file of the report (default: papers.html)")
    parser.add_argument("--verbose", action="store_true", help="print every comparison and check")
    parser.add_argument("--json", action="store_true", help="print JSON")


def papers(given: argparse.Namespace) -> int:
    """What the command does."""
    found = chosen(given.names)
    if given.list:
        print(json.dumps(list(found)) if given.json else "\n".join(found))
        return GOOD
    outcomes = _performed(found, given)
    from cotree.papers.page import page

    out = Path(given.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_utf8(out, page(outcomes))
    good = all(o.holds for o in outcomes)
    if given.json:
        print(json.dumps({"holds": good, "report": str(out), "examples": [_plain(o) for o in outcomes]}))
    else:
        print(f"{'all checks held' if good else 'NOT all checks held'}; report: {out}")
    return GOOD if good else FAILED


def _performed(found: dict[str, Path], given: argparse.Namespace) -> list[Outcome]:
    """Each in turn, with a line on standard error before and after."""
    import matplotlib

    matplotlib.use("Agg")
    outcomes = []
    width = max(map(len, found))
    for k, (name, path) in enumerate(found.items()):
        print(f"[{k + 1:>2}/{len(found)}] {name:<{width}} ...", end="", file=sys.stderr, flush=True)
        o = perform(name, path)
        print(f" {_words(o)} ({o.seconds:.1f} s)", file=sys.stderr, flush=True)
        for line in _failures(o):
            print(f"        {line}", file=sys.stderr, flush=True)
        if given.verbose and o.study and not given.json:
            print(o.study)
        outcomes.append(o)
    return outcomes


def _words(o: Outcome) -> str:
    if o.study is None:
        return "did not run"
    verdicts = [c.verdict for c in o.study.comparisons if c.holds]
    said = [f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)]
    failed = len(o.study.comparisons) - len(verdicts)
    return ", ".join(said + ([f"{failed} FAILED"] if failed else []))


def _failures(o: Outcome) -> Sequence[str]:
    if o.study is None:
        return o.trouble.splitlines()
    return [f"{c.where}: check failed: {w}" for c in o.study.comparisons for w, held in c.checks.items() if not held]


def _plain(o: Outcome) -> dict[str, Any]:
    compared = [
        {"where": c.where, "quantity": c.quantity, "verdict": c.verdict, "ours": c.ours, "paper": c.paper, "checks": c.checks}
        for c in (o.study.comparisons if o.study else ())
    ]  # fmt: skip
    return {"name": o.name, "holds": o.holds, "seconds": o.seconds, "trouble": o.trouble, "comparisons": compared}
