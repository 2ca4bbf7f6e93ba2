"""The joint catalogue, Geo Tables 1 and 2.

Points and axes are world-frame data of the reference assembly. With `frame_parent` or `frame_child` (4x4 poses of the
joint frame in the body's own frame, the S matrices of Geo (3)) they are read in the joint frame instead, whose third
axis is the default. Each class gives its joint frame and its screws in that frame; e3 is the joint axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cotree._keywords import parameters, unknown_keyword
from cotree.errors import AxisError, CoordinatesError
from cotree.model.checks import nonzero, number, rigid, shown, triple, unit, units
from cotree.typing import ABSENT, OptionalPose, OptionalTriple, Triple

Array = NDArray[np.float64]

GROUP, FIRST, SECOND, QUATERNION, CAYLEY = "group", "first", "second", "quaternion", "cayley"
TWIST_NAMES = ("wx", "wy", "wz", "vx", "vy", "vz")


@dataclass(frozen=True)
class Joint:
    """Base: placement and choice of coordinates.

    coordinates: "auto", "group" (coordinate-free: the group element itself), "second" (a product of one-dof motions),
    "first" (one exponential), "cayley", or "quaternion" (the group element as four plain numbers).
    """

    frame_parent: OptionalPose = field(default=ABSENT, kw_only=True)
    frame_child: OptionalPose = field(default=ABSENT, kw_only=True)
    coordinates: str = field(default="auto", kw_only=True)

    places: ClassVar[tuple[str, ...]] = ()  # fields that are three numbers: points and directions
    free: ClassVar[tuple[int, ...]] = ()  # free components of the twist (w1 w2 w3 v1 v2 v3)
    kinds: ClassVar[tuple[str, ...]] = (GROUP,)
    floats: ClassVar[bool] = False  # it constrains nothing: the reference assembly is not a special zero
    slides: ClassVar[bool] = False  # its only coordinate is a length
    along_body: ClassVar[bool] = False  # its frame has no axes of its own and takes those of the child

    def __new__(cls, *given: Any, **named: Any) -> Self:
        unknown = [name for name in named if name not in cls.__dataclass_fields__]
        if unknown:  # perhaps of an __init__ that the user wrote
            known = parameters(cls)
            if unknown[0] not in known:
                raise unknown_keyword(cls.__name__, unknown[0], known)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        who = type(self).__name__
        if not isinstance(self.coordinates, str) or self.coordinates not in ("auto", *self.kinds):
            raise CoordinatesError(
                f"{who} has no coordinates {shown(self.coordinates)}; choose one of {', '.join(map(repr, self.kinds))}"
            )
        for side in ("frame_parent", "frame_child"):
            if getattr(self, side) is not None:
                object.__setattr__(self, side, rigid(getattr(self, side), side, who))
        for what in self.places:  # copied: the user's arrays may change later
            given = getattr(self, what)
            if given is not None or getattr(type(self), what) is not None:  # None is refused unless it is the default
                object.__setattr__(self, what, triple(given, what, who))
        self.check()

    def check(self) -> None:
        """Raise if the points and directions do not define a joint frame."""
        self.frame()

    @property
    def dof(self) -> int:
        return len(self.free)

    @property
    def held(self) -> tuple[int, ...]:
        """Components of the twist behind the rows of the joint where it is cut, in their order."""
        return tuple(i for i in range(6) if i not in self.free)

    @property
    def moving(self) -> tuple[int, ...]:
        """Components of the twist in the joint frame that its motions have."""
        return self.free

    @property
    def advance(self) -> float:
        """Metres of travel along e3 for a radian about it."""
        return 0.0

    @property
    def crossed(self) -> tuple[Array, Array] | None:
        """For a joint that turns about two axes, which is not a group: the axis on the parent and that on the child, in the
        joint frame."""
        return None

    def turns_along(self, coordinate: str | None) -> bool:
        """Whether a coordinate, None for the only one, is an angle."""
        k = 0 if coordinate is None else self.coordinate_names().index("." + coordinate)
        return bool(self.screws()[:3, k].any())

    @property
    def kind(self) -> str:
        """The coordinates in use."""
        return self.kinds[0] if self.coordinates == "auto" else self.coordinates

    def frame(self) -> Array:
        """Pose of the joint frame as described (in the world, or in the given frames)."""
        return np.eye(4)

    @classmethod
    def frames(cls, joints: Sequence[Any]) -> Array:
        """Frames of many joints of this class, (n, 4, 4)."""
        return np.array([joint.frame() for joint in joints])

    def screws(self) -> Array:
        """Screws of the motion in the joint frame, one per column."""
        return np.eye(6)[:, list(self.free)]

    @classmethod
    def screws_of(cls, joints: Sequence[Joint]) -> Array:
        """Screws of many joints of this class, (n, 6, dof); most are the same for all."""
        if cls.screws is Joint.screws:
            return np.broadcast_to(joints[0].screws(), (len(joints), 6, joints[0].dof))
        return np.array([joint.screws() for joint in joints])

    def coordinate_names(self) -> list[str]:
        """One suffix per velocity coordinate; none for one-DOF joints."""
        if self.dof == 1:
            return [""]
        if self.kind in (FIRST, SECOND, CAYLEY):
            return [f".q{i + 1}" for i in range(self.dof)]
        return ["." + TWIST_NAMES[i] for i in self.free]


MULTI = (GROUP, SECOND, FIRST, CAYLEY)
ROTATIONAL = (GROUP, QUATERNION, SECOND, FIRST, CAYLEY)
ORIGIN: Any = (0.0, 0.0, 0.0)  # Any: defaults of fields that take any three numbers
E1: Any = (1.0, 0.0, 0.0)
E2: Any = (0.0, 1.0, 0.0)
E3: Any = (0.0, 0.0, 1.0)


def axis_frame(point: Array, axis: Array, x_axis: Array | None = None) -> Array:
    """Frame at `point` whose third axis is `axis`; the first along `x_axis`, or by the shortest rotation from the world frame.

    Points and unit axes (..., 3) give frames (..., 4, 4).
    """
    C = np.zeros((*np.shape(axis)[:-1], 4, 4))
    C[..., :3, 3], C[..., 3, 3] = point, 1.0
    if x_axis is not None:
        e1 = x_axis - axis * (axis @ x_axis)
        e1 = e1 / np.linalg.norm(e1)
        C[:3, :3] = np.column_stack([e1, np.cross(axis, e1), axis])
        return C
    up = np.where(axis[..., 2] >= 0.0, 1.0, -1.0)  # axes that point down are turned up about e1, and back
    x, y, z = axis[..., 0], up * axis[..., 1], up * axis[..., 2]
    k = 1.0 / (1.0 + z)
    C[..., 0, 0], C[..., 0, 1], C[..., 0, 2] = 1 - k * x * x, -k * x * y, x
    C[..., 1, 0], C[..., 1, 1], C[..., 1, 2] = up * (-k * x * y), up * (1 - k * y * y), up * y
    C[..., 2, 0], C[..., 2, 1], C[..., 2, 2] = up * -x, up * -y, up * z
    return C


class _OnAxis(Joint):
    """Joints whose frame is defined by a point and an axis."""

    point: Triple
    axis: Triple
    places = ("point", "axis")

    def check(self) -> None:
        nonzero(self.axis, "axis", type(self).__name__)

    def frame(self) -> Array:
        return self.frames([self])[0]

    @classmethod
    def frames(cls, joints: Sequence[Any]) -> Array:
        return axis_frame(np.array([j.point for j in joints]), units(np.array([j.axis for j in joints])))


@dataclass(frozen=True)
class _Axial(_OnAxis):
    """The same, with the point as first argument."""

    point: Triple = ORIGIN
    axis: Triple = E3


@dataclass(frozen=True)
class Revolute(_Axial):
    """Rotation about an axis.

    Parameters
    ----------
    point : array_like of shape (3,), optional
        A point of the axis, in the world as assembled.
    axis : array_like of shape (3,), optional
        Direction of the axis, of any length.
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Revolute(point=(1, 0, 0), axis=(0, 0, 1)).dof
    1
    """

    free = (2,)


class _AxisFirst(_OnAxis):
    """Joints with the axis as first argument; since other joints take the point first, two positional vectors are refused."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        if len(given) > 1:
            name = cls.__name__
            raise AxisError(
                f"{name} takes one positional vector, the axis; use keywords, as in ct.{name}(axis=(1, 0, 0), "
                "point=(0, 0, 0)), since its order differs from that of other joints"
            )
        return super().__new__(cls, *given, **named)


