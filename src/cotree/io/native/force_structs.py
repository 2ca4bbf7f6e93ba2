"""Forces in a model file: type and fields are those of the method of `Mechanism` that makes them."""

from __future__ import annotations

from typing import Literal

from cotree.io.native.fields import Function, Name, Node, Vector, method_name

Axes = Literal["world", "body"]


class AnyForce(Node, tag_field="type", tag=method_name):
    """Base of the forces."""

    name: Name


class Spring(AnyForce):
    """Spring [N/m] and damper [N s/m] between two points; without a length relaxed as assembled."""

    body_a: Name
    point_a: Vector
    body_b: Name
    point_b: Vector
    stiffness: float
    length: float | None = None
    damping: float = 0.0


class Force(AnyForce):
    """Force [N] at a body-fixed point, the mass centre by default."""

    body: Name
    force: Vector | Function
    point: Vector | None = None
    frame: Axes = "world"


class Torque(AnyForce):
    """Moment [N m] on a body."""

    body: Name
    moment: Vector | Function
    frame: Axes = "world"


class AnyJointForce(AnyForce):
    """A force along one coordinate, named where the joint has several."""

    joint: Name
    coordinate: Name | None = None


class JointSpring(AnyJointForce, kw_only=True):
    """-stiffness (q - rest)."""

    stiffness: float
    rest: float = 0.0


class JointDamper(AnyJointForce, kw_only=True):
    """-damping v."""

    damping: float


class JointInertia(AnyJointForce, kw_only=True):
    """Rotor [kg m^2, or kg] that turns `ratio` times as fast as the joint."""

    inertia: float
    ratio: float = 1.0


class Motor(AnyJointForce, kw_only=True):
    """Torque [N m] or force [N]."""

    torque: float | Function


class Pid(AnyJointForce, kw_only=True):
    """Controller of the joint's angle [rad] or displacement [m]; limits of its output, times in seconds."""

    target: float | Function
    kp: float = 0.0
    ki: float = 0.0
    kd: float = 0.0
    filter: float = 0.0
    limits: tuple[float, float] | None = None
    tracking: float | None = None
    period: float | None = None
    offset: float = 0.0


AppliedForce = Spring | Force | Torque | JointSpring | JointDamper | JointInertia | Motor | Pid
