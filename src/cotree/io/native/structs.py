"""A model file as typed structures: one document holds everything that a `Mechanism` does."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from cotree.io.native.constraint_structs import OtherConstraint
from cotree.io.native.element_structs import AppliedForce
from cotree.io.native.fields import Mass, Name, Node, Pose, Size, Vector
from cotree.io.native.joint_structs import Joint
from cotree.io.native.shape_structs import Shape
from cotree.io.native.switch_structs import Action, Device

VERSION = 1  # of the format; a file of a later one is refused

Inertia = Annotated[list[float | Vector], Meta(min_length=3, max_length=3)]  # diagonal, or three rows


class Body(Node):
    """A rigid body: mass [kg], mass centre [m], inertia about it [kg m^2], in the world frame as assembled.

    With a pose (4x4 by rows) its data are in the frame that it places, with "joints" in one that follows from the joint
    frames. A shape, or several, and a density [kg/m^3] may stand in for mass, com and inertia. inertia_about "com" confirms
    an inertia that would be warned of.
    """

    name: Name
    mass: Mass | None = None
    com: Vector | None = None
    inertia: Inertia | None = None
    pose: Pose | Literal["joints"] | None = None
    shape: Shape | Annotated[list[Shape], Meta(min_length=1)] | None = None
    density: Size | None = None
    inertia_about: Literal["com"] | None = None


class Floor(Node):
    """The floor of pictures: a plane through a point, horizontal unless a normal is given; shown=false: none."""

    point: Vector = (0.0, 0.0, 0.0)
    normal: Vector | None = None
    shown: bool = True


class Trace(Node):
    """The path of a body-fixed point, drawn in pictures."""

    name: Name
    body: Name
    point: Vector
    color: Name | None = None


class End(Node):
    """Nothing: that it is there shows that the file has not been cut off."""


class Document(Node):
    """A mechanism, described once in the world frame as assembled. SI units, radians."""

    version: int
    last_key: Literal["end"] | UnsetType = UNSET  # that `end` stands at the end: a file that lacks it was cut off
    schema: str | None = field(default=None, name="$schema")  # for editors
    name: str = ""
    gravity: Vector = (0.0, 0.0, -9.81)
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    forces: list[AppliedForce] = field(default_factory=list)
    constraints: list[OtherConstraint] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    floor: Floor | None = None  # this and the next two are for pictures only
    scenery: list[Shape] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    preferred_cut: list[Name] = field(default_factory=list)  # joints to cut by default
    notes: list[str] = field(default_factory=list)  # what another file said that a mechanism does not
    q_start: list[float] | None = None
    v_start: list[float] | None = None
    end: End | None = None  # what `last_key` announces
