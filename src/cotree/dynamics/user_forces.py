"""Forces that are functions: evaluated before a sweep, into the rows of numbers that the elements read."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.law_states import states_now
from cotree.dynamics.laws import Law, laws_of
from cotree.system.system import System

Array = NDArray[np.float64]


def element_values(system: System, q: Array, v: Array, t: float) -> Array:
    """(n, 3): numbers of the loads, then of the motors, at this state."""
    return evaluated(system, q, v, t)[0]


def evaluated(system: System, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    """The same, and the rates of the states of laws."""
    elements = system.elements
    if not elements.functions:
        return elements.constants, np.zeros(0)
    values, z = elements.constants.copy(), states_now(system, q, v, t)
    rates = np.zeros(len(z))
    put_laws(laws_of(system), values, q, v, t, z, rates)
    return values, rates


def put_laws(laws: Iterable[Law], values: Array, q: Array, v: Array, t: float, z: Array, z_dot: Array) -> None:
    """Write the numbers that laws give at this state, and the rates of their own states."""
    about: dict[str, object] = {"z": z, "z_dot": z_dot}
    for law in laws:
        law.put(values, t, q, v, about)


def put_element_values(system: System, q: Array, v: Array, t: float) -> None:
    """Let the fast calls of this thread read the numbers at this state."""
    if system.elements.functions:
        system.own.values[:] = element_values(system, q, v, t)
