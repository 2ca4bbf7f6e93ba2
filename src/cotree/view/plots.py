"""Plots of a run over time (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.io.labels import coordinate_labels
from cotree.io.texts import package

if TYPE_CHECKING:
    from cotree.integrate.run import Run

MOST = 12  # curves in one panel
LEAST = 1e-18  # on a logarithmic axis a violation of zero would have no place


def plot_run(run: Run, path: Any = None) -> Any:
    """Figure with panels for coordinates, energies, and what was violated; events and crossings as vertical lines."""
    package("matplotlib", "plot")
    from matplotlib.figure import Figure

    constrained = run.system.n_constraints > 0
    figure = Figure(figsize=(9.0, 8.5 if constrained else 6.5), layout="constrained")
    panels = figure.subplots(4 if constrained else 3, 1, sharex=True)
    _coordinates(panels[0], run)
    _energies(panels[1], run)
    panels[2].plot(run.t, run.energy.balance, color="tab:red", linewidth=1.2)
    panels[2].set_ylabel("open in the\nbalance [J]")
    if constrained:
        for values, word in ((run.violation, "position"), (run.velocity_violation, "velocity")):
            panels[3].semilogy(run.t, np.maximum(values, LEAST), label=word, linewidth=1.2)
        panels[3].set_ylabel("violation\n[m, rad and /s]")
        _legend(panels[3], panels[3].get_lines())
    for panel in panels:
        _marks(panel, run)
        panel.grid(alpha=0.3)
    panels[-1].set_xlabel("time [s]")
    figure.suptitle(f"{run.system.name or 'run'}: {run.status}")
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure


def _coordinates(panel: Any, run: Run) -> None:
    """Coordinates that move most; angles and lengths on axes of their own."""
    labels = coordinate_labels(run.system)
    order = np.argsort(-np.ptp(run.q, axis=0), kind="stable")[:MOST]
    units = [labels.units[i] for i in order]
    right = panel.twinx() if "m" in units and len(set(units)) > 1 else None
    colors = iter(f"C{k}" for k in range(MOST))
    for i in sorted(order):
        axes = right if right is not None and labels.units[i] == "m" else panel
        style = {"linewidth": 1.2, "color": next(colors), "linestyle": "-" if axes is panel else "--"}
        axes.plot(run.t, run.q[:, i], label=labels.names[i], **style)
    others = [u for u in dict.fromkeys(units) if right is None or u != "m"]
    panel.set_ylabel(f"coordinates [{', '.join(u or '1' for u in others)}]")
    lines = panel.get_lines() + (right.get_lines() if right is not None else [])
    if right is not None:
        right.set_ylabel("dashed [m]")
    shift = 1.0 if right is None else 1.09
    _legend(panel, lines, shift)


def _energies(panel: Any, run: Run) -> None:
    e = run.energy
    for values, word in ((e.kinetic, "kinetic"), (e.potential, "potential"), (e.total, "total")):
        panel.plot(run.t, values, label=word, linewidth=1.2)
    for values, word in ((e.supplied, "supplied"), (e.dissipated, "dissipated")):
        if np.any(values):
            panel.plot(run.t, values, label=word, linestyle="--", linewidth=1.2)
    panel.set_ylabel("energy [J]")
    _legend(panel, panel.get_lines())


def _legend(panel: Any, lines: Any, shift: float = 1.0) -> None:
    """Beside the panel, where it hides nothing."""
    names = [line.get_label() for line in lines]
    panel.legend(lines, names, fontsize="small", loc="upper left", bbox_to_anchor=(shift, 1.02), frameon=False)


def _marks(panel: Any, run: Run) -> None:
    """Vertical lines: events dashed, singular configurations dotted."""
    for event in run.events:
        panel.axvline(event.t, color="0.3", linestyle="--", linewidth=0.8)
    for crossing in run.crossings:
        panel.axvline(crossing.t, color="tab:purple", linestyle=":", linewidth=0.8)
