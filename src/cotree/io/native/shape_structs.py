"""Shapes in a model file: names and fields are those of `cotree.model.shapes`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cotree.io.native.fields import Matrix, Name, Node, Pose, Size, Vector

Opacity = Annotated[float, Meta(gt=0.0, le=1.0)]


class AnyShape(Node, tag_field="type", tag=True):
    """Base of the shapes; their points are in the frame of the body's data. Colour "#rrggbb", by default that of the body;
    opacity from above 0 to 1."""


class Box(AnyShape):
    """Cuboid: full edge lengths along the axes of `rotation`."""

    center: Vector
    size: tuple[Size, Size, Size]
    rotation: Matrix | None = None
    color: Name | None = None
    opacity: Opacity | None = None


class Cylinder(AnyShape):
    """Solid circular cylinder between the centres a and b of its ends."""

    a: Vector
    b: Vector
    radius: Size
    color: Name | None = None
    opacity: Opacity | None = None


class Rod(AnyShape):
    """Slim cylinder between two points; radius 0 or none: a fiftieth of the length."""

    a: Vector
    b: Vector
    radius: float = 0.0
    color: Name | None = None
    opacity: Opacity | None = None


class Sphere(AnyShape):
    """Solid ball."""

    center: Vector
    radius: Size
    color: Name | None = None
    opacity: Opacity | None = None


class Mesh(AnyShape):
    """A file of triangles, for pictures only."""

    path: Name
    scale: Size = 1.0
    pose: Pose | None = None
    color: Name | None = None
    opacity: Opacity | None = None


class Point(AnyShape):
    """A point that touches."""

    position: Vector


class Plane(AnyShape):
    """A half space, solid on the side away from the normal."""

    point: Vector
    normal: Vector


class Hole(AnyShape):
    """A round hole around an axis."""

    point: Vector
    axis: Vector
    radius: Size


class Slot(AnyShape):
    """A slot with round ends around the line from start to end, all along the axis."""

    start: Vector
    end: Vector
    axis: Vector
    radius: Size
    open_start: bool = False


class Profile(AnyShape):
    """A closed curve in a plane across the axis, solid inside."""

    points: tuple[Vector, ...]
    axis: Vector


Shape = Box | Cylinder | Rod | Sphere | Mesh
Surface = Shape | Point | Plane | Hole | Slot | Profile
