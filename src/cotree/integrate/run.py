"""`Run`: what a simulation gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.faces import energy
from cotree.integrate.stabilize import violations
from cotree.kinematics.poses import poses
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EnergyHistory:
    """Joules at each time."""

    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        return self.kinetic + self.potential


@dataclass(frozen=True)
class Run:
    """Times t (k,), coordinates q (k, nq), velocities v (k, nv); status "done" or what stopped it, with a message."""

    system: System = field(repr=False)
    t: Array = field(repr=False)
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    status: str
    message: str
    statistics: dict[str, Any]

    @cached_property
    def energy(self) -> EnergyHistory:
        """Kinetic and potential energy at each time."""
        found = [energy(self.system, q, v) for q, v in zip(self.q, self.v, strict=True)]
        return EnergyHistory(np.array([e.kinetic for e in found]), np.array([e.potential for e in found]))

    @cached_property
    def _violations(self) -> Array:
        out = np.zeros((len(self.t), 2 + self.system.n_constraints))
        for row, q, v in zip(out, self.q, self.v, strict=True):
            violations(self.system.handle, self.system.other_rows.constants, q, v, row)
        return out

    @property
    def violation(self) -> Array:
        """Largest entry of the constraint residual at each time."""
        return self._violations[:, 0]

    @property
    def velocity_violation(self) -> Array:
        """Largest entry of J v at each time."""
        return self._violations[:, 1]

    def poses(self) -> Array:
        """(k, n_bodies + 1, 4, 4)."""
        return np.array([poses(self.system, q) for q in self.q])

    def __str__(self) -> str:
        total = self.energy.total
        drift = np.abs(total - total[0]).max()
        lines = [
            f"{self.system.name or 'run'}: {self.status}, {self.t[0]:g} to {self.t[-1]:g} s, {self.statistics['steps']} steps "
            f"({self.statistics['rejected']} rejected)",
            f"  energy {total[0]:.6g} J at the start, greatest change {drift:.2e} J",
        ]
        if self.system.n_constraints:
            lines.append(
                f"  loops closed to {self.violation.max():.1e} (position), {self.velocity_violation.max():.1e} (velocity)"
            )
        if self.message:
            lines.append(f"  {self.message}")
        return "\n".join(lines)
