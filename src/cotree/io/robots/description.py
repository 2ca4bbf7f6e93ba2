"""A robot as such files describe it: links with frames, joints between frames on them, and what goes with the joints."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cotree.io.xml.elements import shown

Array = NDArray[np.float64]
GROUND = "ground"
FAR = 1e6  # rad or m: limits from here on are none


@dataclass(frozen=True)
class Limit:
    """Range of a joint [rad or m], largest effort [N m or N] and speed; None where the file gives none."""

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True)
class Mimic:
    """q = multiplier q_joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Geometry:
    """One visual or collision: box (edges), cylinder or capsule (radius, length), sphere (radius), mesh (scale); origin in the
    link; friction: of a collision, where the file names it."""

    role: str
    kind: str
    numbers: tuple[float, ...]
    origin: Array
    reference: str = ""  # of a mesh, as written
    rgba: tuple[float, ...] | None = None  # colour and opacity, each from 0 to 1
    friction: float | None = None


@dataclass(frozen=True)
class Link:
    """Mass [kg], mass centre [m] and inertia about it [kg m^2] in the link's frame; zero where the file gives none."""

    name: str
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    geometry: tuple[Geometry, ...] = ()


@dataclass(frozen=True)
class Joint:
    """A joint between a frame on the parent and one on the child (4x4 in the links' frames); axes in these frames.

    closes: it closes a loop, and its two frames need not meet as drawn. Stiffness about `rest`, damping and friction as
    the file has them.
    """

    name: str
    kind: str
    parent: str
    child: str
    on_parent: Array
    on_child: Array
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    axis2: tuple[float, ...] = (0.0, 1.0, 0.0)
    pitch: float = 0.0  # metres per radian
    closes: bool = False
    limit: Limit = Limit()
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    rotor: float = 0.0  # inertia, which turns `gear` times as fast as the joint
    gear: float = 1.0
    mimic: Mimic | None = None

    @property
    def who(self) -> str:
        return f"joint {shown(self.name)}"


@dataclass(frozen=True)
class Gearbox:
    """Two wheels on one body: angle of b = -ratio times the angle of a, both against the body, about the two axes (world)."""

    name: str
    body: str
    wheel_a: str
    wheel_b: str
    axis_a: Array
    axis_b: Array
    ratio: float


@dataclass(frozen=True)
class Robot:
    """Links and joints by name, ground among them as "ground"; poses: of the links in the world as the file draws them.

    roots: links that stand for a part of the robot which no joint leads to from ground. motors: joints that the file names
    as driven. unread: tags of what else is in the file.
    """

    name: str
    links: dict[str, Link]
    joints: dict[str, Joint]
    poses: dict[str, Array]
    roots: tuple[str, ...] = ()
    gearboxes: tuple[Gearbox, ...] = ()
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    motors: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def closing(self) -> tuple[str, ...]:
        """Joints told to close loops, and those to a child that another joint leads to already."""
        found, seen = [], set[str]()
        for name, joint in self.joints.items():
            if joint.closes or joint.child in seen:
                found.append(name)
            else:
                seen.add(joint.child)
        return tuple(found)
