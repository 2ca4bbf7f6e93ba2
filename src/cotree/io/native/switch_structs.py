"""What changes the topology, in a model file: type and fields of a device are those of the method of `Mechanism` that makes
it, without its times; `actions` says in order when devices, constraints, forces and joints begin or cease to act."""

from __future__ import annotations

from typing import Literal

from cotree.io.native.fields import Function, Name, Node, Size, Vector, method_name
from cotree.io.native.force_structs import Axes
from cotree.io.native.joint_structs import Joint
from cotree.io.native.shape_structs import Surface


class AnyDevice(Node, tag_field="type", tag=method_name):
    """Base of the devices. Locks, brakes and limits that no action switches on act from the start."""


class JointDevice(AnyDevice):
    """On a joint, or on one of its coordinates; without a name it is called as "lock A"."""

    joint: Name
    coordinate: Name | None = None
    name: Name | None = None


class Lock(JointDevice):
    """Holds a joint, or one of its coordinates, where it is."""


class Brake(JointDevice, kw_only=True):
    """Dry friction: `torque` [N m or N] while it slides, up to static_ratio torque while it holds; with a coefficient, what
    the joint transmits adds to it, by the lengths [m], and a torque may be missing."""

    torque: Size | None = None
    static_ratio: float = 1.0
    viscous: float = 0.0
    stribeck: float = 0.0
    coefficient: float = 0.0
    radius: float = 0.0
    thrust_radius: float = 0.0
    span: float = 0.0


class Limit(JointDevice):
    """Stops of a joint coordinate [rad or m]; without a bound there is none on that side."""

    lower: float | None = None
    upper: float | None = None
    restitution: float = 0.0


class Dock(AnyDevice):
    """A joint, written as those in `joints`, that is open until its frames meet: at their closest approach, if that is
    within a tolerance [m and rad], or by an action."""

    joint: Joint
    within: Size = 1e-3


class Impulse(AnyDevice):
    """A blow on a body: impulse [N s] at a body-fixed point, the mass centre by default, and moment [N m s]."""

    name: Name
    body: Name
    impulse: Vector = (0.0, 0.0, 0.0)
    point: Vector | None = None
    moment: Vector = (0.0, 0.0, 0.0)
    frame: Axes = "world"


class JointImpulse(AnyDevice):
    """A blow along a joint coordinate [N m s or N s]."""

    name: Name
    joint: Name
    impulse: float
    coordinate: Name | None = None


class Breaks(AnyDevice):
    """A joint, constraint, lock or dock that gives way where it carries a force [N] or a moment [N m]."""

    target: Name
    force: Size | None = None
    moment: Size | None = None
    name: Name | None = None


class Contact(AnyDevice):
    """Two shapes that may touch, in the frames of their bodies' data."""

    name: Name
    body_a: Name
    shape_a: Surface
    body_b: Name
    shape_b: Surface
    friction: float = 0.0
    restitution: float = 0.0
    static_friction: float | None = None


class Action(Node, omit_defaults=True):
    """Something begins (on) or ceases to act: a device, a constraint, a motor or load, or a joint that is dropped. At a time
    [s], or when a function of t, q, v changes its sign, with a direction only as it rises (1) or falls (-1); a device that is
    given neither acts from the start."""

    target: Name
    on: bool = True
    at: float | None = None
    when: Function | None = None
    direction: Literal[-1, 0, 1] = 0


Device = Lock | Brake | Limit | Dock | Impulse | JointImpulse | Breaks | Contact
