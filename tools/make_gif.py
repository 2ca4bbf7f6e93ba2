"""Draw docs/figures/three_mechanisms.gif, the moving picture of the README: `python tools/make_gif.py`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import NDArray
from PIL import Image

import cotree as ct
from cotree.view.scene.colours import LIGHT as LIGHT_COLOURS
from cotree.view.scene.colours import hue
from cotree.view.scene.geometry import shape_parts
from cotree.view.scene.triangles import triangles

Array = NDArray[np.float64]
OUT = Path(__file__).resolve().parent.parent / "docs" / "figures" / "three_mechanisms.gif"
SHOWN = (  # title, mechanism, seconds, direction that is up, view (elevation, azimuth)
    ("Bricard 6R: overconstrained, 1 DOF", ct.gallery.bricard, 6.0, 2, (22, -60)),
    ("Delta robot: 3 DOF, 3 loops", ct.gallery.delta, 3.0, 2, (12, -70)),
    ("four-bar: planar loop", ct.gallery.four_bar, 4.0, 1, (14, -80)),
)
FRAMES, SECONDS_A_FRAME = 48, 0.08
TO_LIGHT = np.array([-0.4, -0.5, 0.77])


def faces(mech: ct.Mechanism) -> list[tuple[Array, str]]:
    """(k, 3, 4): homogeneous corners of the triangles of each body where it was drawn, with its colour."""
    found = []
    for k, body in enumerate(mech.bodies.values()):
        corners, indices = triangles(_thick(shape_parts(body.shape, np.zeros(3))), 12)
        placed = np.concatenate([corners, np.ones((len(corners), 1))], axis=1)
        found.append((placed[indices], LIGHT_COLOURS[hue(k)]))
    return found


def _thick(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rods half as thick again, to be seen in a small picture."""
    return [{**part, "radius": 1.6 * part["radius"]} if part["kind"] == "cylinder" else part for part in parts]


def draw(axes: plt.Axes, mech: ct.Mechanism, C: Array, rows: list[int], up: int) -> Array:
    """Draw all bodies at poses C; returns all corners."""
    order = {2: [0, 1, 2], 1: [0, 2, 1]}[up]
    seen = []
    for row, (solid, colour) in zip(rows, faces(mech), strict=True):
        world = (solid @ C[row].T)[..., :3][..., order]
        axes.add_collection3d(Poly3DCollection(world, facecolors=shaded(world, colour), linewidths=0))
        seen.append(world.reshape(-1, 3))
    return np.concatenate(seen)


def shaded(world: Array, colour: str) -> Array:
    """(k, 3): the colour of each triangle, brighter where it looks towards the light."""
    normals = np.cross(world[:, 1] - world[:, 0], world[:, 2] - world[:, 0])
    lengths = np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
    bright = 0.5 * (1 + normals @ TO_LIGHT / lengths)[:, None]
    return np.clip(np.array(to_rgb(colour)) * (0.75 + 0.3 * bright) + 0.15 * bright, 0.0, 1.0)


def main() -> None:
    runs, rows, boxes = [], [], []
    for _, make, t_end, up, _ in SHOWN:
        run = ct.simulate(make(), t_end, output=FRAMES)
        mech = run.system.mechanism
        own = [run.system.row_of(name) for name in mech.bodies]
        figure = plt.figure()
        points = np.concatenate([draw(figure.add_subplot(projection="3d"), mech, C, own, up) for C in run.poses()[::6]])
        plt.close(figure)
        middle = (points.max(axis=0) + points.min(axis=0)) / 2
        runs.append(run)
        rows.append(own)
        boxes.append((middle, 0.5 * np.ptp(points, axis=0).max()))
    pictures = [frame(runs, rows, boxes, k) for k in range(FRAMES)]
    palette = pictures[FRAMES // 2].quantize(48)
    small = [p.quantize(48, palette=palette, dither=Image.Dither.NONE) for p in pictures]
    small[0].save(
        OUT, save_all=True, append_images=small[1:], duration=int(1e3 * SECONDS_A_FRAME), loop=0, optimize=True
    )
    print(f"{OUT.name}: {OUT.stat().st_size / 1e3:.0f} kB")


def frame(runs: list[ct.Run], rows: list[list[int]], boxes: list[tuple[Array, float]], k: int) -> Image.Image:
    """One picture with the three mechanisms side by side."""
    figure = plt.figure(figsize=(9.6, 3.2), dpi=80)
    for i, ((title, _, _, up, (elevation, azimuth)), run, own, (middle, half)) in enumerate(
        zip(SHOWN, runs, rows, boxes, strict=True)
    ):
        axes = figure.add_axes((i / 3, 0.0, 1 / 3, 0.92), projection="3d")
        draw(axes, run.system.mechanism, run.poses()[k], own, up)
        for set_limits, centre in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), middle, strict=True):
            set_limits(centre - half, centre + half)
        axes.view_init(elevation, azimuth)
        axes.set_axis_off()
        axes.set_box_aspect((1, 1, 1), zoom=1.55)
        figure.text((i + 0.5) / 3, 0.93, title, ha="center", fontsize=11)
    buffer = io.BytesIO()
    figure.savefig(buffer, facecolor="white")
    plt.close(figure)
    return Image.open(buffer).convert("RGB")


if __name__ == "__main__":
    main()
