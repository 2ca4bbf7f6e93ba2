"""Extra constraints: drivers, couplings, distances, knife edges, rolling contacts and user-defined equations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ConstraintError
from cotree.model.checks import number, shown
from cotree.model.forces import UserFunction, user_function
from cotree.model.joints import Joint
from cotree.model.time_laws import Integral, Polynomial, TimeLaw

Array = NDArray[np.float64]
LINEAR, ANGULAR = "linear momentum", "angular momentum"


class Constraint:
    """Base of the descriptions: what the rest of the package asks of any of them. How its rows are computed is defined by the
    kind of row that is registered for its class (`cotree.system.row_kinds`)."""

    if TYPE_CHECKING:

        @property
        def name(self) -> str: ...

        @property
        def word(self) -> str:
            """What it is called in messages."""

        @property
        def rows(self) -> int: ...

        @property
        def holonomic(self) -> tuple[bool, ...]:
            """For each row whether it holds positions, and not just velocities."""

    terms: tuple[Term, ...] = ()  # joint coordinates that it holds, where it is a sum of such
    in_python = False  # its rows are user functions
    holds = False  # it keeps one coordinate where it is
    locks = ""  # joint that it keeps as it is
    adjusts = False  # its prescribed value is shifted to the current one when it is switched on

    @property
    def bodies(self) -> tuple[str, ...]:
        """Bodies that it acts on, ground included where it acts on ground."""
        return ()

    @property
    def drives(self) -> bool:
        """Whether it prescribes a motion, or may do so."""
        return False

    def lengths(self, joints: Mapping[str, Any]) -> list[bool]:
        """For each row whether it is in metres; joints: the mechanism's, by name."""
        return [True] * self.rows

    def functions(self) -> Iterator[tuple[str, Any]]:
        """Its user functions, each with the name of the argument that it was given as."""
        return iter(())

    def shifted(self, offset: float) -> Constraint:
        """The same where it asks for so much more."""
        return self

    def off(self, gap: float, joints: Mapping[str, Any]) -> tuple[str, str]:
        """What is wrong when it is off by a gap, and what could be done, in words."""
        unit = "m" if all(self.lengths(joints)) else ""
        return f"it is off by {gap:+.6g} {unit}".rstrip(), "change what it asks for"


@dataclass(frozen=True)
class Motion:
    """A constant, a law over time, or a function of time with its first two derivatives where the user supplied them."""

    value: float | TimeLaw | Callable[[float], Any]
    rate: Callable[[float], Any] | None = None
    acceleration: Callable[[float], Any] | None = None
    speed: float = 0.0  # of a constant row of velocities: what it is equal to

    @property
    def constant(self) -> bool:
        return not callable(self.value)

    @property
    def in_python(self) -> bool:
        """Whether it is a function in Python."""
        return callable(self.value) and not isinstance(self.value, TimeLaw)

    def shifted(self, offset: float) -> Motion:
        """The same, larger by a number."""
        value = self.value
        if isinstance(value, TimeLaw):
            return Motion(value + offset)
        if not callable(value):
            return Motion(value + offset)
        return Motion(lambda t: value(t) + offset, self.rate, self.acceleration)

    def functions(self, which: str) -> Iterator[tuple[str, Any]]:
        """Those of its parts that are functions; `which`: the name of its value."""
        parts = ((which, self.value), ("rate", self.rate), ("acceleration", self.acceleration))
        return ((part, x) for part, x in parts if callable(x) and self.in_python)


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
class Coupling(Constraint):
    """sum_i ratio_i q_i = motion(t): a driver when there is one term of ratio 1. One holonomic row."""

    name: str
    terms: tuple[Term, ...] = field()  # no default, though the base has one
    motion: Motion = field()
    word: str = "coupling"

    rows, holonomic = 1, (True,)

    @property
    def holds(self) -> bool:  # type: ignore[override]
        return self.word in HOLDING

    @property
    def adjusts(self) -> bool:  # type: ignore[override]
        return self.word != "drive"

    @property
    def drives(self) -> bool:
        return len(self.terms) == 1 or not self.motion.constant

    def lengths(self, joints: Mapping[str, Any]) -> list[bool]:
        """Those of sliding joints alone."""
        return [all(joints[term.joint].joint.slides for term in self.terms)]

    def functions(self) -> Iterator[tuple[str, Any]]:
        return self.motion.functions("motion" if self.word == "drive" else "offset")

    def shifted(self, offset: float) -> Constraint:
        return replace(self, motion=self.motion.shifted(offset))

    def off(self, gap: float, joints: Mapping[str, Any]) -> tuple[str, str]:
        joint, term = joints[self.terms[0].joint].joint, self.terms[0]
        unit = "rad" if joint.turns_along(term.coordinate) else "m"
        what = f"joint {term.name!r} is {gap:+.6g} {unit} away from the prescribed motion"
        return what, "prescribe a motion that starts at the current position, or use a motor"


