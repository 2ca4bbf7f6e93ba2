"""Small oscillations about the rest position near a posture, as configurations to look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.errors import StudyError
from cotree.studies.equilibrium import equilibrium
from cotree.studies.linearization import Linearization, linearize
from cotree.studies.modes import Mode, modes_of
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Modes:
    """stable: whether the rest position is; modes: those that oscillate, slow ones first."""

    linear: Linearization
    stable: bool | None
    modes: tuple[Mode, ...]

    @property
    def q(self) -> Array:
        """The rest position."""
        return self.linear.q

    def pictures(self, k: int) -> list[Array]:
        """Closed configurations of one oscillation of a mode; the rest position where the loops never close."""
        try:
            return list(self.linear.motion(self.modes[k].column))
        except StudyError:
            return [self.q]


def modes_near(system: System, q: Array) -> Modes:
    """Of the rest position that is found from q."""
    rest = equilibrium(system, q)
    linear = linearize(system, rest.q, np.zeros(system.nv))
    return Modes(linear, rest.stable, tuple(mode for mode in modes_of(linear) if mode.eigenvalue.imag))
