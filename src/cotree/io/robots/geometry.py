"""Shapes of bodies from the geometry of links: the first visual that a shape can stand for, else the first collision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cotree.errors import DocumentError
from cotree.io.robots.description import Geometry
from cotree.model import shapes

ROLES = ("visual", "collision")


def shape_of(geometry: Iterable[Geometry]) -> Any:
    """One shape for a link, or None."""
    found = [shape for g in sorted(geometry, key=lambda g: ROLES.index(g.role)) if (shape := _shape(g)) is not None]
    return found[0] if found else None


def _shape(g: Geometry) -> Any:
    """Sizes of zero show nothing; a mesh that is scaled unevenly or mirrored is not one that `Mesh` can show."""
    R, p = g.origin[:3, :3], g.origin[:3, 3]
    if g.kind == "mesh":
        even = len(set(g.numbers)) == 1 and g.numbers[0] > 0.0
        return shapes.Mesh(g.reference, g.numbers[0], g.origin) if even else None
    if min(g.numbers) < 0.0:
        raise DocumentError(f"{g.role}: {g.kind} with the size {min(g.numbers):g}; it must be positive")
    if min(g.numbers) == 0.0:
        return None
    if g.kind == "box":
        return shapes.Box(tuple(p), g.numbers, R)
    if g.kind == "sphere":
        return shapes.Sphere(tuple(p), g.numbers[0])
    radius, length = g.numbers
    return shapes.Cylinder(tuple(p - 0.5 * length * R[:, 2]), tuple(p + 0.5 * length * R[:, 2]), radius)
