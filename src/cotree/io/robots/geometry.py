"""Shapes of bodies from the geometry of links: all visuals that a shape can stand for, else all collisions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cotree.errors import DocumentError
from cotree.io.robots.description import Geometry
from cotree.model import shapes

ROLES = ("visual", "collision")


def shape_of(geometry: Iterable[Geometry]) -> Any:
    """The shapes of a link as one, or None."""
    every = [(g.role, shape) for g in geometry if (shape := single_shape(g)) is not None]
    role = next((role for role in ROLES if any(r == role for r, _ in every)), None)
    return shapes.alone_or_together(shape for r, shape in every if r == role)


def paint_of(rgba: tuple[float, ...] | None) -> dict[str, Any] | None:
    """Options of a shape for a colour and an opacity; None for what cannot be seen."""
    if rgba is None:
        return {}
    r, g, b, opacity = (min(max(float(x), 0.0), 1.0) for x in rgba)
    return {"color": (r, g, b), "opacity": opacity} if opacity > 0.0 else None


def single_shape(g: Geometry) -> Any:
    """The shape of one visual or collision, or None: sizes and opacities of zero show nothing; a mesh that is scaled unevenly
    or mirrored is not one that `Mesh` can show."""
    R, p, paint = g.origin[:3, :3], g.origin[:3, 3], paint_of(g.rgba)
    if paint is None:
        return None
    if g.kind == "mesh":
        even = len(set(g.numbers)) == 1 and g.numbers[0] > 0.0
        return shapes.Mesh(g.reference, g.numbers[0], g.origin, **paint) if even else None
    if min(g.numbers) < 0.0:
        raise DocumentError(f"{g.role}: {g.kind} with the size {min(g.numbers):g}; it must be positive")
    if min(g.numbers) == 0.0:
        return None
    if g.kind == "box":
        return shapes.Box(tuple(p), g.numbers, R, **paint)
    if g.kind == "sphere":
        return shapes.Sphere(tuple(p), g.numbers[0], **paint)
    radius, length = g.numbers
    kind = shapes.Rod if g.kind == "capsule" else shapes.Cylinder
    return kind(tuple(p - 0.5 * length * R[:, 2]), tuple(p + 0.5 * length * R[:, 2]), radius, **paint)
