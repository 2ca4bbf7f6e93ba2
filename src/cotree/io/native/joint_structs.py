"""The joint catalogue in a model file: names and fields are those of `cotree.model.joints`."""

from __future__ import annotations

from typing import Literal

from cotree.io.native.fields import Name, Node, Pose, Vector

ORIGIN: Vector = (0.0, 0.0, 0.0)
X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)


class AnyJoint(Node, tag_field="type", tag=True):
    """A joint from `parent` to `child`; frames: poses of the joint frame in the frames of the two bodies' data."""

    name: Name
    parent: Name
    child: Name
    frame_parent: Pose | None = None
    frame_child: Pose | None = None
    coordinates: Literal["auto", "group", "second", "first", "cayley", "quaternion"] = "auto"


class Revolute(AnyJoint):
    """Rotation about an axis."""

    point: Vector = ORIGIN
    axis: Vector = Z


class Prismatic(AnyJoint):
    """Translation along an axis."""

    axis: Vector = Z
    point: Vector = ORIGIN


class Helical(AnyJoint):
    """Screw motion; pitch in metres per radian."""

    point: Vector = ORIGIN
    axis: Vector = Z
    pitch: float = 0.0


class Cylindrical(AnyJoint):
    """Rotation about and translation along one axis."""

    point: Vector = ORIGIN
    axis: Vector = Z


class Universal(AnyJoint):
    """Rotations about axis1, fixed on the parent, then about axis2, fixed on the child."""

    point: Vector = ORIGIN
    axis1: Vector = X
    axis2: Vector = Y


class Spherical(AnyJoint):
    """Rotation about a point."""

    point: Vector = ORIGIN


class Planar(AnyJoint):
    """Rotation about the normal and two translations, the first along x_axis."""

    point: Vector = ORIGIN
    normal: Vector = Z
    x_axis: Vector | None = None


class PlanarTranslation(AnyJoint):
    """Two translations normal to `normal`, the first along x_axis."""

    normal: Vector = Z
    x_axis: Vector | None = None


class Translation(AnyJoint):
    """Three translations."""


class Schoenflies(AnyJoint):
    """All translations and the rotation about one direction."""

    axis: Vector = Z
    point: Vector = ORIGIN


class Free(AnyJoint):
    """No constraint."""


class Weld(AnyJoint):
    """No motion."""


Joint = (
    Revolute | Prismatic | Helical | Cylindrical | Universal | Spherical | Planar | PlanarTranslation | Translation
    | Schoenflies | Free | Weld
)  # fmt: skip
