"""Further forces in a model file: type and fields are those of the method of `Mechanism` that makes them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cotree.io.native.fields import Function, Matrix, Name, Pose, Vector
from cotree.io.native.force_structs import AnyForce, AnyJointForce
from cotree.io.native.force_structs import AppliedForce as Basic

Table = Annotated[list[tuple[float, float]], Meta(min_length=2, max_length=32)]
Six = tuple[float, float, float, float, float, float]
SixBySix = tuple[Six, Six, Six, Six, Six, Six]


class AnyLine(AnyForce):
    """A force along the line between two points."""

    body_a: Name
    point_a: Vector
    body_b: Name
    point_b: Vector


class NonlinearSpring(AnyLine, kw_only=True):
    """Spring by a table of (elongation [m], pull [N]), damper by (rate [m/s], pull [N])."""

    force: Table
    damping: Table | None = None
    length: float | None = None


class Rope(AnyLine, kw_only=True):
    """It pulls with stiffness x^exponent (1 + damping dx/dt) where it is longer by x than its length."""

    stiffness: float
    length: float | None = None
    damping: float = 0.0
    exponent: float = 1.0


class BumpStop(AnyLine, kw_only=True):
    """It pushes where the points are closer than its length."""

    stiffness: float
    length: float | None = None
    damping: float = 0.0
    exponent: float = 1.0


class ForceBetween(AnyLine, kw_only=True):
    """Force [N] that drives the points apart."""

    force: float | Function


class Actuator(AnyLine, kw_only=True):
    """Controller of the distance [m] of the points; limits of its force [N], times in seconds."""

    target: float | Function
    kp: float = 0.0
    ki: float = 0.0
    kd: float = 0.0
    filter: float = 0.0
    limits: tuple[float, float] | None = None
    tracking: float | None = None
    period: float | None = None
    offset: float = 0.0


class Bushing(AnyForce, kw_only=True):
    """Stiffness and damping (6x6) for (rotation, displacement); point and axes in the world as assembled."""

    body_a: Name
    body_b: Name
    point: Vector
    stiffness: SixBySix
    damping: SixBySix
    axes: Matrix


class Cable(AnyForce, kw_only=True):
    """Through points of bodies; stiffness [N/m] of the whole."""

    route: Annotated[list[tuple[Name, Vector]], Meta(min_length=2, max_length=16)]
    stiffness: float
    length: float | None = None
    damping: float = 0.0


class Belt(AnyForce, kw_only=True):
    """Around pulleys [m] on two joints; stiffness [N/m], damping [N s/m]."""

    joint_a: Name
    joint_b: Name
    radius_a: float
    radius_b: float
    stiffness: float
    damping: float = 0.0
    backlash: float = 0.0


class Drag(AnyForce, kw_only=True):
    """-coefficient [kg/m] |u| u, u the velocity of the point against the wind."""

    body: Name
    coefficient: float
    point: Vector | None = None
    wind: Vector = (0.0, 0.0, 0.0)


class Tyre(AnyForce, kw_only=True):
    """A wheel about an axis of its body, on a road through a point of the world; slip stiffnesses [N]."""

    body: Name
    radius: float
    stiffness: float
    friction: float = 1.0
    longitudinal: float | None = None
    lateral: float | None = None
    center: Vector | None = None
    axis: Vector = (0.0, 1.0, 0.0)
    damping: float = 0.0
    half_length: float = 0.0
    low_speed: float = 0.1
    road: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)


class BeamChain(AnyForce, kw_only=True):
    """Beam elements between nodes, from section frame to section frame as assembled; stiffness and damping of stretch, shear
    along y and z, torsion, bending about y and z; rest strain of each element."""

    nodes: Annotated[list[Name], Meta(min_length=2)]
    frames: Annotated[list[Pose], Meta(min_length=2)]
    stiffness: Six
    damping: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    rest_strain: list[Six]


class CentralGravity(AnyForce, kw_only=True):
    """mu [m^3/s^2] times mass over the square of the distance, towards a point of the world."""

    body: Name
    mu: float
    center: Vector = (0.0, 0.0, 0.0)


class NonlinearJointSpring(AnyJointForce, kw_only=True):
    """Spring by a table of (angle - rest, torque against it), damper by (rate, torque against it)."""

    torque: Table
    damping: Table | None = None
    rest: float = 0.0


class MotorCurve(AnyJointForce, kw_only=True):
    """Torque along the joint by its rate."""

    curve: Table


AppliedForce = (
    Basic
    | NonlinearSpring
    | Rope
    | BumpStop
    | ForceBetween
    | Actuator
    | Bushing
    | Belt
    | BeamChain
    | Cable
    | Drag
    | Tyre
    | CentralGravity
    | NonlinearJointSpring
    | MotorCurve
)
