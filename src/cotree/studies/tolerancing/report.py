"""The report of a tolerance analysis: a figure, and a page."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.io.atomic import write_utf8
from cotree.io.native.texts import package
from cotree.io.paths import path_of
from cotree.studies.sweeps.report import STYLE, picture, table
from cotree.studies.tolerancing.analysis import Result, Tolerances, _flat
from cotree.view.plots import finished

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 12  # dimensions shown


def plot_tolerances(found: Tolerances, path: Any = None) -> Figure:
    """A row for each result: its ensemble with worst case and limits; slope times band of each dimension."""
    package("matplotlib", "plot")
    from matplotlib.figure import Figure

    names, values = _flat(found.ensemble)
    figure = Figure(figsize=(10.0, 3.0 * len(names)), layout="constrained")
    panels = figure.subplots(len(names), 2, squeeze=False)
    for k, name in enumerate(names):
        _ensemble(panels[k][0], found.results[name], values[:, k])
        _bars(panels[k][1], found, found.results[name])
    return finished(figure, path, dpi=110)


def _ensemble(panel: Any, r: Result, values: Any) -> None:
    y = values[np.isfinite(values)]
    panel.hist(y, bins="auto" if np.ptp(y) > 0 else 1, density=True, color="tab:blue", alpha=0.7, label="ensemble")
    if r.rss > 0.0:
        x = np.linspace(*r.extremes, 200)
        bell = np.exp(-0.5 * ((x - r.mean) / r.rss) ** 2) / (r.rss * np.sqrt(2.0 * np.pi))
        panel.plot(x, bell, color="black", linewidth=1.2, label="normal, by derivatives")
    for at, word in zip(r.extremes, ("worst case", None), strict=True):
        panel.axvline(at, color="tab:red", linewidth=1.4, label=word)
    for k, at in enumerate(x for x in r.limits or () if np.isfinite(x)):
        panel.axvline(at, color="tab:green", linestyle="--", linewidth=1.4, label=None if k else "limits")
    panel.set_xlabel(r.name)
    panel.set_yticks([])
    panel.legend(fontsize="x-small")


def _bars(panel: Any, found: Tolerances, r: Result) -> None:
    """What each dimension alone does, the largest first."""
    names = sorted(found.dimensions, key=lambda n: -abs(r.slopes[n]) * found.dimensions[n].half)[:MOST]
    for k, name in enumerate(names):
        d, slope = found.dimensions[name], r.slopes[name]
        for end, color in ((d.lower, "tab:blue"), (d.upper, "tab:orange")):
            panel.barh(k, slope * end, color=color, height=0.6)
    panel.plot([], [], "s", color="tab:blue", label="dimension smaller")
    panel.plot([], [], "s", color="tab:orange", label="dimension larger")
    panel.set_yticks(range(len(names)), [f"{n} ({100 * r.shares[n]:.0f} %)" for n in names])
    panel.invert_yaxis()
    panel.axvline(0.0, color="black", linewidth=0.8)
    panel.set_xlabel(f"change of {r.name} (share of variance)")
    panel.grid(alpha=0.3, axis="x")
    panel.legend(fontsize="x-small")


def write_tolerances(found: Tolerances, path: Any) -> None:
    """One page with the tables and the figure."""
    file: Path = path_of(path, "html(path)")
    heads = ("result", "nominal", "worst case from", "to", "measured there", "and", "mean", "standard deviation",
             "by derivatives", "limits", "outside")  # fmt: skip
    rows = []
    for r in found.results.values():
        numbers = (r.nominal, *r.worst, *r.corners, r.mean, r.std, r.rss)
        limits = "" if r.limits is None else f"{r.limits[0]:g} to {r.limits[1]:g}"
        outside = "" if r.rejected is None else f"{100 * r.rejected:.3g} %"
        rows.append((r.name, *(f"{x:.6g}" for x in numbers), limits, outside))
    sizes = [(n, *(f"{x:.6g}" for x in (d.nominal, d.lower, d.upper))) for n, d in found.dimensions.items()]
    slopes = [(n, *(f"{r.slopes[n]:.6g}" for r in found.results.values())) for n in found.dimensions]
    title = "Tolerance analysis"
    write_utf8(file, "\n".join([
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style><h1>{title}</h1>',
        f"<pre>{html.escape(str(found))}</pre>", "<h2>Results</h2>", table(heads, rows),
        picture(plot_tolerances(found), "results"), "<h2>Dimensions</h2>",
        table(("dimension", "nominal", "lower", "upper"), sizes), "<h2>Derivatives</h2>",
        table(("by", *found.results), slopes), "</html>\n",
    ]))  # fmt: skip
