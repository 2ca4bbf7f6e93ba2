"""The functions in a mechanism that a user wrote in Python, and what stands in for one that is not there."""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CopyError, MissingFunctionError
from cotree.model.constraints import Coupling, Distance, Motion, UserRows
from cotree.model.forces import UserFunction


@dataclass(frozen=True, eq=False)
class MissingFunction:
    """A function that a model file names and nobody gave: constant, so that poses, pictures and energies still work; or, if it
    is `needed`, with an error where it is called."""

    name: str
    value: float | NDArray[np.float64] = 0.0
    needed: bool = False

    def __call__(self, t: float) -> float | NDArray[np.float64]:
        if self.needed:
            raise MissingFunctionError(
                f"this needs the function {self.name!r}, which the file names and does not hold; give it when the file is "
                f"loaded: functions={{{self.name!r}: ...}}"
            )
        return self.value


class Use(NamedTuple):
    """Where a function of the user is: the `which` of the `word` called `name`, as the torque of motor 'm'."""

    word: str
    name: str
    which: str
    function: Callable[..., Any]

    def __str__(self) -> str:
        return f"{self.word} {self.name!r} ({self.which})"


def word_of(mech: Any, name: str) -> str:
    """What kind of thing an action switches: lock, drive, motor, joint and so on."""
    for kind in (mech.devices, mech.constraints):
        if name in kind:
            return str(kind[name].word)
    if name in mech.loads:
        return "torque" if mech.loads[name].is_moment else "force"
    return "motor" if name in mech.joint_forces else "joint"


def takes_state(function: Callable[..., Any]) -> bool:
    """Whether a function takes all of q or v, in which it finds coordinates by their places."""
    try:
        names = inspect.signature(getattr(function, "py_func", function)).parameters
    except (TypeError, ValueError):
        return False
    return bool({"q", "v"} & set(names))


def functions_of(mech: Any) -> Iterator[Use]:
    """Every function of the user in a mechanism."""
    for load in mech.loads.values():
        word, which = ("torque", "moment") if load.is_moment else ("force", "force")
        yield from _function(word, load.name, which, load.value)
    for force in mech.joint_forces.values():
        yield from _function("motor", force.name, "torque", force.torque)
    for c in mech.constraints.values():
        if isinstance(c, Coupling):
            yield from _motion(c.word, c.name, "motion" if c.word == "drive" else "offset", c.motion)
        elif isinstance(c, Distance):
            yield from _motion(c.word, c.name, "length", c.length)
        elif isinstance(c, UserRows):
            for which in ("jacobian", "residual", "rate", "bias"):
                yield from _function(c.word, c.name, which, getattr(c, which))
    for action in mech.actions:
        yield from _function(word_of(mech, action.target), action.target, "when", action.trigger.when)


def _function(word: str, name: str, which: str, value: Any) -> Iterator[Use]:
    if isinstance(value, UserFunction):
        yield Use(word, name, which, value.function)


def _motion(word: str, name: str, which: str, motion: Motion | None) -> Iterator[Use]:
    if motion is not None:
        for part, value in ((which, motion.value), ("rate", motion.rate), ("acceleration", motion.acceleration)):
            if callable(value):
                yield Use(word, name, part, value)


def missing_functions(mech: Any) -> tuple[str, ...]:
    """In words, the forces and constraints whose functions are not there, as "motor 'm' (torque)"."""
    return tuple(str(use) for use in functions_of(mech) if isinstance(use.function, MissingFunction))


def lacking(mech: Any) -> list[Use]:
    """Where functions are missing that are needed: what depends on them cannot be computed."""
    return [use for use in functions_of(mech) if isinstance(use.function, MissingFunction) and use.function.needed]


def unknown_constraints(mech: Any) -> dict[str, str]:
    """Constraints of which it cannot be known whether they hold, since functions are missing: in words, by name."""
    return {
        use.name: f"{use.word} {use.name!r}"
        for use in lacking(mech)
        if use.name in mech.constraints and use.which != "when"
    }


def how_to_give(uses: list[Use]) -> str:
    """In words, which functions are missing, and what to pass."""
    names = dict.fromkeys(str(getattr(use.function, "name", use)) for use in uses)
    pattern = ", ".join(f"{name!r}: ..." for name in names)
    return f"{', '.join(map(str, uses))}; pass functions={{{pattern}}}"


BY_VALUE = {"cloudpickle", "dill"}  # packages whose picklers take the code of functions along


def require_picklable(mech: Any) -> None:
    """Raise if a function of the user cannot be sent to another process, naming whose it is."""
    for use in functions_of(mech):
        try:
            pickle.dumps(use.function)
        except Exception as error:
            if _takes_code():
                return
            raise CopyError(
                f"mechanism {mech.name!r} cannot be pickled: {use} is {use.function!r}, which other processes cannot import "
                f"({error}); define it with def at the top of a module, or use a pickler that takes the code of functions "
                "along, such as cloudpickle"
            ) from error


def _takes_code() -> bool:
    """Whether it is such a pickler that asks: seen in the modules of the calls that are under way."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if BY_VALUE & set(str(frame.f_globals.get("__name__")).split(".")):
            return True
        frame = frame.f_back
    return False
