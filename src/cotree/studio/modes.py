"""Small oscillations about the rest position near a posture, as configurations to look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble
from cotree.errors import AssemblyError
from cotree.kinematics.coordinates import displace
from cotree.studies.equilibrium import equilibrium
from cotree.studies.linearization import linearize
from cotree.system.system import System

Array = NDArray[np.float64]
PICTURES = 24  # of one oscillation
SMALLEST = 1e-6
SWING = 0.3  # rad, or metres, of the coordinate that moves most


@dataclass(frozen=True, eq=False)
class Mode:
    """frequency [Hz], damping ratio; shape (nv,): complex displacements of all coordinates, the largest one."""

    frequency: float
    damping: float
    shape: NDArray[np.complex128]

    def __str__(self) -> str:
        return f"{self.frequency:.4g} Hz, damping {self.damping + 0.0:.3g}"


@dataclass(frozen=True, eq=False)
class Modes:
    """q: the rest position; stable: whether it is; modes: those that oscillate, slow ones first."""

    system: System
    q: Array
    stable: bool | None
    modes: tuple[Mode, ...]

    def pictures(self, k: int, swing: float = SWING) -> list[Array]:
        """Closed configurations of one oscillation of a mode; smaller where the loops do not close, at rest where never."""
        shape = self.modes[k].shape
        while swing > SMALLEST:
            try:
                return [self._at(swing * (shape * np.exp(2j * np.pi * s / PICTURES)).real) for s in range(PICTURES)]
            except AssemblyError:
                swing *= 0.5
        return [self.q] * PICTURES

    def _at(self, step: Array) -> Array:
        q = displace(self.system, self.q, step)
        return assemble(self.system, q, restarts=0) if self.system.n_constraints else q


def modes_near(system: System, q: Array) -> Modes:
    """Of the rest position that is found from q."""
    rest = equilibrium(system, q)
    found = linearize(system, rest.q)
    shapes, values = found.modes, found.eigenvalues
    some = [i for i in range(len(values)) if values[i].imag > 1e-9 * max(1.0, float(np.abs(values).max()))]
    made = tuple(Mode(float(found.frequencies[i]), float(found.damping[i]), shapes[:, i]) for i in some)
    return Modes(system, rest.q, rest.stable, made)
