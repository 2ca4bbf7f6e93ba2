"""What is drawn of a scene, as triangles with normals and colours in the frames of the bodies that carry them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.view.scene import Scene
from cotree.view.scene.colours import LIGHT, rgb
from cotree.view.scene.parts import Part
from cotree.view.scene.triangles import Triangles, coil, triangles

Array = NDArray[np.float64]
SIDES = 24  # of a circle


@dataclass(frozen=True, eq=False)
class Solid:
    """row: of the body that carries it, 0 for ground; tie: index of the tie that stretches it, or -1. corners, normals
    (m, 3), faces (k, 3), colour (3,) from 0 to 1; casts: whether it has a shadow."""

    row: int
    tie: int
    corners: Array
    normals: Array
    faces: NDArray[np.int64]
    colour: Array
    opacity: float
    casts: bool = False


def solids(scene: Scene) -> list[Solid]:
    """Scenery, bodies, joints, elements at joints, and ties."""
    picture = scene.drawing
    out = _painted(0, picture.scenery, LIGHT["grid"])
    for row, (parts, hue) in enumerate(zip(picture.parts, scene.hues, strict=True), start=1):
        out += _painted(row, parts, LIGHT[hue])
    for joint in picture.joints:
        for glyph in joint["glyphs"]:
            out += _painted(glyph["body"], glyph["parts"], LIGHT["cut" if joint["cut"] else "joint"], False)
    for fitting in picture.fittings:
        out += _painted(fitting["body"], fitting["parts"], LIGHT["c3"], False)
    return [*out, *(_tie(k, tie, picture.size) for k, tie in enumerate(picture.ties))]


def _painted(row: int, parts: list[Part], colour: str, casts: bool = True) -> list[Solid]:
    return [
        solid(triangles([part], SIDES), part.get("color", colour), part.get("opacity", 1.0), row, -1, casts)
        for part in parts
    ]


def _tie(k: int, tie: dict[str, Any], size: float) -> Solid:
    spring = tie["kind"] == "spring"
    made = coil(tie["length"], 0.8 * size, 0.18 * size) if spring else triangles(tie["parts"], 12)
    return solid(made, LIGHT["c3"], 1.0, 0, k)


def solid(made: Triangles, colour: str, opacity: float, row: int, tie: int = -1, casts: bool = False) -> Solid:
    corners, faces = made
    return Solid(row, tie, corners, normals_of(corners, faces), faces, np.array(rgb(colour)) / 255.0, opacity, casts)


def normals_of(corners: Array, faces: NDArray[np.int64]) -> Array:
    """Unit normals at the corners: of the faces around them, by area; corners are not shared at sharp edges."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    out = np.zeros_like(corners)
    for k in range(3):
        np.add.at(out, faces[:, k], areas)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-300)
