"""Extra constraints: drivers, couplings, distances, knife edges, rolling contacts and user-defined equations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ConstraintError
from cotree.model.checks import number, shown
from cotree.model.forces import UserFunction, user_function
from cotree.model.joints import Joint, Universal

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """A constant, or a function of time with its first two derivatives where the user supplied them."""

    value: float | Callable[[float], Any]
    rate: Callable[[float], Any] | None = None
    acceleration: Callable[[float], Any] | None = None

    @property
    def constant(self) -> bool:
        return not callable(self.value)


@dataclass(frozen=True)
class Term:
    """One joint coordinate in a coupling, times its ratio; `coordinate` is None for one-DOF joints."""

    joint: str
    coordinate: str | None
    ratio: float

    @property
    def name(self) -> str:
        return self.joint if self.coordinate is None else f"{self.joint}.{self.coordinate}"


@dataclass(frozen=True)
class Coupling:
    """sum_i ratio_i q_i = motion(t): a driver when there is one term of ratio 1. One holonomic row."""

    name: str
    terms: tuple[Term, ...]
    motion: Motion
    word: str = "coupling"

    rows, holonomic = 1, (True,)


@dataclass(frozen=True)
class Distance:
    """Constant or prescribed distance of two points (None: that of the reference assembly). One holonomic row."""

    name: str
    body_a: str
    point_a: Array
    body_b: str
    point_b: Array
    length: Motion | None
    word: str = "distance"

    rows, holonomic = 1, (True,)


@dataclass(frozen=True)
class KnifeEdge:
    """The body-fixed point does not move along the body-fixed direction. One Pfaffian row."""

    name: str
    body: str
    point: Array
    direction: Array
    word: str = "knife edge"

    rows, holonomic = 1, (False,)


@dataclass(frozen=True)
class Rolling:
    """Ball (axis None) or thin disk on a plane: two Pfaffian rows, no slip, and a holonomic one, contact."""

    name: str
    body: str
    center: Array
    radius: float
    axis: Array | None
    surface: str
    plane_point: Array
    plane_normal: Array
    word: str = "rolling"

    rows, holonomic = 3, (False, False, True)


@dataclass(frozen=True, eq=False)
class Closing:
    """A joint that has closed between two bodies in addition to those of the mechanism: a dock, or the lock of a joint.

    frame_a, frame_b (4x4): the joint frame in the frames of the bodies' data. held: components of the twist in that frame
    that it constrains; None for all that the joint does not leave free. locks: the joint that it locks.
    """

    name: str
    body_a: str
    body_b: str
    joint: Joint
    frame_a: Array
    frame_b: Array
    held: tuple[int, ...] | None = None
    word: str = "dock"
    locks: str = ""

    @property
    def components(self) -> tuple[int, ...]:
        """Twist components that the rows constrain, in order."""
        if isinstance(self.joint, Universal):
            return (3, 4, 5, 0)
        return tuple(i for i in range(6) if i not in self.joint.free) if self.held is None else self.held

    @property
    def rows(self) -> int:
        return len(self.components)

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (True,) * self.rows


@dataclass(frozen=True)
class UserRows:
    """J(q, t) v = rate(q, t), with residual(q, t) when holonomic and bias(q, v, t) = J v_dot when known."""

    name: str
    rows: int
    jacobian: UserFunction
    residual: UserFunction | None
    rate: UserFunction | None
    bias: UserFunction | None
    word: str = "constraint"

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (self.residual is not None,) * self.rows


MOST_ROWS = 10_000  # of one constraint
HOLDING = ("lock", "brake", "limit")  # couplings that hold one coordinate fixed
Constraint = Coupling | Distance | KnifeEdge | Rolling | Closing | UserRows


def motion_of(value: Any, rate: Any, acceleration: Any, what: str, who: str) -> Motion:
    """A constant or a function of time."""
    for given, word in ((rate, "rate"), (acceleration, "acceleration")):
        if given is not None and not (callable(given) and callable(value)):
            raise ConstraintError(
                f"{who}: {word} must be a function of t, and is only allowed if {what} is one too; leave it out"
            )
    for given, word in ((value, what), (rate, "rate"), (acceleration, "acceleration")):
        if callable(given) and not _takes_time(given):
            raise ConstraintError(f"{who}: {word} must be a function of t alone, got {shown(given)}")
    return Motion(value, rate, acceleration) if callable(value) else Motion(number(value, what, who))


def _takes_time(function: Any) -> bool:
    """Whether a function can be called with one number; assumed where Python cannot tell."""
    try:
        inspect.signature(function).bind(0.0)
    except TypeError:
        return False
    except Exception:
        return True
    return True


def row_function(value: Any, size: int, allowed: tuple[str, ...], what: str, who: str) -> UserFunction | None:
    """A user function with its parameters by name; None stays None."""
    if value is None:
        return None
    if not callable(value):
        raise ConstraintError(f"{who}: {what} must be a function of {', '.join(allowed)}, got {shown(value)}")
    return user_function(value, size, allowed, f"{who}, {what}", ConstraintError)


def row_count(rows: Any, who: str) -> int:
    """A number of rows."""
    if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or not 1 <= rows <= MOST_ROWS:
        raise ConstraintError(
            f"{who}: rows is {shown(rows)}; give the number of constraint equations, from 1 to {MOST_ROWS}"
        )
    return int(rows)
