"""Shapes: what a body looks like, and its mass properties when a density is given.

A shape's points are in the frame of the body's own data: the world for bodies described there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ArgumentError, MassError
from cotree.model.checks import array, positive, rigid, shown, triple, unit, vector
from cotree.model.inertia import MassProperties
from cotree.typing import ABSENT, OptionalPose

Array = NDArray[np.float64]


class Shape(Protocol):
    """Anything that has mass properties."""

    def mass_properties(self, density: float) -> MassProperties: ...


def _keep(shape: Any, *points: str) -> None:
    """Three finite numbers each, copied: the user's arrays may change later."""
    for what in points:
        object.__setattr__(shape, what, triple(getattr(shape, what), what, type(shape).__name__))


def _rows(a: Array) -> tuple[tuple[float, ...], ...]:
    """A matrix as tuples: comparable and immutable."""
    return tuple(tuple(row) for row in a.tolist())


def _finite(p: MassProperties, who: str) -> MassProperties:
    """Raise if the mass properties overflow, at sizes beyond 1e60 m or so."""
    if not (np.isfinite(p.mass) and np.isfinite(p.com).all() and np.isfinite(p.inertia).all()):
        raise MassError(f"{who}: its mass or inertia is not finite; check the sizes, which are in metres")
    return p


@dataclass(frozen=True)
class Box:
    """Cuboid: full edge lengths `size` along the axes of `rotation` (3x3, the frame's own by default)."""

    center: tuple[float, ...]
    size: tuple[float, ...]
    rotation: tuple[tuple[float, ...], ...] | None = None

    if TYPE_CHECKING:

        def __init__(self, center: ArrayLike, size: ArrayLike, rotation: ArrayLike | None = None) -> None: ...

    def __post_init__(self) -> None:
        _keep(self, "center", "size")
        for edge in self.size:
            positive(edge, "size", "Box")
        if self.rotation is not None:
            object.__setattr__(self, "rotation", _rows(array(self.rotation, (3, 3), "rotation", "Box")))
        self._axes()

    def _axes(self) -> Array:
        pose = np.eye(4)
        if self.rotation is not None:
            pose[:3, :3] = self.rotation
        return rigid(pose, "rotation", "Box")[:3, :3]

    def mass_properties(self, density: float) -> MassProperties:
        a, b, c = (float(x) for x in self.size)
        m = positive(density, "density", "Box") * a * b * c
        R = self._axes()
        inertia = R @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ R.T * (m / 12.0)
        return _finite(MassProperties(m, np.array(self.center, dtype=float), inertia), type(self).__name__)


@dataclass(frozen=True)
class Cylinder:
    """Solid circular cylinder between the centres a and b of its ends."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    radius: float

    if TYPE_CHECKING:

        def __init__(self, a: ArrayLike, b: ArrayLike, radius: float) -> None: ...

    def __post_init__(self) -> None:
        who = type(self).__name__
        _keep(self, "a", "b")
        unit(np.subtract(self.b, self.a), "the line from a to b", who)
        positive(self.radius, "radius", who)

    def mass_properties(self, density: float) -> MassProperties:
        a, b = np.array(self.a, dtype=float), np.array(self.b, dtype=float)
        length = float(np.linalg.norm(b - a))
        e = (b - a) / length
        r2 = float(self.radius) * float(self.radius)
        m = positive(density, "density", type(self).__name__) * np.pi * r2 * length
        along, across = 0.5 * m * r2, m * (3.0 * r2 + length * length) / 12.0
        inertia = across * np.eye(3) + (along - across) * np.outer(e, e)
        return _finite(MassProperties(m, 0.5 * (a + b), inertia), type(self).__name__)


@dataclass(frozen=True)
class Rod(Cylinder):
    """Slender cylinder between two points; the radius is 1/50 of the length unless given."""

    radius: float = 0.0

    if TYPE_CHECKING:

        def __init__(self, a: ArrayLike, b: ArrayLike, radius: float = 0.0) -> None: ...

    def __post_init__(self) -> None:
        if type(self.radius) in (float, int) and self.radius == 0.0:
            length = np.linalg.norm(vector(self.b, "b", "Rod") - vector(self.a, "a", "Rod"))
            object.__setattr__(self, "radius", float(length) / 50.0 or 1.0)
        super().__post_init__()


@dataclass(frozen=True)
class Sphere:
    """Solid ball."""

    center: tuple[float, ...]
    radius: float

    if TYPE_CHECKING:

        def __init__(self, center: ArrayLike, radius: float) -> None: ...

    def __post_init__(self) -> None:
        _keep(self, "center")
        positive(self.radius, "radius", "Sphere")

    def mass_properties(self, density: float) -> MassProperties:
        r = float(self.radius)
        m = positive(density, "density", "Sphere") * 4.0 / 3.0 * np.pi * r * r * r
        return _finite(
            MassProperties(m, np.array(self.center, dtype=float), 0.4 * m * r * r * np.eye(3)), type(self).__name__
        )


@dataclass(frozen=True)
class Mesh:
    """Reference to a triangle mesh file (STL, OBJ), for display only."""

    path: str | Path
    scale: float = 1.0
    pose: OptionalPose = ABSENT

    def __post_init__(self) -> None:
        if not isinstance(self.path, (str, Path)):
            raise ArgumentError(f"Mesh: path is {shown(self.path)}; give the path of a mesh file (STL or OBJ)")
        who = f"Mesh {str(self.path)!r}"
        positive(self.scale, "scale", who)
        if self.pose is not None:
            rigid(self.pose, "pose", who)
            object.__setattr__(self, "pose", _rows(array(self.pose, (4, 4), "pose", who)))

    def mass_properties(self, density: float) -> MassProperties:
        raise MassError(f"Mesh {str(self.path)!r} is for display only; give mass, com and inertia")
