"""Plots of a run over time (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.errors import ChoiceError
from cotree.integrate.phases.phase import Switch
from cotree.io.atomic import replacing
from cotree.io.native.texts import package
from cotree.io.paths import path_of
from cotree.model.naming import printable
from cotree.system.coordinate_labels import Labels, coordinate_labels, velocity_labels
from cotree.view.jumps import Histories, histories
from cotree.view.switch_marks import draw_switches, list_height, tell_switches, tint_phases

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure

    from cotree.integrate.results.run import Run

MOST = 12  # curves in one panel
LEAST = 1e-18  # zero cannot be drawn on a logarithmic axis
PANEL = 2.1  # inches
LONGEST = 200  # characters per line


def plot_run(run: Run, path: str | PathLike[str] | None = None) -> Figure:
    """Figure with panels for coordinates, energies and constraint violations; events and crossings as vertical lines.

    If the topology changes, velocities are shown too, switches are labelled, and phases are tinted.
    """
    package("matplotlib", "plot")
    from matplotlib.figure import Figure

    constrained = run.system.n_constraints > 0 or bool(np.any(run.violation) or np.any(run.velocity_violation))
    count = 3 + constrained + bool(run.phases)
    figure = Figure(figsize=(9.0, PANEL * count + 0.2 + list_height(run)), layout="constrained")
    panels = figure.subplots(count, 1, sharex=True)
    h, rest = histories(run), iter(panels)
    _motion(next(rest), h.t, h.q, coordinate_labels(run.system), "coordinates")
    if run.phases:
        _motion(next(rest), h.t, h.v, velocity_labels(run.system), "velocities")
    _energies(next(rest), run, h)
    _balance(next(rest), run)
    if constrained:
        _violations(next(rest), run)
    for panel in panels:
        _marks(panel, run)
        panel.grid(alpha=0.3)
    if run.switches:
        tell_switches(figure, panels[0], run)
    panels[-1].set_xlabel("time [s]")
    figure.suptitle(f"{run.system.name or 'run'}: {run.status}")
    return finished(figure, path, dpi=120)


def finished(figure: Figure, path: str | PathLike[str] | None, dpi: int) -> Figure:
    """The figure, with drawable names; written to `path` if given."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        words = printable(text.get_text())
        lines = [line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..." for line in words.split("\n")]
        text.set_text("\n".join(lines))
    if path is not None:
        _write(figure, path, dpi)
    return figure


def _write(figure: Any, path: Any, dpi: int) -> None:
    """Write in the format of the file extension, PNG without one; to a file object, as PNG."""
    if hasattr(path, "write"):
        figure.savefig(path, dpi=dpi)
        return
    file = path_of(path, "plot(path)")
    kind, known = file.suffix.lower()[1:] or "png", figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise ChoiceError(
            f"{file.name!r}: unknown image format {file.suffix!r}; known formats are {', '.join(sorted(known))}"
        )
    with replacing(file if file.suffix else file.with_name(file.name + ".png")) as draft:
        figure.savefig(draft, dpi=dpi, format=kind)


def _motion(panel: Any, t: Any, values: Any, labels: Labels, word: str) -> None:
    """Coordinates or velocities that change most; angles and lengths on separate axes."""
    order = np.argsort(-np.ptp(values, axis=0), kind="stable")[:MOST]
    units = [labels.units[i] for i in order]
    length = next((u for u in units if u in ("m", "m/s")), "")
    right = panel.twinx() if length and len(set(units)) > 1 else None
    colors = iter(f"C{k}" for k in range(MOST))
    for i in sorted(order):
        axes = right if right is not None and labels.units[i] == length else panel
        style = {"linewidth": 1.2, "color": next(colors), "linestyle": "-" if axes is panel else "--"}
        axes.plot(t, values[:, i], label=labels.names[i], **style)
    others = [u for u in dict.fromkeys(units) if right is None or u != length]
    panel.set_ylabel(f"{word} [{', '.join(u or '1' for u in others)}]")
    lines = panel.get_lines() + (right.get_lines() if right is not None else [])
    if right is not None:
        right.set_ylabel(f"dashed [{length}]")
    shift = 1.0 if right is None else 1.09
    _legend(panel, lines, shift)


def _energies(panel: Any, run: Run, h: Histories) -> None:
    e = run.energy
    for values, word in ((h.kinetic, "kinetic"), (h.potential, "potential"), (h.kinetic + h.potential, "total")):
        panel.plot(h.t, values, label=word, linewidth=1.2)
    for t, values, word in (
        (run.t, e.supplied, "supplied"),
        (run.t, e.dissipated, "dissipated"),
        (h.t, h.lost, "lost in impacts"),
    ):
        if np.any(values):
            panel.plot(t, values, label=word, linestyle="--", linewidth=1.2)
    panel.set_ylabel("energy [J]")
    _legend(panel, panel.get_lines())


def _balance(panel: Any, run: Run) -> None:
    panel.plot(run.t, run.energy.balance, color="tab:red", linewidth=1.2)
    panel.set_ylabel("energy balance\nerror [J]")


def _violations(panel: Any, run: Run) -> None:
    for values, word in ((run.violation, "position"), (run.velocity_violation, "velocity")):
        panel.semilogy(run.t, np.maximum(values, LEAST), label=word, linewidth=1.2)
    panel.set_ylabel("violation\n[m, rad, m/s, rad/s]")
    _legend(panel, panel.get_lines())


def _legend(panel: Any, lines: Any, shift: float = 1.0) -> None:
    """Next to the panel, where it hides nothing."""
    names = [line.get_label() for line in lines]
    panel.legend(lines, names, fontsize="small", loc="upper left", bbox_to_anchor=(shift, 1.02), frameon=False)


def _marks(panel: Any, run: Run) -> None:
    """Vertical lines: events dashed, singular configurations dotted, switches solid; phases tinted."""
    tint_phases(panel, run)
    draw_switches(panel, run)
    for event in run.events:
        if not isinstance(event, Switch):
            panel.axvline(event.t, color="0.3", linestyle="--", linewidth=0.8)
    for crossing in run.crossings:
        panel.axvline(crossing.t, color="tab:purple", linestyle=":", linewidth=0.8)
