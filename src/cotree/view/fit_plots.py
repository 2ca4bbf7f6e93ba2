"""Measurements beside the motion that was fitted to them."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.io.native.texts import package
from cotree.view.plots import finished

Array = NDArray[np.float64]


def plot_fit(t: Array, y: Array, residuals: Array, names: tuple[str, ...], path: str | PathLike[str] | None) -> Any:
    """Above measured dots and fitted lines, below the residuals, fitted less measured."""
    figure = package("matplotlib.figure", "plot").Figure(figsize=(7.0, 5.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for k, name in enumerate(names):
        above.plot(t, y[:, k] - residuals[:, k], ".", markersize=3, color=f"C{k}", label=f"{name}, measured")
        above.plot(t, y[:, k], linewidth=1.0, color=f"C{k}", label="fitted")
        below.plot(t, residuals[:, k], ".", markersize=3, color=f"C{k}")
    above.legend(fontsize="small")
    below.set(xlabel="time [s]", ylabel="residual")
    return finished(figure, path, dpi=110)
