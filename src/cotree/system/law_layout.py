"""Numbers that laws keep between evaluations, in one vector: states, values that are held, signs of switching functions.

A law that is sampled has first what it holds, then its states; any other its states, then the signs of its switching
functions. Only states of laws that are not sampled have rates; the other numbers change at instants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.model.forces import UserFunction

Array = NDArray[np.float64]
AXES = ("x", "y", "z")


class LawPlace(NamedTuple):
    """Where the numbers of a law begin, how many are held (those of a sampled law's value), are states, and are signs."""

    row: int
    user: UserFunction
    first: int
    held: int
    states: int
    signs: int

    @property
    def state(self) -> int:
        """Place of the first state."""
        return self.first + self.held

    @property
    def sign(self) -> int:
        """Place of the first sign."""
        return self.state + self.states

    @property
    def end(self) -> int:
        return self.sign + self.signs

    @property
    def names(self) -> tuple[str, ...]:
        """Of its numbers, without that of the law."""
        held = ("output",) if self.held == 1 else tuple(f"output.{axis}" for axis in AXES[: self.held])
        return (*held, *self.user.states, *(name for name, _ in self.user.switching))


def law_places(functions: Sequence[tuple[int, Any]]) -> tuple[LawPlace, ...]:
    """Places of the numbers of all laws, in the order of their rows."""
    found: list[LawPlace] = []
    first = 0
    for row, user in functions:
        held = user.size if user.sampled else 0
        found.append(LawPlace(row, user, first, held, len(user.states), len(user.switching)))
        first = found[-1].end
    return tuple(found)


def start_values(places: Sequence[LawPlace]) -> Array:
    """The numbers before any evaluation: states as given, values that are held zero, signs positive."""
    z = np.zeros(places[-1].end if places else 0)
    for place in places:
        z[place.state : place.sign] = list(place.user.law.states.values()) if place.user.law is not None else []
        z[place.sign : place.end] = 1.0
    return z
