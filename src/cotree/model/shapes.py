"""Shapes: what a body looks like, and its mass properties when a density is given.

A shape's points are in the frame of the body's own data: the world for bodies described there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ArgumentError, MassError, ModelError
from cotree.model.checks import array, positive, rigid, shown, triple, unit, vector
from cotree.model.inertia import MassProperties
from cotree.model.paint import Painted
from cotree.typing import ABSENT, OptionalPose

Array = NDArray[np.float64]
Color = str | tuple[float, float, float] | None


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
class Compound:
    """Several shapes of one body, as `mech.body(..., shape=[...])` makes it; where they overlap, mass counts twice."""

    shapes: tuple[Any, ...]

    def mass_properties(self, density: float) -> MassProperties:
        """Sum over the shapes, by the parallel-axis theorem."""
        found = [shape.mass_properties(density) for shape in self.shapes]
        mass = sum(p.mass for p in found)
        com = np.array(sum(p.mass * p.com for p in found)) / mass
        inertia = np.zeros((3, 3))
        for p in found:
            d = p.com - com
            inertia = inertia + p.inertia + p.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return _finite(MassProperties(mass, com, inertia), type(self).__name__)


def shapes_of(shape: Any) -> tuple[Any, ...]:
    """The single shapes of what a body has: none, one or several."""
    return () if shape is None else shape.shapes if isinstance(shape, Compound) else (shape,)


def is_shape(shape: Any) -> bool:
    return not isinstance(shape, type) and callable(getattr(shape, "mass_properties", None))


def given_shape(shape: Any, who: str) -> Any:
    """A shape, None, or one made of the several that are given; raises for anything else."""
    if shape is None or is_shape(shape):
        return shape
    several = tuple(shape) if isinstance(shape, Iterable) and not isinstance(shape, (str, np.ndarray)) else (shape,)
    for one in several:
        if not is_shape(one):
            raise ModelError(
                f"{who}: {shown(one)} is not a shape; give one such as ct.Rod(a, b) or ct.Box(center, size), or a list of them"
            )
    return alone_or_together(x for one in several for x in shapes_of(one))


def alone_or_together(found: Iterable[Any]) -> Any:
    """None, the one shape, or a compound of several."""
    every = tuple(found)
    return None if not every else every[0] if len(every) == 1 else Compound(every)


@dataclass(frozen=True)
class Box(Painted):
    """A cuboid.

    Parameters
    ----------
    center : array_like of shape (3,)
        Its centre [m].
    size : array_like of shape (3,)
        Full lengths of its edges [m].
    rotation : array_like of shape (3, 3), optional
        Axes of the edges as columns; those of the frame by default.
    color : str, optional
        Colour in pictures.
    opacity : float, optional
        From 0, invisible, to 1.

    Examples
    --------
    >>> ct.Box((0, 0, 0), (1, 2, 3)).size
    (1.0, 2.0, 3.0)
    """

    center: tuple[float, ...]
    size: tuple[float, ...]
    rotation: tuple[tuple[float, ...], ...] | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            center: ArrayLike,
            size: ArrayLike,
            rotation: ArrayLike | None = None,
            *,
            color: Color = None,
            opacity: float = 1.0,
        ) -> None: ...

    def __post_init__(self) -> None:
        _keep(self, "center", "size")
        self._keep_paint()
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
class Cylinder(Painted):
    """A solid circular cylinder.

    Parameters
    ----------
    a : array_like of shape (3,)
        Centre of one end [m].
    b : array_like of shape (3,)
        Centre of the other end [m].
    radius : float
        Radius [m].
    color : str, optional
        Colour in pictures.
    opacity : float, optional
        From 0, invisible, to 1.

    Examples
    --------
    >>> ct.Cylinder((0, 0, 0), (0, 0, 1), 0.1).radius
    0.1
    """

    a: tuple[float, ...]
    b: tuple[float, ...]
    radius: float

    if TYPE_CHECKING:

        def __init__(
            self, a: ArrayLike, b: ArrayLike, radius: float, *, color: Color = None, opacity: float = 1.0
        ) -> None: ...

    def __post_init__(self) -> None:
        who = type(self).__name__
        _keep(self, "a", "b")
        self._keep_paint()
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
    """A slender cylinder between two points.

    Parameters
    ----------
    a : array_like of shape (3,)
        One end [m].
    b : array_like of shape (3,)
        The other end [m].
    radius : float, optional
        Radius [m]; 1/50 of the length by default.
    color : str, optional
        Colour in pictures.
    opacity : float, optional
        From 0, invisible, to 1.

    Examples
    --------
    >>> ct.Rod((0, 0, 0), (0, 0, 1)).radius
    0.02
    """

    radius: float = 0.0

    if TYPE_CHECKING:

        def __init__(
            self, a: ArrayLike, b: ArrayLike, radius: float = 0.0, *, color: Color = None, opacity: float = 1.0
        ) -> None: ...

    def __post_init__(self) -> None:
        if type(self.radius) in (float, int) and self.radius == 0.0:
            length = np.linalg.norm(vector(self.b, "b", "Rod") - vector(self.a, "a", "Rod"))
            object.__setattr__(self, "radius", float(length) / 50.0 or 1.0)
        super().__post_init__()


@dataclass(frozen=True)
class Sphere(Painted):
    """A solid ball.

    Parameters
    ----------
    center : array_like of shape (3,)
        Its centre [m].
    radius : float
        Radius [m].
    color : str, optional
        Colour in pictures.
    opacity : float, optional
        From 0, invisible, to 1.

    Examples
    --------
    >>> ct.Sphere((0, 0, 0), 0.1).radius
    0.1
    """

    center: tuple[float, ...]
    radius: float

    if TYPE_CHECKING:

        def __init__(self, center: ArrayLike, radius: float, *, color: Color = None, opacity: float = 1.0) -> None: ...

    def __post_init__(self) -> None:
        _keep(self, "center")
        self._keep_paint()
        positive(self.radius, "radius", "Sphere")

    def mass_properties(self, density: float) -> MassProperties:
        r = float(self.radius)
        m = positive(density, "density", "Sphere") * 4.0 / 3.0 * np.pi * r * r * r
        return _finite(
            MassProperties(m, np.array(self.center, dtype=float), 0.4 * m * r * r * np.eye(3)), type(self).__name__
        )


@dataclass(frozen=True)
class Mesh(Painted):
    """A triangle mesh file, for display only.

    Parameters
    ----------
    path : str or path
        STL or OBJ file; GLB, glTF, PLY and others with trimesh installed.
    scale : float, optional
        Metres per unit of the file.
    pose : array_like of shape (4, 4), optional
        Pose of the file's frame.
    color : str, optional
        Colour in pictures.
    opacity : float, optional
        From 0, invisible, to 1.

    Examples
    --------
    >>> ct.Mesh("part.stl", scale=0.001).scale
    0.001
    """

    path: str | Path
    scale: float = 1.0
    pose: OptionalPose = ABSENT

    if TYPE_CHECKING:

        def __init__(
            self,
            path: str | Path,
            scale: float = 1.0,
            pose: ArrayLike | None = None,
            *,
            color: Color = None,
            opacity: float = 1.0,
        ) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.path, (str, Path)):
            raise ArgumentError(f"Mesh: path is {shown(self.path)}; give the path of a mesh file (STL, OBJ or GLB)")
        who = f"Mesh {str(self.path)!r}"
        positive(self.scale, "scale", who)
        self._keep_paint()
        if self.pose is not None:
            rigid(self.pose, "pose", who)
            object.__setattr__(self, "pose", _rows(array(self.pose, (4, 4), "pose", who)))

    def mass_properties(self, density: float) -> MassProperties:
        raise MassError(f"Mesh {str(self.path)!r} is for display only; give mass, com and inertia")