@dataclass(frozen=True)
class Distance(Constraint):
    """Constant or prescribed distance of two points (None: that of the reference assembly). One holonomic row."""

    name: str
    body_a: str
    point_a: Array
    body_b: str
    point_b: Array
    length: Motion | None
    word: str = "distance"

    rows, holonomic = 1, (True,)

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.body_a, self.body_b

    @property
    def drives(self) -> bool:
        return self.length is not None and not self.length.constant

    def functions(self) -> Iterator[tuple[str, Any]]:
        return iter(()) if self.length is None else self.length.functions("length")

    def off(self, gap: float, joints: Mapping[str, Any]) -> tuple[str, str]:
        what = f"the points are {gap:+.6g} m away from the prescribed distance"
        return what, "prescribe the current length, or use a spring"


@dataclass(frozen=True)
class KnifeEdge(Constraint):
    """The body-fixed point does not move along the body-fixed direction. One Pfaffian row."""

    name: str
    body: str
    point: Array
    direction: Array
    word: str = "knife edge"

    rows, holonomic = 1, (False,)

    @property
    def bodies(self) -> tuple[str, ...]:
        return "ground", self.body


@dataclass(frozen=True)
class Conserve(Constraint):
    """The momentum of all bodies along a world axis is a number: linear, or angular about their common mass centre. One
    Pfaffian row."""

    name: str
    quantity: str
    axis: Array
    value: float
    word: str = "conserved quantity"

    rows, holonomic = 1, (False,)

    def lengths(self, joints: Mapping[str, Any]) -> list[bool]:
        return [self.quantity == LINEAR]


@dataclass(frozen=True)
class Rolling(Constraint):
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

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.surface, self.body

    def off(self, gap: float, joints: Mapping[str, Any]) -> tuple[str, str]:
        return f"body {self.body!r} is {gap:+.6g} m away from contact with the plane", "let it reach the plane first"


@dataclass(frozen=True, eq=False)
class Closing(Constraint):
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
        return self.joint.held if self.held is None else self.held

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.body_a, self.body_b

    def lengths(self, joints: Mapping[str, Any]) -> list[bool]:
        return [i >= 3 for i in self.components]

    @property
    def rows(self) -> int:
        return len(self.components)

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (True,) * self.rows


@dataclass(frozen=True)
class UserRows(Constraint):
    """J(q, t) v = rate(q, t), with residual(q, t) when holonomic and bias(q, v, t) = J v_dot when known."""

    name: str
    rows: int
    jacobian: UserFunction
    residual: UserFunction | None
    rate: UserFunction | None
    bias: UserFunction | None
    word: str = "constraint"

    in_python = drives = True

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (self.residual is not None,) * self.rows

    def lengths(self, joints: Mapping[str, Any]) -> list[bool]:
        return [False] * self.rows

    def functions(self) -> Iterator[tuple[str, Any]]:
        named = ((which, getattr(self, which)) for which in ("jacobian", "residual", "rate", "bias"))
        return ((which, f.function) for which, f in named if f is not None)

    def off(self, gap: float, joints: Mapping[str, Any]) -> tuple[str, str]:
        return f"its residual is {gap:+.6g}", "shift its residual by that amount"


MOST_ROWS = 10_000  # of one constraint
HOLDING = ("lock", "brake", "limit")  # couplings that hold one coordinate fixed


def motion_of(value: Any, rate: Any, acceleration: Any, what: str, who: str) -> Motion:
    """A constant, a law over time, or a function of time."""
    if isinstance(value, TimeLaw) or isinstance(rate, TimeLaw) or (rate is not None and not callable(rate)):
        return _motion_by_numbers(value, rate, acceleration, what, who)
    for given, word in ((rate, "rate"), (acceleration, "acceleration")):
        if given is not None and not (callable(given) and callable(value)):
            raise ConstraintError(
                f"{who}: {word} must be a function of t, and is only allowed if {what} is one too; leave it out"
            )
    for given, word in ((value, what), (rate, "rate"), (acceleration, "acceleration")):
        if callable(given) and not _takes_time(given):
            raise ConstraintError(f"{who}: {word} must be a function of t alone, got {shown(given)}")
    return Motion(value, rate, acceleration) if callable(value) else Motion(number(value, what, who))


def _motion_by_numbers(value: Any, rate: Any, acceleration: Any, what: str, who: str) -> Motion:
    """A motion by a law, or by a start and the law of its rate. It has a speed at every instant: jumps are refused."""
    if acceleration is not None or (rate is not None and callable(value)):
        raise ConstraintError(
            f"{who}: the derivatives of a law over time are known; give {what}, or a number as {what} and a law or a number as "
            "rate"
        )
    law = value
    if rate is not None:
        given = rate if isinstance(rate, TimeLaw) else Polynomial((number(rate, "rate", who),))
        law = Integral(given, number(value, what, who))
    for order, word in enumerate(("value", "speed")):
        jump = law.first_jump(order)
        if jump is not None:
            raise ConstraintError(
                f"{who}: its {word} jumps by {jump[1]:.6g} at t = {jump[0]:.6g} s, which no finite force can do; give it time, "
                "as ct.Trapezoid, ct.Table or ct.Steps with a rise do"
            )
    return Motion(law)


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
