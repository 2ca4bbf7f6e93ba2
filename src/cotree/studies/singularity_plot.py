"""Pictures of singularities (matplotlib): curves over one axis, maps over two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.io.native.texts import package
from cotree.system.coordinate_labels import coordinate_labels
from cotree.view.plots import finished

if TYPE_CHECKING:
    from cotree.studies.singularities import Singularities

LABELS = {"loops": "loops: smallest singular value", "actuation": "actuation: smallest singular value"}
COLOURS = {"loops": "tab:blue", "actuation": "tab:orange"}
LEAST = 1e-6  # of the largest value: what is smaller is drawn there


def plot_singularities(found: Singularities, path: Any = None) -> Any:
    """One panel with a curve for each kind, or one map for each kind; singular configurations are marked."""
    package("matplotlib", "plot")
    from matplotlib.figure import Figure

    kinds = [k for k in LABELS if np.isfinite(getattr(found, k)).any()]
    flat = len(found.names) == 1
    figure = Figure(figsize=(8.0, 4.5) if flat else (6.0 * max(len(kinds), 1), 5.0), layout="constrained")
    if flat:
        _curves(figure.subplots(), found, kinds)
    else:
        for panel, kind in zip(np.atleast_1d(figure.subplots(1, max(len(kinds), 1))), kinds, strict=False):
            _map(figure, panel, found, kind)
    note = "\nactuation not judged" if found.not_judged else ""
    figure.suptitle(f"{found.system.name or 'mechanism'}: singular configurations{note}")
    return finished(figure, path, dpi=110)


def _axis(found: Singularities, k: int) -> str:
    name = found.names[k]
    if name == "t":
        return "time [s]"
    labels = coordinate_labels(found.system)
    units = dict(zip(labels.names, labels.units, strict=True))
    return f"{name} [{units[name]}]" if name in units else name


def _curves(panel: Any, found: Singularities, kinds: list[str]) -> None:
    for kind in kinds:
        y = getattr(found, kind)
        least = LEAST * np.nanmax(y)
        panel.semilogy(found.values[0], np.maximum(y, least), color=COLOURS[kind], label=LABELS[kind], linewidth=1.4)
        marked = [s.at[found.names[0]] for s in found.found if s.kind == kind]
        for i, x in enumerate(marked):
            label = f"singular ({kind})" if i == 0 else None
            panel.axvline(x, color=COLOURS[kind], linestyle="--", linewidth=1.0, label=label)
    panel.set_xlabel(_axis(found, 0))
    panel.set_ylabel("distance measure (0: singular)")
    panel.grid(alpha=0.3, which="both")
    if kinds:
        panel.legend(fontsize="small")


def _map(figure: Any, panel: Any, found: Singularities, kind: str) -> None:
    size = getattr(found, kind)
    z = np.log10(np.maximum(size, LEAST * np.nanmax(size)))
    mesh = panel.pcolormesh(*found.values, z.T, shading="nearest", cmap="viridis")
    figure.colorbar(mesh, ax=panel, label=f"log10 of {LABELS[kind]}")
    points = np.array([[s.at[n] for n in found.names] for s in found.found if s.kind == kind])
    if len(points):
        panel.plot(points[:, 0], points[:, 1], ".", color="red", markersize=4, label="singular")
        panel.legend(fontsize="small", loc="upper right")
    panel.set_xlabel(_axis(found, 0))
    panel.set_ylabel(_axis(found, 1))
    panel.set_title(kind)
