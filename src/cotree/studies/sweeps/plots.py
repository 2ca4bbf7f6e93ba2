"""Plots of a sweep (matplotlib): main effects, heat maps, histograms, Sobol indices."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import StudyError
from cotree.io.native.texts import package

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

PANEL = (3.4, 2.7)  # inches
BINS = 8  # of a sampled parameter
PAIRS = 6  # heat maps of one result


def numbers_of(dataset: xarray.Dataset) -> list[str]:
    """Results that are one number at each point."""
    dims = dataset.status.dims
    kinds = {str(n): v for n, v in dataset.data_vars.items() if v.dims == dims and v.dtype.kind in "biuf"}
    return [name for name, v in kinds.items() if np.isfinite(v.values.astype(float)).any()]


def parameters_of(dataset: xarray.Dataset) -> list[str]:
    """Parameters that vary."""
    return [str(n) for n, c in dataset.coords.items() if c.ndim == 1 and c.dims[0] in dataset.status.dims]


def table(dataset: xarray.Dataset) -> dict[str, NDArray[Any]]:
    """All parameters and results as columns, one row per point."""
    wide = dataset[[*numbers_of(dataset), "status"]].broadcast_like(dataset.status)
    columns = {name: _column(dataset, name) for name in parameters_of(dataset)}
    return {**columns, **{name: wide[name].values.ravel().astype(float) for name in numbers_of(dataset)}}


def _column(dataset: xarray.Dataset, name: str) -> NDArray[Any]:
    return dataset[name].broadcast_like(dataset.status).transpose(*dataset.status.dims).values.ravel()


def _axis(column: NDArray[Any]) -> tuple[NDArray[np.float64], list[str] | None]:
    """Numbers to draw at; of words their numbers and labels."""
    if column.dtype.kind in "biuf":
        return column.astype(float), None
    labels, index = np.unique(column, return_inverse=True)
    return index.astype(float), [str(x) for x in labels]


def _figure(rows: int, columns: int) -> tuple[Figure, Any]:
    package("matplotlib", "plot")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL[0] * columns, PANEL[1] * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def main_effects(dataset: xarray.Dataset) -> Figure:
    """Each result over each parameter: all points, and their mean for each value or in each of eight slices."""
    found, names, results = table(dataset), parameters_of(dataset), _some(dataset)
    figure, panels = _figure(len(results), len(names))
    for (r, result), (c, name) in itertools.product(enumerate(results), enumerate(names)):
        panel, (x, labels), y = panels[r][c], _axis(found[name]), found[result]
        good = np.isfinite(y)
        panel.plot(x[good], y[good], ".", color="tab:blue", alpha=0.35, markersize=4)
        panel.plot(*_means(x[good], y[good]), "-o", color="tab:orange", markersize=4, linewidth=1.6)
        if labels is not None:
            panel.set_xticks(range(len(labels)), labels)
        panel.set_xlabel(name)
        panel.set_ylabel(result if c == 0 else "")
        panel.grid(alpha=0.3)
    return figure


def _means(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    values = np.unique(x)
    if len(values) > 3 * BINS:
        edges = np.quantile(x, np.linspace(0.0, 1.0, BINS + 1))
        slot = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, BINS - 1)
    else:
        slot = np.searchsorted(values, x)
    groups = np.unique(slot)
    return [float(x[slot == k].mean()) for k in groups], [float(y[slot == k].mean()) for k in groups]


def heat_maps(dataset: xarray.Dataset) -> Figure | None:
    """Each result over pairs of parameters: of a grid the mean over all others, else the points in colours."""
    found, names, results = table(dataset), parameters_of(dataset), _some(dataset)
    pairs = list(itertools.combinations(names, 2))[:PAIRS]
    if not pairs:
        return None
    figure, panels = _figure(len(results), len(pairs))
    for (r, result), (c, (a, b)) in itertools.product(enumerate(results), enumerate(pairs)):
        panel = panels[r][c]
        (x, x_labels), (y, y_labels), z = _axis(found[a]), _axis(found[b]), found[result]
        if dataset.attrs.get("sampling") == "grid":
            drawn = panel.pcolormesh(*_meshed(x, y, z), shading="nearest", cmap="viridis")
        else:
            good = np.isfinite(z)
            drawn = panel.scatter(x[good], y[good], c=z[good], s=14, cmap="viridis")
            panel.plot(x[~good], y[~good], "x", color="tab:red", markersize=4)
        figure.colorbar(drawn, ax=panel, label=result)
        if x_labels is not None:
            panel.set_xticks(range(len(x_labels)), x_labels)
        if y_labels is not None:
            panel.set_yticks(range(len(y_labels)), y_labels)
        panel.set_xlabel(a)
        panel.set_ylabel(b)
    return figure


def _meshed(x: NDArray[Any], y: NDArray[Any], z: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Means of z over all points with the same x and y; NaN where none is known."""
    xs, i = np.unique(x, return_inverse=True)
    ys, j = np.unique(y, return_inverse=True)
    good = np.isfinite(z)
    total, count = np.zeros((len(ys), len(xs))), np.zeros((len(ys), len(xs)))
    np.add.at(total, (j[good], i[good]), z[good])
    np.add.at(count, (j[good], i[good]), 1.0)
    return xs, ys, np.where(count > 0, total / np.maximum(count, 1.0), np.nan)


def histograms(dataset: xarray.Dataset) -> Figure:
    """How often each result has which values, with its mean and the middle 90 per cent."""
    found, results = table(dataset), _some(dataset)
    columns = min(4, len(results))
    rows = -(-len(results) // columns)
    figure, panels = _figure(rows, columns)
    for k, panel in enumerate(panels.ravel()):
        if k >= len(results):
            panel.set_axis_off()
            continue
        y = found[results[k]]
        y = y[np.isfinite(y)]
        panel.hist(y, bins="auto" if np.ptp(y) > 0 else 1, color="tab:blue", alpha=0.8)
        panel.axvline(y.mean(), color="black", linewidth=1.4, label=f"mean {y.mean():.4g}")
        for q, word in ((0.05, "5 %"), (0.95, "95 %")):
            at = float(np.quantile(y, q))
            panel.axvline(at, color="black", linestyle="--", linewidth=1.0, label=f"{word}: {at:.4g}")
        panel.set_xlabel(results[k])
        panel.set_ylabel("points")
        panel.legend(fontsize="x-small")
    return figure


def index_bars(indices: xarray.Dataset) -> Figure:
    """First-order and total Sobol indices with their confidence intervals."""
    results = [str(n).removesuffix(".first") for n in indices.data_vars if str(n).endswith(".first")]
    figure, panels = _figure(1, len(results))
    at = np.arange(indices.sizes["parameter"])
    for panel, result in zip(panels[0], results, strict=True):
        for shift, word, color in ((-0.2, "first", "tab:blue"), (0.2, "total", "tab:orange")):
            panel.bar(
                at + shift, indices[f"{result}.{word}"], 0.38, yerr=indices[f"{result}.{word}_confidence"], label=word,
                color=color, capsize=3,
            )  # fmt: skip
        panel.set_xticks(at, indices.parameter.values)
        panel.tick_params(axis="x", labelrotation=20)
        panel.set_title(result)
        panel.set_ylabel("share of the variance")
        panel.grid(alpha=0.3, axis="y")
        panel.legend(fontsize="x-small")
    return figure


def _some(dataset: xarray.Dataset) -> list[str]:
    results = numbers_of(dataset)
    if not results:
        raise StudyError("there is nothing to plot: no point has a result that is one number; see the variable message")
    return results
