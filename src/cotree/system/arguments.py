"""Checks of the system and of what a user passes along with it; quick when there is nothing to say."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ArgumentError, NotFiniteError, ShapeError
from cotree.model.checks import floats, shown, vector
from cotree.model.mechanism import Mechanism
from cotree.system.families import Doors, Systems
from cotree.system.system import System

Array = NDArray[np.float64]
ORIGIN = (0.0, 0.0, 0.0)
_FLOAT = np.dtype(float)
ADDED = ("tau", "impulse", "step")  # what is zero where it is not named
FOUND_BY = {
    "q": "ct.assemble(system, {...}), which finds the others",
    "v": "ct.consistent_velocity(system, q, {...}), which finds the others",
}


Rest = ParamSpec("Rest")
Result = TypeVar("Result")


def of_system(
    function: Callable[Concatenate[System, Rest], Result],
) -> Callable[Concatenate[Mechanism | System, Rest], Result]:
    """A public function whose first argument is a System, made to take a Mechanism too, which it compiles at each call; its
    time `t`, where it has one, is checked."""
    return _checked(function, function)


def of_system_as(
    public: Callable[..., Any],
) -> Callable[[Callable[Concatenate[System, Rest], Result]], Callable[Concatenate[Mechanism | System, Rest], Result]]:
    """The same for what a public function calls where its arguments are not ordinary; messages name the public one."""
    return lambda function: _checked(function, public)


def of_systems(
    doors: Doors, public: Callable[..., Any] | None = None
) -> Callable[
    [Callable[Concatenate[System, Rest], Result]], Callable[Concatenate[Mechanism | System | Systems, Rest], Result]
]:
    """`of_system` for functions that take leading axes, and several systems for members of a batch; public: the function that
    messages name, where it is another one."""
    return lambda function: _checked(function, public or function, doors)


def _checked(
    function: Callable[Concatenate[System, Rest], Result], public: Callable[..., Any], doors: Doors | None = None
) -> Callable[..., Result]:
    names = list(inspect.signature(function).parameters)
    at = names.index("t") if "t" in names else len(names)

    @functools.wraps(function)
    def door(*given: Any, **named: Any) -> Any:
        if given:
            if type(given[0]) is Systems and doors is not None:
                return doors.enter(door, given[0], given[1:], named)
            if type(given[0]) is not System:
                given = (system_of(given[0], public), *given[1:])
            if len(given) > at:
                given = (*given[:at], time_of("t", given[at]), *given[at + 1 :])
        elif names[0] in named:
            if type(named[names[0]]) is Systems and doors is not None:
                return doors.enter(door, named.pop(names[0]), (), named)
            named[names[0]] = system_of(named[names[0]], public)
        if "t" in named:
            named["t"] = time_of("t", named["t"])
        return function(*given, **named)

    return door


def system_of(value: Any, function: Callable[..., Any]) -> System:
    """The system that a function was given, or that of the mechanism."""
    if isinstance(value, System):
        return value
    if isinstance(value, Mechanism):
        return value.compile()
    names = list(inspect.signature(function).parameters)
    order = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    if isinstance(value, (list, tuple, Systems)):
        raise ArgumentError(
            f"{function.__name__} was given {shown(value)} in the place of a system; functions that take leading axes take "
            "ct.Systems([...]), others one system at a time"
        )
    file = "; read a file with ct.load first" if isinstance(value, (str, Path)) else ""
    raise ArgumentError(
        f"{function.__name__} needs a Mechanism or a System as its first argument, got {shown(value)}{file}; call it as "
        f"{function.__name__}({order})"
    )


def time_of(what: str, value: Any) -> float:
    """A time in seconds, checked."""
    if type(value) is float and math.isfinite(value):
        return value
    a = floats(value)
    if a is None or a.size != 1 or not np.isfinite(a).all():
        raise ShapeError(f"{what} is {shown(value)}; give a time in seconds")
    return float(a.ravel()[0])


def coordinates(system: System, q: Any) -> Array:
    """q as a contiguous float array of nq entries that kernels take: aligned, and writable, though they only read it."""
    if type(q) is np.ndarray and q.dtype is _FLOAT and q.shape == (system.nq,) and q.flags.carray:
        return q
    return _convert(q, system.nq, "q", system)


def velocities(system: System, v: Any, what: str = "v") -> Array:
    """v (or accelerations, or joint forces) as a contiguous float array of nv entries; None is zero."""
    if type(v) is np.ndarray and v.dtype is _FLOAT and v.shape == (system.nv,) and v.flags.carray:
        return v
    if v is None:
        return np.zeros(system.nv)
    return _convert(v, system.nv, what, system)


def _convert(x: Any, n: int, what: str, system: System) -> Array:
    if isinstance(x, Mapping):
        return _by_name(x, what, system)
    a = floats(x)
    if a is None:
        raise ShapeError(f"{what} of system {system.name!r} must be {n} numbers, got {shown(x)}")
    a = np.ascontiguousarray(a, dtype=float)  # a single number for a single coordinate will do
    if a.shape != (n,):
        valid = "; system.q0 is a valid q" if what == "q" else ""
        raise ShapeError(
            f"{what} of system {system.name!r} must have {n} entries, got shape {a.shape}; see system.{_names(what)} "
            f"for their names{valid}"
        )
    return a if a.dtype is _FLOAT and a.flags.aligned else np.array(a, dtype=_FLOAT)


def _by_name(x: Mapping[str, Any], what: str, system: System) -> Array:
    """Forces, impulses and small steps, zero where they are not named; of states the others follow from the loops."""
    if what not in ADDED:
        found = FOUND_BY.get(what, "a vector; see system.v_names")
        raise ShapeError(f"{what} of system {system.name!r} is given by names, {shown(x)}; use {found}")
    out = np.zeros(system.nv)
    for name, value in x.items():
        of_joint = [i for i, n in enumerate(system.v_names) if n.startswith(f"{name}.")]
        own, a = of_joint or [system.velocity_index(name)], floats(value)
        if a is None or a.shape not in ((), (len(own),)) or (a.ndim == 0 and len(own) > 1):
            count = "a number" if len(own) == 1 else f"{len(own)} numbers"
            raise ShapeError(f"{what}[{name!r}] of system {system.name!r} is {shown(value)}; give {count}")
        out[own] = a
    return out


def _names(what: str) -> str:
    return "q_names" if what == "q" else "v_names"


def require_finite(system: System, **arrays: Array) -> None:
    """Raise if an argument has NaN or infinity in it, saying where; called when a result has."""
    for what, a in arrays.items():
        bad = np.flatnonzero(~np.isfinite(a))
        if bad.size:
            where = _joint_of(system, int(bad[0])) if what == "q" else system.coordinate_names[bad[0]]
            raise NotFiniteError(
                f"{what} of system {system.name!r} is {a[bad[0]]} at entry {bad[0]} ({where!r}); give finite numbers"
            )


def not_finite(system: System, what: str, **arrays: Array) -> NoReturn:
    """Raise for a result with NaN or infinity in it: an argument has, or numbers are too large."""
    require_finite(system, **arrays)
    sizes = {name: float(np.abs(a).max(initial=0.0)) for name, a in arrays.items()}
    largest = max(sizes, key=lambda name: sizes[name])
    raise NotFiniteError(
        f"{what}: the result for system {system.name!r} overflows; the largest entry of {largest} is "
        f"{sizes[largest]:.3g}; check whether it, forces, stiffnesses or lengths are too large"
    )


def _joint_of(system: System, entry: int) -> str:
    """Joint that an entry of q belongs to."""
    before = [k for k in range(1, len(system.links)) if system.links[k]["iq"] <= entry]
    return system.link_joints[max(before, key=lambda k: system.links[k]["iq"])]


def world_point(value: Any) -> Array:
    """A point of the world frame."""
    if value is ORIGIN:
        return np.zeros(3)
    return np.array(vector(value, "point", "world frame"))  # kernels take arrays that can be written to
