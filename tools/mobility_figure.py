"""Draw docs/figures/mobility.png, one mechanism for each word of the mobility report: `python tools/mobility_figure.py`.

Words and numbers in the picture are those that `ct.mobility` gives.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import cotree as ct

mpl.use("Agg")
ROOT = Path(__file__).resolve().parent.parent
COLOURS = ("#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#17becf", "#e377c2", "#bcbd22", "#ff7f0e")
VIEWS = {"flat": (90.0, -90.0), "space": (22.0, -60.0)}
Z = (0, 0, 1)


def planar(name: str, points: dict[str, tuple[float, float]], bodies: dict[str, str]) -> ct.Mechanism:
    """Hinges across the plane; bodies: the two bodies that each hinge connects."""
    mech = ct.Mechanism(name)
    for body in dict.fromkeys(b for pair in bodies.values() for b in pair.split()):
        if body != "ground":
            mech.body(body, 1.0, (0, 0, 0), (1, 1, 1))
    for hinge, pair in bodies.items():
        mech.joint(hinge, *pair.split(), ct.Revolute((*points[hinge], 0.0), Z))
    return mech


def braced() -> ct.Mechanism:
    """A four-bar whose coupler is a quadrangle of bars with both diagonals."""
    P = {"p": (0.4, 1.0), "r": (1.8, 1.2), "s": (0.6, 1.9), "t": (1.7, 2.0)}
    bars = {f"{a}{b}": (a, b) for a, b in ("pr", "ps", "rt", "st", "pt", "rs")}
    mech = ct.Mechanism("braced coupler")
    for body in ("left", "right", *bars):
        mech.body(body, 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint("A", mech.ground, "left", ct.Revolute((0, 0, 0), Z))
    mech.joint("D", mech.ground, "right", ct.Revolute((2.0, 0, 0), Z))
    at = {"p": "left", "r": "right"}
    for name, ends in bars.items():
        for point in ends:
            if point in at:
                mech.joint(f"{point} {name}", at[point], name, ct.Revolute((*P[point], 0.0), Z))
            else:
                at[point] = name
    return mech


def table() -> ct.Mechanism:
    """On four equal parallel rods."""
    mech, d = ct.Mechanism("table on four rods"), np.array([0.3, 0.1, 1.0]) / np.sqrt(1.1)
    mech.body("table", 5.0, d, (0.3, 0.3, 0.5))
    e = np.cross(d, (1, 0.2, 0.1))
    for i in range(4):
        b = 0.6 * np.array([np.cos(np.pi * i / 2), np.sin(np.pi * i / 2), 0.0])
        mech.body(f"rod{i}", 0.2, b + d / 2, (0.02, 0.02, 0.02))
        mech.joint(f"U{i}", mech.ground, f"rod{i}", ct.Universal(b, e, np.cross(d, e)))
        mech.joint(f"S{i}", f"rod{i}", "table", ct.Spherical(b + d))
    return mech


def cases() -> list[tuple[str, ct.Mechanism, str]]:
    triangle = {"A": "ground a", "B": "a b", "C": "b ground"}
    stretched = {"A": (0.0, 0.0), "B": (1.0, 0.0), "C": (2.5, 0.0)}
    return [
        ("planar four-bar", ct.gallery.four_bar(), "flat"),
        ("Sarrus linkage", ct.gallery.sarrus(), "space"),
        ("four-bar, coupler braced twice", braced(), "flat"),
        ("Bennett linkage", ct.gallery.bennett(), "space"),
        ("triangle", planar("triangle", {"A": (0, 0), "B": (1.0, 1.2), "C": (2.5, 0)}, triangle), "flat"),
        ("triangle on one line", planar("on one line", stretched, triangle), "flat"),
        ("table on four equal rods", table(), "space"),
    ]


def draw(ax: Any, mech: ct.Mechanism, view: str) -> None:
    """Each body as a polygon through its joints, hinges as short red lines along their axes."""
    at: dict[str, list[np.ndarray]] = {}
    places = []
    for c in mech.joints.values():
        point = np.array(c.joint.point, dtype=float)
        places.append(point)
        for body in (c.parent, c.child):
            at.setdefault(body, []).append(point)
    P = np.array(places)
    size = np.ptp(P, axis=0).max()
    for c, point in zip(mech.joints.values(), places, strict=True):
        axis = np.array(getattr(c.joint, "axis", (0, 0, 0)), dtype=float) * 0.12 * size
        ax.plot(*np.array([point - axis, point + axis]).T, color="red", lw=2)
        ax.plot(*point[:, None], "o", color="red", ms=4)
    for k, (body, points) in enumerate(at.items()):
        ring = np.array([*points, points[0]])
        colour = "0.6" if body == "ground" else COLOURS[k % len(COLOURS)]
        ax.plot(*ring.T, color=colour, lw=1.5 if body == "ground" else 3.5, ls="--" if body == "ground" else "-")
    middle = 0.5 * (P.max(axis=0) + P.min(axis=0))
    for limits, m in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), middle, strict=True):
        limits(m - 0.43 * size, m + 0.43 * size)
    ax.view_init(*VIEWS[view])
    ax.set_axis_off()


def main() -> None:
    found = cases()
    figure = plt.figure(figsize=(13, 6.4))
    for k, (title, mech, view) in enumerate(found):
        report = ct.mobility(mech)
        ax = figure.add_subplot(2, 4, k + 1, projection="3d", proj_type="ortho")
        draw(ax, mech, view)
        numbers = f"Grübler {report.grubler}, velocities {report.differential}, DOF {report.local}"
        ax.set_title(f"{title}\n{report.kind}\n{report.words}\n{numbers}", fontsize=9)
    ax = figure.add_subplot(2, 4, 8)
    ax.set_axis_off()
    legend = "coloured: bodies\ngrey, dashed: ground\nred: joints, lines along\ntheir axes"
    ax.text(0.05, 0.5, legend, fontsize=10, va="center")
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "figures" / "mobility.png", dpi=80)


if __name__ == "__main__":
    main()
