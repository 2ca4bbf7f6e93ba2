"""Energy of the whole mechanism as a reading."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.api import energy
from cotree.lie.varied import as_array
from cotree.sensors.reading import Reading
from cotree.sensors.states import Block

Array = NDArray[np.float64]


class EnergyReading(Reading):
    """kinetic and potential energy [J] of the mechanism, (T,) each, as `ct.energy` has them: gravity and springs count."""

    units = {"kinetic": "J", "potential": "J"}  # noqa: RUF012

    @cached_property
    def _both(self) -> Array:
        """(T, 2)."""
        found: Array = np.concatenate([_rows(block) for block in self.source.blocks])
        return found

    @property
    def kinetic(self) -> Array:
        return self._shown(self._both[:, 0])

    @property
    def potential(self) -> Array:
        return self._shown(self._both[:, 1])

    @property
    def total(self) -> Array:
        total: Array = as_array(self.kinetic + self.potential)
        return total


def _rows(block: Block) -> Any:
    if block.exact is not None:
        return block.exact.energies()
    found = energy(block.system, block.q, block.v)
    return np.column_stack([found.kinetic, found.potential])
