"""The user's Python functions in a mechanism, and the stand-in for a missing one."""

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
from cotree.model.contacts import FunctionContact
from cotree.model.forces import UserFunction
from cotree.model.pid import PID
from cotree.model.time_laws import TimeLaw

WITH_PID = ("motor", "force between")  # what model files have controllers for


@dataclass(frozen=True, eq=False)
class MissingFunction:
    """A function named in a model file but not supplied: constant, so that poses, pictures and energies still work; or, if
    `needed`, raising an error when called. law: what the file notes of it where it is a law."""

    name: str
    value: float | NDArray[np.float64] = 0.0
    needed: bool = False
    law: Any = None

    def __call__(self, t: float) -> float | NDArray[np.float64]:
        if self.needed:
            raise MissingFunctionError(
                f"this needs the function {self.name!r}, which is named in the file but not stored there; pass it on "
                f"loading: functions={{{self.name!r}: ...}}"
            )
        return self.value


class Use(NamedTuple):
    """Where a user function is used: the `which` of the `word` called `name`, e.g. the torque of motor 'm'."""

    word: str
    name: str
    which: str
    function: Callable[..., Any]

    def __str__(self) -> str:
        return f"{self.word} {self.name!r} ({self.which})"


def word_of(mech: Any, name: str) -> str:
    """The type of what an action switches: lock, drive, motor, joint and so on."""
    for kind in (mech.devices, mech.constraints):
        if name in kind:
            return str(kind[name].word)
    if name in mech.loads:
        return "torque" if mech.loads[name].is_moment else "force"
    if name in mech.elements:
        return str(mech.elements[name].word)
    return "motor" if name in mech.joint_forces else "joint"


def takes_state(function: Callable[..., Any]) -> bool:
    """Whether a function takes the whole q or v, in which coordinates are found by index."""
    try:
        names = inspect.signature(getattr(function, "py_func", function)).parameters
    except (TypeError, ValueError):
        return False
    return bool({"q", "v"} & set(names))


def functions_of(mech: Any) -> Iterator[Use]:
    """All user functions in a mechanism."""
    for load in mech.loads.values():
        word, which = ("torque", "moment") if load.is_moment else ("force", "force")
        yield from _function(word, load.name, which, load.value)
    for force in mech.joint_forces.values():
        yield from _function("motor", force.name, "torque", force.torque)
    for element in mech.elements.values():
        yield from _function(element.word, element.name, "force", getattr(element, "value", None))
    for c in mech.constraints.values():
        for which, function in c.functions():
            yield Use(c.word, c.name, which, function)
    for device in mech.devices.values():
        if isinstance(device, FunctionContact):
            for which, function in device.functions():
                yield Use(device.word, device.name, which, function)
    for action in mech.actions:
        yield from _function(word_of(mech, action.target), action.target, "when", action.trigger.when)


def _function(word: str, name: str, which: str, value: Any) -> Iterator[Use]:
    if isinstance(value, UserFunction) and value.by_numbers:
        return
    if isinstance(value, UserFunction) and isinstance(value.law, PID) and word in WITH_PID:
        if callable(value.law.target) and not isinstance(value.law.target, TimeLaw):
            yield Use(word, name, "target", value.law.target)
    elif isinstance(value, UserFunction):
        yield Use(word, name, which, value.given)


def missing_functions(mech: Any) -> tuple[str, ...]:
    """Forces and constraints whose functions are missing, as "motor 'm' (torque)"."""
    return tuple(str(use) for use in functions_of(mech) if isinstance(use.function, MissingFunction))


def lacking(mech: Any) -> list[Use]:
    """Uses of functions that are needed and missing."""
    return [use for use in functions_of(mech) if isinstance(use.function, MissingFunction) and use.function.needed]


def unknown_constraints(mech: Any) -> dict[str, str]:
    """Names of constraints that cannot be evaluated because their functions are missing."""
    return {
        use.name: f"{use.word} {use.name!r}"
        for use in lacking(mech)
        if use.name in mech.constraints and use.which != "when"
    }


def how_to_give(uses: list[Use]) -> str:
    """Text: which functions are missing and how to pass them."""
    names = dict.fromkeys(str(getattr(use.function, "name", use)) for use in uses)
    pattern = ", ".join(f"{name!r}: ..." for name in names)
    return f"{', '.join(map(str, uses))}; pass functions={{{pattern}}}"


BY_VALUE = {"cloudpickle", "dill"}  # packages whose picklers store the code of functions


def require_picklable(mech: Any) -> None:
    """Raise, naming the element, if a user function cannot be sent to another process."""
    for use in functions_of(mech):
        try:
            pickle.dumps(use.function)
        except Exception as error:
            if _takes_code():
                return
            raise CopyError(
                f"mechanism {mech.name!r} cannot be pickled: {use} is {use.function!r}, which other processes cannot import "
                f"({error}); define it with def at the top of a module, or use a pickler that stores code, such as "
                "cloudpickle"
            ) from error


def _takes_code() -> bool:
    """Whether the caller is such a pickler, judged by the modules on the call stack."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if BY_VALUE & set(str(frame.f_globals.get("__name__")).split(".")):
            return True
        frame = frame.f_back
    return False
