"""Appearance of a body: its shape, or bars from its mass centre to its joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.constraints import Rolling
from cotree.model.mesh_files import MOST, triangles_of
from cotree.model.shapes import Box, Cylinder, Mesh, Rod, Sphere, shapes_of
from cotree.view.scene.parts import Part, box, cylinder, mesh, sphere
from cotree.view.scene.reference import Reference

Array = NDArray[np.float64]


def shape_parts(shape: Any, centre: Array, most_triangles: int = MOST) -> list[Part]:
    """Parts of a body's shapes about the mass centre; none for an unknown shape or a missing file."""
    return [part | painted(one) for one in shapes_of(shape) for part in _single(one, centre, most_triangles)]


def painted(shape: Any) -> Part:
    """Colour and opacity of a part, where they are not the usual ones."""
    color, opacity = getattr(shape, "color", None), getattr(shape, "opacity", 1.0)
    return ({} if color is None else {"color": color}) | ({} if opacity == 1.0 else {"opacity": opacity})


def _single(shape: Any, centre: Array, most_triangles: int) -> list[Part]:
    if isinstance(shape, Cylinder):
        return [cylinder(shape.a - centre, shape.b - centre, shape.radius, rounded=isinstance(shape, Rod))]
    if isinstance(shape, Sphere):
        return [sphere(shape.center - centre, shape.radius)]
    if isinstance(shape, Box):
        axes = np.eye(3) if shape.rotation is None else np.asarray(shape.rotation, dtype=float)
        return [box(shape.center - centre, shape.size, axes)]
    if isinstance(shape, Mesh):
        triangles = triangles_of(shape, most_triangles)
        return [] if triangles is None else [mesh(triangles - centre)]
    return []


def rolling_parts(reference: Reference, row: int) -> list[Part]:
    """Balls and disks on which a body without a shape rolls."""
    system, parts = reference.system, []
    for c in system.constraints.values():
        if isinstance(c, Rolling) and system.body_rows[c.body] == row:
            middle = c.center - reference.centres[row]
            if c.axis is None:
                parts.append(sphere(middle, c.radius))
            else:
                half = 0.04 * c.radius * c.axis
                parts.append(cylinder(middle - half, middle + half, c.radius))
    return parts


def bar_parts(reference: Reference, row: int, thickness: float) -> list[Part]:
    """A ball at the mass centre and a bar to each joint; without bars, a cross along the body axes, so that rotation
    is visible."""
    ends = [p for p in reference.anchors(row) if np.linalg.norm(p) > 0.5 * thickness]
    bars = [cylinder(np.zeros(3), p, 0.3 * thickness, rounded=True) for p in ends]
    cross = [cylinder(-2 * thickness * e, 2 * thickness * e, 0.3 * thickness, rounded=True) for e in np.eye(3)]
    return [sphere(np.zeros(3), (0.7 if bars else 1.0) * thickness), *(bars or cross)]
