"""Force elements: inert descriptions of springs, applied wrenches and joint torques."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ForceError, ModelError
from cotree.model.checks import array, fixed, number, shown
from cotree.model.law import Law
from cotree.model.time_laws import Components, TimeLaw, as_components, laws_in

Array = NDArray[np.float64]

ARGUMENTS = ("t", "q", "v", "pose", "position", "velocity", "omega", "joints")
MOTOR_ARGUMENTS = ("t", "q", "v", "angle", "rate", "position", "velocity", "joints")
LINE_ARGUMENTS = ("t", "q", "v", "length", "rate", "position", "velocity", "joints")


@dataclass(frozen=True)
class UserFunction:
    """A force as a function; the names of its parameters determine its arguments.

    t: time; q, v: coordinates and velocities of the system; pose: (4x4) of the body; omega: its angular velocity;
    position, velocity: of the point of application, all in the world frame. A function compiled by Numba stays
    compiled; any other is called through Python. law: what it was given as, where that is more than a function;
    switching: its switching functions by name.
    """

    function: Callable[..., Any]
    arguments: tuple[str, ...]
    size: int
    law: Law | None = None
    switching: tuple[tuple[str, UserFunction], ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Laws make their functions anew where they arrive."""
        if self.law is None:
            return UserFunction, (self.function, self.arguments, self.size)
        return _restored, (self.law, self.arguments, self.size, tuple((n, f.arguments) for n, f in self.switching))

    @property
    def given(self) -> Callable[..., Any]:
        """What the user has given: the function, or the law that has it."""
        return self.function if self.law is None else self.law

    @property
    def sampled(self) -> bool:
        return self.law is not None and self.law.period is not None

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of its own."""
        return () if self.law is None else tuple(self.law.states)

    @property
    def compiled(self) -> bool:
        return hasattr(self.function, "py_func")

    @property
    def by_numbers(self) -> bool:
        """Whether it is a law over time by numbers, and no function in Python."""
        return isinstance(self.function, (TimeLaw, Components))

    @property
    def time_laws(self) -> tuple[TimeLaw, ...]:
        """Laws over time that it depends on: its own, one for each of its numbers, or that of a controller's target."""
        return laws_in(self.function) or laws_in(getattr(self.law, "target", None))

    def at(self, given: Mapping[str, Any]) -> Any:
        """Call it with those of the given values that it takes. Arrays are copied, so that a function that writes into them
        affects neither its caller nor the next function."""
        values = (given[a] for a in self.arguments)
        return self.function(*(x.copy() if isinstance(x, np.ndarray) else x for x in values))


def _restored(
    law: Law, arguments: tuple[str, ...], size: int, switching: tuple[tuple[str, tuple[str, ...]], ...]
) -> UserFunction:
    parts = tuple((name, UserFunction(law.switching[name], taken, 1)) for name, taken in switching)
    return UserFunction(law.function, arguments, size, law, parts)


def user_function(
    value: Callable[..., Any], size: int, allowed: tuple[str, ...], who: str, error: type[ModelError] = ForceError
) -> UserFunction:
    """Check the parameter names of a force or another quantity given as a function."""
    if isinstance(value, Law):
        return _of_law(value, size, allowed, who, error)
    if isinstance(value, (TimeLaw, Components)):
        return _over_time(value, size, allowed, who, error)
    plain = getattr(value, "py_func", value)
    try:
        parameters = inspect.signature(plain).parameters.values()
    except (TypeError, ValueError):
        raise error(f"{who}: cannot read the parameters of {shown(value)}; wrap it in a def or lambda") from None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = tuple(p.name for p in positional if p.default is p.empty or p.name in allowed)
    in_front = names == tuple(p.name for p in positional[: len(names)])  # they are passed by position
    if not names or not in_front or len(positional) < len(parameters) or not set(names) <= set(allowed):
        kind = "force" if error is ForceError else "user"
        raise error(
            f"{who}: a {kind} function takes one or more of the parameters {', '.join(allowed)}, by these names; "
            f"got ({', '.join(p.name for p in parameters)})"
        )
    return UserFunction(value, names, size)


def _of_law(law: Law, size: int, allowed: tuple[str, ...], who: str, error: type[ModelError]) -> UserFunction:
    """The function of a law, and its switching functions."""
    taken = set(allowed) & {*law.states, *law.switching}
    if error is not ForceError or taken:
        why = f"the name {min(taken)!r} is that of a parameter" if taken else "only forces are given by laws"
        raise error(f"{who}: {why}; choose another name" if taken else f"{who}: {why}; give a function")
    seen = (*allowed, *law.states)
    main = user_function(law.function, size, (*seen, *law.switching), who, error)
    parts = tuple(
        (name, user_function(f, 1, seen, f"{who}, switching function {name!r}", error))
        for name, f in law.switching.items()
    )
    return UserFunction(main.function, main.arguments, size, law, parts)


def _over_time(
    value: TimeLaw | Components, size: int, allowed: tuple[str, ...], who: str, error: type[ModelError]
) -> UserFunction:
    """A law over time as a function that is called without Python."""
    n = len(laws_in(value))
    if n != size or error is not ForceError or "t" not in allowed:
        raise error(
            f"{who}: a law over time has {n} number{'s' * (n > 1)}, and {size} {'are' if size > 1 else 'is'} needed; give a "
            "list of laws and numbers for a vector, a function for anything else"
        )
    return UserFunction(value, ("t",), size)


def numbers_or_function(value: Any, size: int, allowed: tuple[str, ...], what: str, who: str) -> Array | UserFunction:
    """`size` finite numbers, or a function that returns them; numbers of a vector may be laws over time."""
    value = as_components(value, what, who) or value
    if callable(value):
        return user_function(value, size, allowed, f"{who}, {what}")
    if size == 1:
        return fixed(np.array([number(value, what, who)]))
    return fixed(array(value, (size,), what, who))


class ForceElement:
    """Base of force elements of classes of one's own; the kind that is registered for its class computes it
    (`cotree.system.force_kinds`)."""

    name: str
    word: str = "force element"
    scalar: bool = False  # whether it acts along a line, with what `put_scalar` has noted

    @property
    def bodies(self) -> tuple[str, ...]:
        """Bodies that it acts on, ground included where it acts on ground."""
        return ()


@dataclass(frozen=True)
class Spring:
    """Line spring and damper between two points; in tension when longer than `length`."""

    name: str
    body_a: str
    point_a: Array
    body_b: str
    point_b: Array
    stiffness: float
    length: float | None
    damping: float


@dataclass(frozen=True)
class Load:
    """Force at a point of a body, or a moment on it; `frame` names the axes of its components."""

    name: str
    body: str
    value: Array | UserFunction
    point: Array | None
    frame: str

    @property
    def is_moment(self) -> bool:
        return self.point is None


@dataclass(frozen=True)
class JointForce:
    """Spring, damper, motor and rotor along one coordinate of a joint: torque - stiffness (q - rest) - damping v, and -ratio^2
    inertia times the acceleration."""

    name: str
    joint: str
    coordinate: str | None
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    torque: Array | UserFunction | None = None
    inertia: float = 0.0
    ratio: float = 1.0
    elastic: Array | None = None  # tables: of a spring (angle, torque against it), a damper (rate, torque against it),
    resisting: Array | None = None
    driving: Array | None = None  # and a motor (rate, torque)

    @property
    def by_table(self) -> bool:
        """Whether some of it is given by a table."""
        return any(x is not None for x in (self.elastic, self.resisting, self.driving))

    @property
    def reflected(self) -> float:
        """Inertia along the coordinate."""
        return self.ratio**2 * self.inertia
