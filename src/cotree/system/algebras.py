"""Motion algebras by number: each subalgebra of se(3) that turns up in a mechanism is stored once, sums and intersections are
looked up. Screws are scaled (see `cotree.screws.scale`)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cotree.judge import REPORTED
from cotree.screws import identify, intersection
from cotree.screws.closure import closed

Array = NDArray[np.float64]
NOTHING, EVERYTHING = 0, 1  # numbers of the two algebras that all mechanisms have


class Algebras:
    """Subalgebras by number; `bases[k]` (6, dimension) is orthonormal."""

    def __init__(self) -> None:
        self.bases: list[Array] = [np.zeros((6, 0)), np.eye(6)]
        self._numbers = {_key(basis): k for k, basis in enumerate(self.bases)}
        self._joins: dict[tuple[int, int], int] = {}
        self._meets: dict[tuple[int, int], int] = {}
        self._climbs: dict[int, bool] = {}

    def number(self, basis: Array) -> int:
        """Number of the algebra with this orthonormal basis."""
        if basis.shape[1] == 6:
            return EVERYTHING
        key = _key(basis)
        if key not in self._numbers:
            self._numbers[key] = len(self.bases)
            self.bases.append(basis)
        return self._numbers[key]

    def of_screws(self, screws: Array) -> int:
        """Number of the smallest algebra that holds the screws, (6, k), each of unit size."""
        return self.number(closed(screws)) if screws.shape[1] else NOTHING

    def dimension(self, a: int) -> int:
        return self.bases[a].shape[1]

    def join(self, a: int, b: int) -> int:
        """The smallest algebra that holds both."""
        if a in (b, NOTHING) or b == EVERYTHING:
            return b
        if b == NOTHING or a == EVERYTHING:
            return a
        key = (a, b) if a < b else (b, a)
        if key not in self._joins:
            small, large = sorted(key, key=self.dimension)
            holds = self.holds(large, small)
            self._joins[key] = (
                large if holds else self.of_screws(np.concatenate([self.bases[a], self.bases[b]], axis=1))
            )
        return self._joins[key]

    def joined(self, numbers: Iterable[int]) -> int:
        """The smallest algebra that holds all of them."""
        out = NOTHING
        for number in numbers:
            out = self.join(out, number)
        return out

    def meet(self, a: int, b: int) -> int:
        """What both have in common; the smaller one, where motions climb as they turn: two groups meet in a connected one
        unless one of them does, and may meet again after a turn."""
        if a in (b, NOTHING) or b == EVERYTHING:
            return a
        if a == EVERYTHING or b == NOTHING:
            return b
        key = (a, b) if a < b else (b, a)
        if key not in self._meets:
            small, large = sorted(key, key=self.dimension)
            kept = self.holds(large, small) or self.climbs(small) or self.climbs(large)
            self._meets[key] = small if kept else self.number(intersection(self.bases[large], self.bases[small]))
        return self._meets[key]

    def holds(self, large: int, small: int) -> bool:
        """Whether one algebra lies in another."""
        A, B = self.bases[large], self.bases[small]
        rest = (B - A @ (A.T @ B)).ravel()
        return bool(rest @ rest <= REPORTED**2)

    def climbs(self, a: int) -> bool:
        """Whether its motions climb as they turn."""
        if a not in self._climbs:
            self._climbs[a] = identify(self.bases[a]).pitch is not None
        return self._climbs[a]


def _key(basis: Array) -> bytes:
    """The same for all bases of one space, but for rounding."""
    return np.rint(1e6 * (basis @ basis.T)).astype(np.int32).tobytes()
