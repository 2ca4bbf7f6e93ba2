"""Plots of emergency stops (matplotlib): [VTM] figures 2 to 4 and 6 to 8 in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.dynamics.api import mass_matrix
from cotree.io.native.texts import package
from cotree.system.coordinate_labels import coordinate_labels
from cotree.view.jumps import histories
from cotree.view.plots import finished

if TYPE_CHECKING:
    from cotree.studies.emergency_stop import EmergencyStop

MOST = 6  # coordinates shown
WORDS = ("momentum conserved", "rates set to zero")


def plot_stop(stop: EmergencyStop, path: Any = None) -> Any:
    """Two columns, with momentum kept and with rates set to zero: coordinates, velocities, momenta, energy; then the way of the
    point watched in both."""
    package("matplotlib", "plot")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 14.0), layout="constrained")
    panels = figure.subplot_mosaic([["q0", "q1"], ["v0", "v1"], ["p0", "p1"], ["e0", "e1"], ["way", "way"]],
                                   height_ratios=[1, 1, 1, 1, 1.6])  # fmt: skip
    runs = (stop.consistent.run, stop.naive.run)
    labels = coordinate_labels(runs[0].system)
    shown = np.argsort(-np.ptp(runs[0].q, axis=0), kind="stable")[:MOST]
    unit = labels.units[int(shown[0])]
    for k, (run, word) in enumerate(zip(runs, WORDS, strict=True)):
        h = histories(run)
        t, q, v, E = h.t, h.q, h.v, h.kinetic + h.potential
        p = np.array([mass_matrix(run.system, a) @ b for a, b in zip(q, v, strict=True)])
        for row, values, what in (("q", q, unit), ("v", v, f"{unit}/s"), ("p", p, "momentum M v")):
            panel = panels[f"{row}{k}"]
            for i in sorted(shown):
                panel.plot(t, values[:, i], label=labels.names[i], linewidth=1.2)
            panel.set_ylabel(what if row == "p" else f"{'coordinate' if row == 'q' else 'velocity'} [{what}]")
        panels[f"p{k}"].set_ylabel("momentum [kg m²/s]" if unit == "rad" else "momentum [kg m/s]")
        panels[f"e{k}"].plot(t, E, color="black", linewidth=1.2)
        panels[f"e{k}"].set_ylabel("energy [J]")
        panels[f"q{k}"].set_title(word)
        panels[f"q{k}"].legend(fontsize="small", ncols=2)
        for row in "qvpe":
            panels[f"{row}{k}"].grid(alpha=0.3)
            panels[f"{row}{k}"].set_xlabel("time [s]")
            for s in run.switches:
                panels[f"{row}{k}"].axvline(s.t, color="grey", linewidth=0.8, linestyle=":")
    for row in "qvpe":
        low, high = zip(*(panels[f"{row}{k}"].get_ylim() for k in (0, 1)), strict=True)
        for k in (0, 1):
            panels[f"{row}{k}"].set_ylim(min(low), max(high))
    _way(panels["way"], stop)
    figure.suptitle(f"{runs[0].system.name}: stop at {stop.at:g} s")
    return finished(figure, path, dpi=110)


def _way(panel: Any, stop: EmergencyStop) -> None:
    """The way of the point watched, in the two directions in which it goes farthest."""
    both = np.concatenate([stop.consistent.path, stop.naive.path])
    i, j = sorted(np.argsort(-np.ptp(both, axis=0))[:2])
    for s, word, color in zip((stop.consistent, stop.naive), WORDS, ("tab:blue", "tab:red"), strict=True):
        panel.plot(s.path[:, i], s.path[:, j], color=color, label=word, linewidth=1.4)
        panel.plot(*s.path[-1, [i, j]], "o", color=color)
    panel.plot(*stop.consistent.path[0, [i, j]], "ks", label="start of the stop")
    panel.set_xlabel(f"{'xyz'[i]} [m]")
    panel.set_ylabel(f"{'xyz'[j]} [m]")
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_title(f"path of {stop.watched[0]} to rest, {stop.point_apart:.3g} m apart")
    panel.grid(alpha=0.3)
    panel.legend(fontsize="small")
