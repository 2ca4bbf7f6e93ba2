"""Plots next to a live view: curves over time with a marker at the displayed time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.system.coordinate_labels import coordinate_labels
from cotree.view.live.stage import sendable
from cotree.view.page.data import liveliest
from cotree.view.scene.colours import LIGHT, hue

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]
MOST = 400  # points of a curve


class Curves:
    """One plot. The last series is the marker: empty except at the row nearest to the displayed time."""

    def __init__(self, gui: Any, title: str, t: Array, curves: dict[str, Array]) -> None:
        some = np.unique(np.linspace(0, len(t) - 1, min(len(t), MOST)).astype(int))
        self.t, self.values = t[some], [y[some] for y in curves.values()]
        series = [{"label": "t [s]"}, *(_line(name, LIGHT[hue(k)]) for k, name in enumerate(curves))]
        series += [
            {
                "label": "now",
                "stroke": LIGHT["cut"],
                "width": 0,
                "points": {"show": True, "size": 9, "fill": LIGHT["cut"]},
            }
        ]
        self.plot = gui.add_uplot(
            (self.t, *self.values, self._mark(self.t[0])), tuple(series), title=title, height=190,
            scales={"x": {"time": False}, "y": {"auto": False, "range": _range(self.values)}},
            legend={"show": True, "live": False}, axes=({"ticks": {"show": False}}, {"size": 58, "ticks": {"show": False}}),
        )  # fmt: skip

    def _mark(self, t: float) -> Array:
        k = int(np.argmin(np.abs(self.t - t)))
        out = np.full(len(self.t), np.nan)
        out[k] = self.values[-1][k]
        return out

    def at(self, t: float) -> None:
        """Move the marker."""
        self.plot.data = (*self.plot.data[:-1], self._mark(t))


def _range(values: list[Array]) -> tuple[float, float]:
    """Range of the curves plus a margin."""
    low, high = min(float(y.min()) for y in values), max(float(y.max()) for y in values)
    margin = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return low - margin, high + margin


def _line(name: str, colour: str) -> dict[str, Any]:
    return {"label": sendable(name), "stroke": colour, "width": 1.6, "points": {"show": False}}


def add_plots(gui: Any, run: Run) -> list[Curves]:
    """Energies, and the coordinates that move most; nothing for a run without rows."""
    if len(run.t) < 2:
        return []
    e, labels = run.energy, coordinate_labels(run.system)
    energies = {name: getattr(e, name) for name in ("kinetic", "potential", "total")}
    shown = liveliest(labels.units, run.q)
    unit = labels.units[shown[0]] if shown else ""
    with gui.add_folder("Plots"):
        plots = [Curves(gui, "energy [J]", run.t, energies)]
        if shown:
            plots.append(
                Curves(gui, f"coordinates [{unit or 1}]", run.t, {labels.names[i]: run.q[:, i] for i in shown})
            )
        return plots
