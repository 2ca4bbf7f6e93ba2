"""Readings of sensors over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cotree.io.native.texts import package
from cotree.io.results.readings import columns_of
from cotree.sensors.reading import Reading
from cotree.view.plots import finished


def plot_readings(*readings: Reading, path: str | Path | None = None) -> Any:
    """One axes a quantity and reading, over time; angles are shown in degrees."""
    figure_of = package("matplotlib.figure", "plot").Figure
    parts = [(r, q) for r in readings for q in r.units]
    columns_of(readings)
    figure = figure_of(figsize=(7.0, 1.9 * len(parts)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(parts), 1, sharex=True))
    for ax, (reading, quantity) in zip(axes, parts, strict=True):
        values, unit = np.asarray(getattr(reading, quantity)), reading.units[quantity]
        if unit == "rad":
            values, unit = np.degrees(values), "°"
        ax.plot(np.atleast_1d(reading.source.t), values.reshape(len(np.atleast_1d(reading.source.t)), -1))
        ax.set_ylabel(f"{quantity} [{unit}]")
        ax.set_title(reading.name, fontsize="small", loc="left")
    axes[-1].set_xlabel("time [s]")
    return finished(figure, path, dpi=120)


def plot_polar(reading: Any, path: str | Path | None = None) -> Any:
    """The force across a joint's axis by its direction, on the child and on the parent, each in its own joint frame."""
    figure = package("matplotlib.figure", "plot").Figure(figsize=(5.0, 5.0), layout="constrained")
    axes, joint = figure.add_subplot(projection="polar"), reading.source.system.mechanism.joints[reading.name]
    for on, body in (("child", joint.child), ("parent", joint.parent)):
        axes.plot(*reading.polar(on), label=f"on {body}", linewidth=1.0)
    axes.set_title(f"{reading.name}: force across the axis [N]", fontsize="small")
    axes.legend(fontsize="small", loc="lower right")
    return finished(figure, path, dpi=120)
