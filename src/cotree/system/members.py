"""Arguments with leading axes: q (..., nq) and v (..., nv) stand for many states, the members of a batch.

Leading axes follow NumPy's rules: those of all arguments are broadcast, and an argument without any is the same for all.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CotreeError, ShapeError
from cotree.model.checks import floats, shown

Array = NDArray[np.float64]
Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Members:
    """shape: the leading axes; count: members in all; rows: each argument by name, one row for each member, or one for all."""

    shape: tuple[int, ...]
    count: int
    rows: dict[str, Array]

    def of(self, i: int) -> list[Array]:
        """Arguments of one member, of its own."""
        return [x[i if len(x) > 1 else 0].copy() for x in self.rows.values()]

    def place(self, i: int) -> str:
        """Where a member stands, for messages."""
        index = np.unravel_index(i, self.shape)
        return f"member [{', '.join(str(int(k)) for k in index)}] of the batch"

    def single(self, i: int, function: Callable[..., Result]) -> Result:
        """function(*arguments) of one member; what it raises tells which one."""
        try:
            return function(*self.of(i))
        except CotreeError as error:
            error.args = (f"{self.place(i)}: {error}", *error.args[1:])
            raise

    def one_by_one(self, function: Callable[..., Any]) -> Array:
        """The results of all members, each by a call of its own."""
        found = np.array([self.single(i, function) for i in range(self.count)])
        return found.reshape(*self.shape, *found.shape[1:])


class Sized(Protocol):
    """A system, or several of one size."""

    @property
    def name(self) -> str: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...


def members_of(system: Sized, axes: tuple[int, ...] = (), **given: Any) -> Members | None:
    """The members that arguments q, v and so on stand for; None where each is a single vector, or nothing that has axes. axes:
    others that the results have, as those of several systems."""
    if not axes and all(x is None or _axes(x) < 2 for x in given.values()):
        return None
    found = {what: _rows(system, x, what) for what, x in given.items()}
    leads = {what: x.shape[:-1] for what, x in found.items()}
    try:
        shape = _together({axes, *leads.values()})
    except ValueError:
        told = ", ".join(f"{what} {lead}" for what, lead in ({"systems": axes} | leads).items() if lead)
        raise ShapeError(
            f"the leading axes of the arguments for system {system.name!r} do not fit together: {told}; give each argument the "
            "same, or none"
        ) from None
    count = math.prod(shape)
    if count == 0:
        raise ShapeError(f"the batch for system {system.name!r} is empty: its leading axes are {shape}")
    rows = {what: _spread(x, shape) for what, x in found.items()}
    return Members(shape, count, rows)


def _together(leads: set[tuple[int, ...]]) -> tuple[int, ...]:
    """The leading axes that all of them stand for."""
    wide = leads - {()}
    return wide.pop() if len(wide) == 1 else np.broadcast_shapes(*leads)


def _axes(x: Any) -> int:
    if type(x) is np.ndarray:
        return x.ndim
    a = floats(x)
    return 0 if a is None else a.ndim


def _rows(system: Sized, x: Any, what: str) -> Array:
    n = system.nq if what == "q" else system.nv
    plain = type(x) is np.ndarray and x.dtype == float  # kernels read it in place
    a = np.zeros(n) if x is None else x if plain else floats(x)
    if a is None or a.ndim == 0 or a.shape[-1] != n:
        got = shown(x) if a is None else f"shape {a.shape}"
        told = "q_names for their names; system.q0 is a valid q" if what == "q" else "v_names for their names"
        raise ShapeError(
            f"{what} of system {system.name!r} must have {n} entries on its last axis, got {got}; see system.{told}"
        )
    return a


def _spread(x: Array, shape: tuple[int, ...]) -> Array:
    """One row for each member; a single one for all where there are no leading axes."""
    n, count = x.shape[-1], math.prod(shape) if x.ndim > 1 else 1
    if x.ndim > 1 and x.shape[:-1] != shape:
        x = np.broadcast_to(x, (*shape, n))
    return (x if x.flags.carray else np.array(x, order="C")).reshape(
        count, n
    )  # kernels take arrays that can be written to


def over_members(*names: str) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Decorator for a function (system, *names, ...) that returns an array: with leading axes it is called once a member."""

    def decorate(function: Callable[Given, Result]) -> Callable[Given, Result]:
        @functools.wraps(function)
        def door(*given: Any, **named: Any) -> Any:
            if not given and "system" in named:
                given = (named.pop("system"),)
            states = given[1 : 1 + len(names)]
            if all(type(x) is np.ndarray and x.ndim == 1 for x in states) and len(states) == len(names):
                return function(*given, **named)
            asked = dict(zip(names, states, strict=False)) | {n: named[n] for n in names if n in named}
            many = members_of(given[0], **asked) if given else None
            if many is None:
                return function(*given, **named)
            rest, other = given[1 + len(states) :], {n: x for n, x in named.items() if n not in names}

            def one(*state: Array) -> Any:
                of_names = dict(zip(asked, state, strict=True))
                whole: Any = (given[0], *of_names.values(), *rest)
                return function(*whole, **other)

            return many.one_by_one(one)

        return door

    return decorate