@dataclass(frozen=True)
class Prismatic(_AxisFirst):
    """Translation along an axis.

    Parameters
    ----------
    axis : array_like of shape (3,), optional
        Direction of the axis, of any length.
    point : array_like of shape (3,), optional
        A point of the axis, in the world as assembled.
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Prismatic(axis=(1, 0, 0)).dof
    1
    """

    axis: Triple = E3
    point: Triple = ORIGIN
    free = (5,)
    slides = True


@dataclass(frozen=True)
class Helical(_Axial):
    """Screw motion about an axis.

    Parameters
    ----------
    point : array_like of shape (3,), optional
        A point of the axis, in the world as assembled.
    axis : array_like of shape (3,), optional
        Direction of the axis, of any length.
    pitch : float, optional
        Travel along the axis [m/rad].
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Helical(pitch=0.002).pitch
    0.002
    """

    pitch: float = 0.0
    free = (2,)

    def __post_init__(self) -> None:
        number(self.pitch, "pitch", "Helical")
        super().__post_init__()

    @property
    def advance(self) -> float:
        return float(self.pitch)

    def screws(self) -> Array:
        Z = np.zeros((6, 1))
        Z[2], Z[5] = 1.0, float(self.pitch)
        return Z


@dataclass(frozen=True)
class Cylindrical(_Axial):
    """Rotation about and translation along one axis.

    Parameters
    ----------
    point : array_like of shape (3,), optional
        A point of the axis, in the world as assembled.
    axis : array_like of shape (3,), optional
        Direction of the axis, of any length.
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Cylindrical().coordinate_names()
    ['.wz', '.vz']
    """

    free = (2, 5)
    kinds = MULTI


