"""Constraints beside the joints in a model file: type and fields are those of the method of `Mechanism` that makes them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from cotree.io.native.fields import Function, Name, Node, Size, Vector, method_name


class AnyConstraint(Node, tag_field="type", tag=method_name):
    """Base of the constraints."""

    name: Name


class Drive(AnyConstraint):
    """A joint coordinate q = motion(t) [rad or m]; a number is held."""

    joint: Name
    motion: float | Function
    coordinate: Name | None = None
    rate: Function | None = None
    acceleration: Function | None = None


class Ratio(Node):
    """One joint coordinate in a coupling."""

    joint: Name
    ratio: float
    coordinate: Name | None = None


class Coupling(AnyConstraint):
    """Sum of ratio q over joints = offset."""

    ratios: Annotated[list[Ratio], Meta(min_length=1)]
    offset: float | Function = 0.0


class Gear(AnyConstraint):
    """q_a = ratio q_b."""

    joint_a: Name
    joint_b: Name
    ratio: float


class Distance(AnyConstraint):
    """Two points at a distance [m]; without a length as assembled."""

    body_a: Name
    point_a: Vector
    body_b: Name
    point_b: Vector
    length: Size | Function | None = None


class KnifeEdge(AnyConstraint):
    """A body-fixed point does not move along a body-fixed direction."""

    body: Name
    point: Vector
    direction: Vector


class Conserve(AnyConstraint):
    """Momentum of all bodies along an axis: "linear momentum", or "angular momentum" about the common mass centre."""

    quantity: Literal["angular momentum", "linear momentum"]
    axis: Vector
    value: float


class Rolling(AnyConstraint):
    """A ball, or with an axis a thin disk, rolls on a plane."""

    body: Name
    center: Vector
    radius: Size
    axis: Vector | None = None
    plane_point: Vector = (0.0, 0.0, 0.0)
    plane_normal: Vector = (0.0, 0.0, 1.0)
    surface: Name = "ground"


class Constraint(AnyConstraint):
    """User rows: jacobian(q, t) v = rate(q, t)."""

    jacobian: Function
    residual: Function | None = None
    rate: Function | None = None
    bias: Function | None = None
    rows: Annotated[int, Meta(ge=1)] = 1


OtherConstraint = Drive | Coupling | Gear | Distance | KnifeEdge | Conserve | Rolling | Constraint
