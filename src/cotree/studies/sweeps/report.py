"""The page of a sweep: plots, statistics, worst cases with links to their own pages, failures."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.errors import CotreeError
from cotree.integrate.simulate import simulate
from cotree.io.atomic import write_utf8
from cotree.model.mechanism import Mechanism
from cotree.studies.sweeps import plots
from cotree.studies.sweeps.indices import sobol_indices
from cotree.studies.sweeps.noticed import noticed
from cotree.view import write_rest_page

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;margin:2em auto;padding:0 1em;color:#222}
img{max-width:100%}table{border-collapse:collapse;margin:.6em 0}td,th{border:1px solid #ccc;padding:.25em .6em;text-align:right}
td:last-child{text-align:left}th{background:#f2f2f2}h2{margin-top:1.6em}p{max-width:70em}"""
MOST_FAILURES = 20
Draw = Callable[[int, Path], None]  # writes the page of a point


def write_report(
    dataset: xarray.Dataset, folder: Path, title: str, draw: Draw | None = None, worst: dict[str, str] | None = None,
    count: int = 3,
) -> Path:  # fmt: skip
    """Write report.html, and pages of the worst cases, into a folder; returns the report's path."""
    found = plots.table(dataset)
    parts = [f"<h1>{html.escape(title)}</h1>", f"<p>{_summary(dataset)}</p>"]
    if plots.numbers_of(dataset):
        parts += ["<h2>Results</h2>", _statistics(dataset, found)]
        parts += _pictures(dataset)
        parts += ["<h2>Worst cases</h2>", *_worst_cases(dataset, found, folder, draw, worst or {}, count)]
    parts += _failures(dataset)
    path = folder / "report.html"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    write_utf8(path, "\n".join([head, *parts, "</html>\n"]))
    return path


def _summary(dataset: xarray.Dataset) -> str:
    status = dataset.status.values.ravel()
    counts = {word: int((status == word).sum()) for word in ("done", "failed", "missing")}
    words = f"{len(status)} points: " + ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    doubts = int((dataset.warnings.values.ravel() != "").sum())
    how = ", ".join(f"{k} {v}" for k, v in dataset.attrs.items())
    return html.escape(f"{words}; {doubts} with warnings. {how}.")


def _statistics(dataset: xarray.Dataset, found: dict[str, Any]) -> str:
    rows = []
    for name in plots.numbers_of(dataset):
        y = found[name][np.isfinite(found[name])]
        rows.append(
            (
                name,
                *(
                    f"{x:.6g}"
                    for x in (y.min(), np.quantile(y, 0.05), y.mean(), np.quantile(y, 0.95), y.max(), y.std())
                ),
            )
        )
    return table(("result", "smallest", "5 %", "mean", "95 %", "largest", "standard deviation"), rows)


def _pictures(dataset: xarray.Dataset) -> list[str]:
    parts = ["<h2>Main effects</h2><p>All points, and their mean for each value or in each slice of a parameter.</p>"]
    parts.append(picture(plots.main_effects(dataset), "main effects"))
    maps = plots.heat_maps(dataset)
    if maps is not None:
        parts += ["<h2>Pairs of parameters</h2>", picture(maps, "heat maps")]
    parts += ["<h2>Histograms</h2>", picture(plots.histograms(dataset), "histograms")]
    if dataset.attrs.get("sampling") == "saltelli" and (dataset.status == "done").all():
        words = "Shares of the variance that each parameter causes alone (first) and together with others (total)."
        parts += [f"<h2>Sobol indices</h2><p>{words}</p>", picture(plots.index_bars(sobol_indices(dataset)), "indices")]
    return parts


def _worst_cases(
    dataset: xarray.Dataset, found: dict[str, Any], folder: Path, draw: Draw | None, worst: dict[str, str], count: int
) -> list[str]:  # fmt: skip
    parts, drawn = [], dict[int, str]()
    for name in plots.numbers_of(dataset):
        side = worst.get(name, "largest")
        order = np.argsort(found[name] if side == "smallest" else -found[name], kind="stable")
        rows = []
        for i in [int(i) for i in order if np.isfinite(found[name][i])][:count]:
            if draw is not None and i not in drawn:
                drawn[i] = _page(i, folder, draw)
            rows.append((f"{found[name][i]:.6g}", *_point(dataset, found, i), drawn.get(i, "")))
        parts.append(f"<h3>{html.escape(name)}, {side} values</h3>")
        parts.append(table((name, *plots.parameters_of(dataset), "page"), rows, raw_last=True))
    return parts


def _page(i: int, folder: Path, draw: Draw) -> str:
    """A link to the page of a point, or why there is none."""
    path = folder / f"point_{i}.html"
    try:
        draw(i, path)
    except CotreeError as error:
        return html.escape(f"not available: {error}")
    return f'<a href="{path.name}">point {i}</a>'


def _point(dataset: xarray.Dataset, found: dict[str, Any], i: int) -> list[str]:
    values = [found[name][i] for name in plots.parameters_of(dataset)]
    return [f"{x:.6g}" if isinstance(x, float | np.floating) else str(x) for x in values]


def _failures(dataset: xarray.Dataset) -> list[str]:
    found = plots.table(dataset)
    messages, status = (dataset[word].values.ravel() for word in ("message", "status"))
    which = [i for i in range(len(status)) if status[i] == "failed"]
    if not which:
        return []
    rows = [(*_point(dataset, found, i), messages[i]) for i in which[:MOST_FAILURES]]
    more = f"<p>and {len(which) - MOST_FAILURES} more</p>" if len(which) > MOST_FAILURES else ""
    return ["<h2>Failures</h2>", table((*plots.parameters_of(dataset), "message"), rows), more]


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]], raw_last: bool = False) -> str:
    """An HTML table; the last column may hold links."""
    lines = ["<table><tr>" + "".join(f"<th>{html.escape(h)}</th>" for h in heads) + "</tr>"]
    for row in rows:
        cells = [c if raw_last and k == len(row) - 1 else html.escape(c) for k, c in enumerate(row)]
        lines.append("<tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
    return "".join([*lines, "</table>"])


def picture(figure: Figure, words: str) -> str:
    """A figure inside the page."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    return f'<img alt="{words}" src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'


def drawer(
    build: Callable[..., Any], point: Callable[[int], dict[str, Any]], t_end: float | None, options: Any
) -> Draw:
    """Pages of points: their run, or without t_end the mechanism at rest."""

    def draw(i: int, path: Path) -> None:
        with noticed():
            built = build(**point(i))
            if t_end is not None:
                simulate(built, t_end, progress=False, **options).html(path)
            else:
                write_rest_page(built if isinstance(built, Mechanism) else built.mechanism, path)

    return draw
