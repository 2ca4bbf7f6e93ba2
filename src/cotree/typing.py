"""Types of arguments that several public functions take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
Coordinates: TypeAlias = ArrayLike | Mapping[str, float]
"""A vector q or v, or values of joints and coordinates by their names."""
NumbersOrFunction: TypeAlias = ArrayLike | Callable[..., ArrayLike]
"""A constant, or a function of some of t, q, v (by the names of its arguments)."""
OutputTimes: TypeAlias = ArrayLike | str | None
"""A number of rows, a period [s], times [s], "steps", or None for a number that suits the run."""


class HasFunction(Protocol):
    """A condition with more to it than its function, as ct.Event."""

    @property
    def function(self) -> Callable[..., object]: ...


Condition: TypeAlias = Callable[..., object] | HasFunction
"""A function of some of t, q, v whose sign (or truth) changes, or a ct.Event."""


class HasName(Protocol):
    """Something of a mechanism that has a name: a joint, a constraint, a lock."""

    @property
    def name(self) -> str: ...


Switchable: TypeAlias = HasName | str
BreakingLoad: TypeAlias = float | tuple[float | None, float | None]  # force, or force and moment


class Triple:
    """A field of a dataclass that takes three numbers of any kind and holds them as a tuple of floats.

    Type checkers read the two methods; the class that has the field does the conversion."""

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: object = None) -> tuple[float, ...]: ...

        def __set__(self, instance: object, value: ArrayLike) -> None: ...


class OptionalTriple:
    """As `Triple`, or None."""

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: object = None) -> tuple[float, ...] | None: ...

        def __set__(self, instance: object, value: ArrayLike | None) -> None: ...


class OptionalPose:
    """A field that takes a 4×4 matrix and holds it as an array, or None."""

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: object = None) -> Array | None: ...

        def __set__(self, instance: object, value: ArrayLike | None) -> None: ...


ABSENT: Any = None
"""The default of a field of one of these types."""
