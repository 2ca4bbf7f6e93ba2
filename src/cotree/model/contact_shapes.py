"""Shapes of surfaces that bodies touch, beside the solids of `cotree.model.shapes`: points, planes, holes, slots and profiles.

Points and directions are in the frame of the body's own data: the world, as assembled, for bodies described there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ShapeError
from cotree.model.checks import floats, nonzero, positive, shown, triple

Array = NDArray[np.float64]
SAMPLES = 360  # of a profile that a function gives


def _keep(shape: Any, *points: str) -> None:
    for what in points:
        object.__setattr__(shape, what, triple(getattr(shape, what), what, type(shape).__name__))


def _keep_direction(shape: Any, what: str) -> None:
    """A direction, of length one."""
    _keep(shape, what)
    nonzero(getattr(shape, what), what, type(shape).__name__)
    e = np.array(getattr(shape, what))
    if abs(np.linalg.norm(e) - 1.0) > 1e-15:  # one that is a unit vector stays as it is, also in files
        object.__setattr__(shape, what, tuple((e / np.linalg.norm(e)).tolist()))


@dataclass(frozen=True)
class Point:
    """A point of a body that may touch something, such as the end of a leg.

    Parameters
    ----------
    position : array_like of shape (3,)
        The point [m].

    Examples
    --------
    >>> ct.Point((0, 0, 0.5)).position
    (0.0, 0.0, 0.5)
    """

    position: tuple[float, ...]

    if TYPE_CHECKING:

        def __init__(self, position: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        _keep(self, "position")


@dataclass(frozen=True)
class Plane:
    """A half space, solid on the side away from the normal.

    Parameters
    ----------
    point : array_like of shape (3,)
        A point of the surface [m].
    normal : array_like of shape (3,)
        Normal out of the solid, of any length.

    Examples
    --------
    >>> ct.Plane((0, 0, 0), (0, 0, 2)).normal
    (0.0, 0.0, 1.0)
    """

    point: tuple[float, ...]
    normal: tuple[float, ...]

    if TYPE_CHECKING:

        def __init__(self, point: ArrayLike, normal: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        _keep(self, "point")
        _keep_direction(self, "normal")


@dataclass(frozen=True)
class Hole:
    """A round hole around an axis, in which a sphere or pin has clearance.

    Parameters
    ----------
    point : array_like of shape (3,)
        A point of the axis [m].
    axis : array_like of shape (3,)
        Direction of the axis, of any length.
    radius : float
        Radius of the hole [m].

    Examples
    --------
    >>> ct.Hole((0, 0, 0), (0, 0, 1), 0.011).radius
    0.011
    """

    point: tuple[float, ...]
    axis: tuple[float, ...]
    radius: float

    if TYPE_CHECKING:

        def __init__(self, point: ArrayLike, axis: ArrayLike, radius: float) -> None: ...

    def __post_init__(self) -> None:
        _keep(self, "point")
        _keep_direction(self, "axis")
        positive(self.radius, "radius", "Hole")


@dataclass(frozen=True)
class Slot:
    """A slot with round ends: the points within a radius of a line, all along an axis.

    Parameters
    ----------
    start : array_like of shape (3,)
        Start of the centre line [m].
    end : array_like of shape (3,)
        Its end [m].
    axis : array_like of shape (3,)
        Direction across the slot, of any length.
    radius : float
        Half the width [m].
    open_start : bool, optional
        No wall at the start, as in a Geneva wheel.

    Examples
    --------
    >>> ct.Slot((0, 0, 0), (0.1, 0, 0), (0, 0, 1), 0.006).open_start
    False
    """

    start: tuple[float, ...]
    end: tuple[float, ...]
    axis: tuple[float, ...]
    radius: float
    open_start: bool = False

    if TYPE_CHECKING:

        def __init__(
            self, start: ArrayLike, end: ArrayLike, axis: ArrayLike, radius: float, open_start: bool = False
        ) -> None: ...

    def __post_init__(self) -> None:
        _keep(self, "start", "end")
        _keep_direction(self, "axis")
        positive(self.radius, "radius", "Slot")
        along = np.subtract(self.end, self.start)
        nonzero(
            along - np.dot(along, self.axis) * np.array(self.axis), "the line from start to end across axis", "Slot"
        )


@dataclass(frozen=True)
class Profile:
    """A closed curve in a plane, solid inside: a cam, an oval, the rim of a Geneva wheel.

    Parameters
    ----------
    points : array_like of shape (n, 3) or callable
        Points in order around the curve, the first one not repeated; or a function of an
        angle from 0 to 2 pi. A periodic spline passes through them, of the fifth
        degree from twelve points on, else cubic.
    axis : array_like of shape (3,)
        Normal of the plane, of any length.

    Examples
    --------
    >>> import numpy as np
    >>> cam = ct.Profile(lambda a: (0.03 * np.cos(a) + 0.01, 0.03 * np.sin(a), 0.0), axis=(0, 0, 1))
    >>> len(cam.points)
    360
    """

    points: tuple[tuple[float, ...], ...]
    axis: tuple[float, ...]

    if TYPE_CHECKING:

        def __init__(self, points: ArrayLike | Callable[[float], ArrayLike], axis: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        given: Any = self.points
        if callable(given):
            given = [given(a) for a in np.linspace(0.0, 2.0 * np.pi, SAMPLES, endpoint=False)]
        a = floats(given)
        if a is None or a.ndim != 2 or a.shape[1] != 3 or len(a) < 4 or not np.isfinite(a).all():
            raise ShapeError(
                f"Profile: points are {shown(self.points)}; give at least four points (n, 3), or a function"
            )
        _keep_direction(self, "axis")
        if np.ptp(a @ np.array(self.axis)) > 1e-9 * np.ptp(a):
            raise ShapeError("Profile: the points do not lie in one plane across the axis; give a plane curve")
        object.__setattr__(self, "points", tuple(tuple(row) for row in a.tolist()))


Surface = Point | Plane | Hole | Slot | Profile
