"""The validation report: one page for all studies, with pictures inside, that needs nothing else."""

from __future__ import annotations

import base64
import platform
import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path

import cotree
from cotree.papers.scripts import Outcome
from cotree.papers.study import VERDICTS, Comparison

STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
PAPERS = {
    "geo": "[Geo] Müller, Terze: Differential-geometric modelling and dynamic simulation of multibody systems, 2009",
    "lie": "[Lie] Müller, Terze: Is there an optimal choice of configuration space for Lie group integration schemes applied "
    "to constrained MBS?, 2013",
    "dca": "[DCA] Mukherjee, Anderson: Orthogonal complement based divide-and-conquer algorithm for constrained multibody "
    "systems, 2006",
    "vtm": "[VTM] Müller: Forward dynamics of variable topology mechanisms: the case of constraint activation",
    "reg": "[Reg] Müller: Implementation of a geometric constraint regularization for multibody system models, 2014",
}
FAILED = "check failed"


def page(outcomes: Sequence[Outcome]) -> str:
    """HTML of the whole report."""
    by_paper: dict[str, list[Outcome]] = {}
    for o in outcomes:
        by_paper.setdefault(o.name.split("/")[0], []).append(o)
    sections = "".join(_paper(short, found) for short, found in by_paper.items())
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>Five papers put to the test</title><style>{STYLE}</style></head><body><main>"
        f"<h1>Five papers put to the test</h1>{_summary(outcomes)}{_contents(outcomes)}{sections}</main></body></html>"
    )


def _summary(outcomes: Sequence[Outcome]) -> str:
    found = [c for o in outcomes if o.study for c in o.study.comparisons]
    counts = Counter(_verdict(c) for c in found)
    checks = [held for c in found for held in c.checks.values()]
    broken = sum(o.study is None for o in outcomes)
    parts = ", ".join(f"{counts[v]} {_badge(v)}" for v in (*VERDICTS, FAILED) if counts[v])
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))
    return (
        f"<p class='lead'>{len(outcomes)} examples, {len(found)} figures, tables and statements: {parts}. "
        f"{sum(checks)} of {len(checks)} checks held{f'; {broken} examples did not run' if broken else ''}. "
        f"{sum(o.seconds for o in outcomes):.0f} s in all.</p>"
        f"<p class='small'>Cotree {cotree.__version__}, Python {platform.python_version()}, {libraries}. The papers' pictures "
        "are not reproduced here; what they show is put in words beside ours.</p>"
    )


def _contents(outcomes: Sequence[Outcome]) -> str:
    rows = []
    for o in outcomes:
        title = o.study.title if o.study else "did not run"
        badges = " ".join(_badge(_verdict(c)) for c in o.study.comparisons) if o.study else _badge(FAILED)
        link = f"<a href='#{_anchor(o.name)}'>{escape(title)}</a>"
        rows.append(
            f"<tr><td>{escape(o.name)}</td><td>{link}</td><td>{badges}</td><td class='n'>{o.seconds:.1f} s</td></tr>"
        )
    return f"<table class='contents'><tbody>{''.join(rows)}</tbody></table>"


def _paper(short: str, outcomes: Sequence[Outcome]) -> str:
    return f"<h2>{escape(PAPERS.get(short, short))}</h2>" + "".join(map(_outcome, outcomes))


def _outcome(o: Outcome) -> str:
    head = f"<section id='{_anchor(o.name)}'><h3>{escape(o.study.title if o.study else o.name)}</h3>"
    words = "".join(map(_prose, o.words.split("\n\n")))
    if o.study is None:
        return f"{head}{words}<pre class='trouble'>{escape(o.trouble)}</pre></section>"
    settings = f"<p class='small'><b>Runs:</b> {escape(o.study.settings)}. {o.seconds:.1f} s.</p>"
    return head + words + settings + "".join(map(_comparison, o.study.comparisons)) + "</section>"


def _prose(part: str) -> str:
    """A paragraph of a docstring; lines that begin with a dash are a list, backticks are code."""
    text, *points = re.split(r"\n- ", f"\n{part}")
    made = f"<p>{_marked(text)}</p>" if text.strip() else ""
    return made + (f"<ul>{''.join(f'<li>{_marked(x)}</li>' for x in points)}</ul>" if points else "")


def _marked(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _comparison(c: Comparison) -> str:
    reason = f"<p><b>Why:</b> {_marked(c.reason)}</p>" if c.reason else ""
    marks = "".join(
        f"<li class='{'held' if held else 'failed'}'>{escape(words)}</li>" for words, held in c.checks.items()
    )
    alt = escape(f"{c.where}: {c.quantity}", quote=True)
    picture = (
        f"<img alt='{alt}' src='data:image/png;base64,{base64.b64encode(c.picture).decode()}'>" if c.picture else ""
    )
    return (
        f"<article><h4>{escape(c.where)}: {escape(c.quantity)} {_badge(_verdict(c))}</h4>"
        f"<div class='sides'><div><h5>The paper</h5><p>{_marked(c.paper)}</p></div>"
        f"<div><h5>Here</h5><p>{_marked(c.ours)}</p></div></div>{reason}<ul class='checks'>{marks}</ul>{picture}</article>"
    )


def _verdict(c: Comparison) -> str:
    return c.verdict if c.holds else FAILED


def _badge(verdict: str) -> str:
    return f"<span class='badge {verdict.split()[-1]}'>{verdict}</span>"


def _anchor(name: str) -> str:
    return name.replace("/", "-")
