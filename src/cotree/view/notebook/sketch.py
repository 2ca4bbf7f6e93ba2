"""A still picture as SVG: outlines of all parts in parallel projection, far ones first, with the joints on top."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.lie import rotation_of_quaternion
from cotree.view.scene import Scene
from cotree.view.scene.colours import LIGHT
from cotree.view.scene.parts import Part
from cotree.view.scene.triangles import triangles

Array = NDArray[np.float64]
WIDTH, HEIGHT, MARGIN = 380.0, 280.0, 14.0  # pixels
SIDES = 16  # of a circle


def sketch(scene: Scene) -> str:
    """An <svg> element of the first frame."""
    look = axes(scene)
    bodies, joints = _bodies(scene, look), _joints(scene, look)
    ties = [np.array([_place(scene, tie, end) for end in "ab"]) @ look for tie in scene.drawing.ties]
    points = np.concatenate([p[:, :2] for p, _, _ in (*bodies, *joints)])
    low, high = points.min(axis=0), points.max(axis=0)
    middle, extent = (low + high) / 2, np.maximum(high - low, 1e-300)
    scale = min((WIDTH - 2 * MARGIN) / extent[0], (HEIGHT - 2 * MARGIN) / extent[1])

    def pixels(p: Array) -> str:
        x = np.array([WIDTH / 2, HEIGHT / 2]) + scale * (p[:, :2] - middle) * [1.0, -1.0]
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in x)

    bodies.sort(key=lambda item: item[0][:, 2].mean())
    shapes = [_polygon(pixels(hull(p)), colour, name, 1.0) for p, colour, name in bodies]
    lines = [f'<polyline points="{pixels(p)}" stroke="{LIGHT["joint"]}" stroke-dasharray="4 3" />' for p in ties]
    signs = [_polygon(pixels(hull(p)), colour, name, 0.85) for p, colour, name in joints]
    sky = f'<rect width="100%" height="100%" rx="6" fill="{LIGHT["sky"]}" />'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{HEIGHT:g}" role="img">'
    return "".join([head, sky, *shapes, *lines, *signs, "</svg>"])


def axes(scene: Scene) -> Array:
    """Columns: right, up, and towards the viewer."""
    back, up = np.array(scene.view["eye"]), np.array(scene.view["up"])
    right = np.cross(up, back)
    right = right / np.linalg.norm(right)
    return np.column_stack([right, np.cross(back, right), back])


def _polygon(points: str, colour: str, name: str, opacity: float) -> str:
    style = (
        f'fill="{colour}" stroke="{LIGHT["panel"]}" stroke-width="0.8" stroke-linejoin="round" opacity="{opacity:g}"'
    )
    return f'<polygon points="{points}" {style}><title>{html.escape(name)}</title></polygon>'


def _bodies(scene: Scene, look: Array) -> list[tuple[Array, str, str]]:
    """(corners in view axes, colour, name) of each part."""
    rows = zip(scene.drawing.parts, scene.hues, scene.system.body_names, strict=True)
    return [
        (_corners(scene, row, part) @ look, part.get("color", LIGHT[hue]), name)
        for row, (parts, hue, name) in enumerate(rows, start=1)
        for part in parts
    ]


def _joints(scene: Scene, look: Array) -> list[tuple[Array, str, str]]:
    return [
        (_corners(scene, glyph["body"], part) @ look, LIGHT["cut" if joint["cut"] else "joint"], joint["name"])
        for joint in scene.drawing.joints
        for glyph in joint["glyphs"]
        for part in glyph["parts"]
    ]


def _corners(scene: Scene, row: int, part: Part) -> Array:
    return _moved(scene, row, triangles([part], SIDES)[0])


def _place(scene: Scene, tie: dict[str, Any], end: str) -> Array:
    return _moved(scene, tie[f"body_{end}"], np.array(tie[f"point_{end}"])[None])[0]


def _moved(scene: Scene, row: int, points: Array) -> Array:
    """Points of a body at the first frame."""
    if row == 0:
        return points
    R = rotation_of_quaternion(scene.frames.quaternions[0, row - 1])
    return points @ R.T + scene.frames.centres[0, row - 1]


def hull(points: Array) -> Array:
    """Corners of the convex hull of points (m, 2 or more), by the first two coordinates (Andrew's monotone chain)."""
    p = np.unique(points[:, :2], axis=0)
    if len(p) < 3:
        return p

    def chain(order: Array) -> list[Array]:
        out: list[Array] = []
        for x in order:
            while len(out) > 1 and _signed_area(out[-2], out[-1], x) <= 0.0:
                out.pop()
            out.append(x)
        return out[:-1]

    return np.array(chain(p) + chain(p[::-1]))


def _signed_area(a: Array, b: Array, c: Array) -> float:
    """Twice the area of a triangle, positive if c is to the left of the line from a to b."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