@dataclass(frozen=True)
class Universal(Joint):
    """Two successive rotations about axes that meet.

    Parameters
    ----------
    point : array_like of shape (3,), optional
        Where the axes meet, in the world as assembled.
    axis1 : array_like of shape (3,), optional
        First axis, fixed on the parent.
    axis2 : array_like of shape (3,), optional
        Second axis, fixed on the child.
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Universal().dof
    2
    """

    point: Triple = ORIGIN
    axis1: Triple = E1
    axis2: Triple = E2
    places = ("point", "axis1", "axis2")
    free = (0, 1)
    kinds = (SECOND,)

    def frame(self) -> Array:
        """First axis along axis1, third along axis1 x axis2."""
        a, b = unit(self.axis1, "axis1", "Universal"), unit(self.axis2, "axis2", "Universal")
        normal = np.cross(a, b)
        if np.linalg.norm(normal) < 1e-6:
            raise AxisError("Universal: axis1 and axis2 are parallel; the two rotations must differ")
        return axis_frame(np.array(self.point), normal / np.linalg.norm(normal), a)

    def screws(self) -> Array:
        R = self.frame()[:3, :3]
        Z = np.zeros((6, 2))
        Z[0, 0] = 1.0
        Z[:3, 1] = R.T @ unit(self.axis2, "axis2", "Universal")
        return Z

    @property
    def held(self) -> tuple[int, ...]:
        """The point, and the turn about the normal of the two axes."""
        return (3, 4, 5, 0)

    @property
    def moving(self) -> tuple[int, ...]:
        return (0, 1, 2)

    @property
    def crossed(self) -> tuple[Array, Array]:
        Z = self.screws()
        return Z[:3, 0], Z[:3, 1]

    def coordinate_names(self) -> list[str]:
        return [".w1", ".w2"]


@dataclass(frozen=True)
class Spherical(Joint):
    """Rotation about a point.

    Parameters
    ----------
    point : array_like of shape (3,), optional
        The centre, in the world as assembled.
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Spherical().dof
    3
    """

    point: Triple = ORIGIN
    places = ("point",)
    along_body = True
    free = (0, 1, 2)
    kinds = ROTATIONAL

    def frame(self) -> Array:
        C = np.eye(4)
        C[:3, 3] = self.point
        return C


