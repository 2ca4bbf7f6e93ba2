"""Mechanisms of boxes drawn with matplotlib: in space, or from above."""

from __future__ import annotations

from itertools import combinations, cycle, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.kinematics.poses import poses
from cotree.model.shapes import Box
from cotree.system.system import System

Array = NDArray[np.float64]
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # told apart by colour-blind readers too
SIGNS = np.array(list(product((-0.5, 0.5), repeat=3)))
EDGES = [(i, j) for i, j in combinations(range(8), 2) if np.abs(SIGNS[i] - SIGNS[j]).sum() == 1.0]
FACE = [0, 2, 6, 4]  # the corners below, in turn


def corners(system: System, q: Any) -> dict[str, Array]:
    """{body: (8, 3)} of the boxes, in the world."""
    C, out = poses(system, q), {}
    for name, body in system.mechanism.bodies.items():
        if isinstance(body.shape, Box):
            turned = np.eye(3) if body.shape.rotation is None else np.asarray(body.shape.rotation)
            local = np.asarray(body.shape.center) + (SIGNS * np.asarray(body.shape.size)) @ turned.T
            R, p = C[system.row_of(name), :3, :3], C[system.row_of(name), :3, 3]
            out[name] = local @ R.T + p
    return out


def in_space(system: System, q: Any, points: dict[str, Any], width: float = 6.0) -> Any:
    """Figure: boxes as wire frames, and points with their names."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(width, 0.7 * width))
    ax = figure.add_subplot(projection="3d")
    boxes = corners(system, q)
    for colour, (name, X) in zip(cycle(COLOURS), boxes.items(), strict=False):
        for k, (i, j) in enumerate(EDGES):
            ax.plot(*X[[i, j]].T, color=colour, lw=1.4, label=name if k == 0 else None)
    for name, point in points.items():
        ax.plot(*np.reshape(point, (3, 1)), "o", color="black", ms=6)
        ax.text(*point, f"  {name}", fontsize=9)
    _room(ax, np.vstack([*boxes.values(), *(np.reshape(p, (1, 3)) for p in points.values())]))
    ax.legend(loc="upper left")
    return figure


def _room(ax: Any, X: Array) -> None:
    """Equal scales, and no side much shorter than the longest, so that the numbers have room."""
    middle, extent = (X.max(0) + X.min(0)) / 2, X.max(0) - X.min(0)
    half = np.maximum(0.55 * extent, 0.25 * extent.max())
    for k, axis in enumerate("xyz"):
        ax.set(**{f"{axis}lim": (middle[k] - half[k], middle[k] + half[k]), f"{axis}label": f"{axis} [m]"})
        getattr(ax, f"{axis}axis").labelpad = 8
    ax.set_box_aspect(half)
    ax.locator_params(nbins=4)


def from_above(ax: Any, system: System, q: Any, **style: Any) -> None:
    """Outlines of boxes in the plane of x and y."""
    for colour, X in zip(cycle(COLOURS), corners(system, q).values(), strict=False):
        ax.fill(*X[FACE, :2].T, **{"facecolor": "none", "edgecolor": colour, "lw": 1.2, **style})
    ax.set_aspect("equal")
