"""Forces that are functions: evaluated before a sweep, into the rows of numbers that the elements read."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.laws import Law, laws_of
from cotree.system.system import System

Array = NDArray[np.float64]


def element_values(system: System, q: Array, v: Array, t: float) -> Array:
    """(n, 3): numbers of the loads, then of the motors, at this state."""
    elements = system.elements
    if not elements.functions:
        return elements.constants
    values = elements.constants.copy()
    put_laws(laws_of(system), values, q, v, t)
    return values


def put_laws(laws: Iterable[Law], values: Array, q: Array, v: Array, t: float) -> None:
    """Write the numbers that laws give at this state."""
    about: dict[str, object] = {}
    for law in laws:
        law.put(values, t, q, v, about)


def put_element_values(system: System, q: Array, v: Array, t: float) -> None:
    """Let the fast calls of this thread read the numbers at this state."""
    if system.elements.functions:
        system.own.values[:] = element_values(system, q, v, t)
