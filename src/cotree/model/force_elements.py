"""Force elements of registered kinds: inert descriptions, each computed by a file in dynamics/forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.forces import ForceElement, UserFunction

Array = NDArray[np.float64]
MOST_POINTS = 16  # of a cable


@dataclass(frozen=True, eq=False)
class LineElement(ForceElement):
    """Along the line between a point of body a and one of body b, each in the frame of its body's data."""

    name: str
    body_a: str
    point_a: Array
    body_b: str
    point_b: Array

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.body_a, self.body_b


@dataclass(frozen=True, eq=False)
class NonlinearSpring(LineElement):
    """force: table (elongation, pull); damping: table (rate, pull); length: at which it is relaxed."""

    force: Array
    damping: Array | None
    length: float | None
    word = "nonlinear spring"
    scalar = True


@dataclass(frozen=True, eq=False)
class OneSided(LineElement):
    """stiffness x^exponent (1 + damping x_dot) where x = sign (distance - length) is positive."""

    stiffness: float
    length: float | None
    damping: float
    exponent: float
    sign = 1.0
    scalar = True


class Rope(OneSided):
    """It pulls where it is longer than its length."""

    word = "rope"


class BumpStop(OneSided):
    """It pushes where it is shorter than its length."""

    word = "bump stop"
    sign = -1.0


@dataclass(frozen=True, eq=False)
class ForceBetween(LineElement):
    """A force that drives two points apart: a number, or a function of their distance and its rate."""

    force: Array | UserFunction
    word = "force between"
    scalar = True

    @property
    def value(self) -> Array | UserFunction:
        return self.force


@dataclass(frozen=True, eq=False)
class Bushing(ForceElement):
    """stiffness, damping (6, 6) of the motion (rotation, displacement) of body b against a; point and axes (by rows: 3x3 with
    the axes as columns) in the world as assembled."""

    name: str
    body_a: str
    body_b: str
    point: Array
    stiffness: Array
    damping: Array
    axes: Array
    word = "bushing"

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.body_a, self.body_b


@dataclass(frozen=True, eq=False)
class Cable(ForceElement):
    """route: (body, point) in the order of the cable; stiffness, length when it is relaxed, damping as of a rope."""

    name: str
    route: tuple[tuple[str, Any], ...]
    stiffness: float
    length: float | None
    damping: float
    word = "cable"
    scalar = True

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(body for body, _ in self.route)


@dataclass(frozen=True, eq=False)
class Belt(ForceElement):
    """Around pulleys on two joints: radius_a angle_a - radius_b angle_b is its elongation; a negative radius: it is crossed."""

    name: str
    joint_a: str
    joint_b: str
    radius_a: float
    radius_b: float
    stiffness: float
    damping: float
    ends: tuple[str, ...]
    backlash: float = 0.0  # in which it does not pull
    word = "belt"
    scalar = True

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.ends


@dataclass(frozen=True, eq=False)
class Drag(ForceElement):
    """-coefficient |u| u at a point of a body, u its velocity against the wind."""

    name: str
    body: str
    coefficient: float
    point: Array
    wind: Array
    word = "drag"

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)


@dataclass(frozen=True, eq=False)
class Tyre(ForceElement):
    """On a flat road through the point `road` of the world with that normal: centre and axis of the wheel in the frame of its
    body's data; slip stiffnesses longitudinal and lateral [N], half length of the contact [m]."""

    name: str
    body: str
    center: Array
    axis: Array
    radius: float
    stiffness: float
    damping: float
    friction: float
    longitudinal: float
    lateral: float
    half_length: float
    low_speed: float
    road: Array
    normal: Array
    word = "tyre"

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)


@dataclass(frozen=True, eq=False)
class CentralGravity(ForceElement):
    """mu mass / r^2 towards a point of the world, at the mass centre."""

    name: str
    body: str
    mu: float
    center: Array
    point_b: Array
    mass: float
    word = "central gravity"
    scalar = True
    body_a = "ground"

    @property
    def body_b(self) -> str:
        return self.body

    @property
    def point_a(self) -> Array:
        return self.center

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)


@dataclass(frozen=True, eq=False)
class BeamChain(ForceElement):
    """Beam elements from node to node. frames (nodes, 4, 4): section frames in the world as assembled; stiffness, damping: six
    numbers as of `Section`; rest_strain (elements, 6) beyond the shape as drawn."""

    name: str
    nodes: tuple[str, ...]
    frames: Array
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    rest_strain: Array
    word = "beam"

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.nodes