@dataclass(frozen=True)
class Planar(Joint):
    """Motion in a plane: two translations and the rotation about the normal.

    Parameters
    ----------
    point : array_like of shape (3,), optional
        Point about which the child rotates.
    normal : array_like of shape (3,), optional
        Normal of the plane, of any length.
    x_axis : array_like of shape (3,), optional
        Direction of the first translation.
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Planar().dof
    3
    """

    point: Triple = ORIGIN
    normal: Triple = E3
    x_axis: OptionalTriple = ABSENT
    places = ("point", "normal", "x_axis")
    free = (2, 3, 4)
    kinds = MULTI

    def frame(self) -> Array:
        return _plane_frame(self, self.point, self.normal, self.x_axis)


@dataclass(frozen=True)
class PlanarTranslation(Joint):
    """Two translations in a plane.

    Parameters
    ----------
    normal : array_like of shape (3,), optional
        Normal of the plane, of any length.
    x_axis : array_like of shape (3,), optional
        Direction of the first translation.
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.PlanarTranslation().dof
    2
    """

    normal: Triple = E3
    x_axis: OptionalTriple = ABSENT
    places = ("normal", "x_axis")
    free = (3, 4)
    kinds = MULTI

    def frame(self) -> Array:
        return _plane_frame(self, ORIGIN, self.normal, self.x_axis)


@dataclass(frozen=True)
class Translation(Joint):
    """Three translations.

    Parameters
    ----------
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Translation().coordinate_names()
    ['.vx', '.vy', '.vz']
    """

    along_body = True
    free = (3, 4, 5)
    kinds = MULTI


@dataclass(frozen=True)
class Schoenflies(_AxisFirst):
    """All translations and the rotation about one direction.

    Parameters
    ----------
    axis : array_like of shape (3,), optional
        The direction, of any length.
    point : array_like of shape (3,), optional
        Point about which the child rotates.
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Schoenflies().dof
    4
    """

    axis: Triple = E3
    point: Triple = ORIGIN
    free = (2, 3, 4, 5)
    kinds = MULTI


@dataclass(frozen=True)
class Free(Joint):
    """Free motion: all six degrees of freedom of the child relative to the parent.

    Parameters
    ----------
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Free().dof
    6
    """

    floats = True
    free = (0, 1, 2, 3, 4, 5)
    kinds = ROTATIONAL


@dataclass(frozen=True)
class Weld(Joint):
    """No motion: the two bodies move as one.

    Parameters
    ----------
    frame_parent : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the parent, for descriptions with joint
        frames.
    frame_child : array_like of shape (4, 4), optional
        Pose of the joint frame in the frame of the child.
    coordinates : str, optional
        Parameters of motions with several degrees of freedom: "auto", or one of the kinds
        that an error lists.

    Examples
    --------
    >>> ct.Weld().dof
    0
    """


def _plane_frame(joint: Joint, point: Any, normal: Any, x_axis: Any) -> Array:
    who = type(joint).__name__
    p, n = np.array(point), unit(normal, "normal", who)
    if x_axis is None:
        return axis_frame(p, n)
    e = unit(x_axis, "x_axis", who)
    if np.linalg.norm(np.cross(n, e)) < 1e-6:
        raise AxisError(f"{who}: x_axis is parallel to the normal; choose a direction in the plane")
    return axis_frame(p, n, e)


# Free components that form a group, as the rows of a cut joint assume: translations; rotations about the third or all axes.
SHIFTS = ((), (3,), (4,), (5,), (3, 4), (3, 5), (4, 5), (3, 4, 5))
GROUPS = {frozenset(t) for t in (*SHIFTS, (2,), (2, 5), (2, 3, 4), (2, 3, 4, 5), range(3), range(6))}


def closes_loops(joint: Joint) -> bool:
    """Whether a loop may be cut at the joint: constraint equations exist for the motions of the catalogue only."""
    kind = type(joint)
    for known in (Helical, Universal):
        if isinstance(joint, known):
            return kind.screws is known.screws and joint.free == known.free
    return kind.screws is Joint.screws and frozenset(joint.free) in GROUPS
