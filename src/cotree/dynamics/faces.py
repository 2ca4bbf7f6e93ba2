"""Dynamics of the tree: what a user calls. Everything is O(n) or, for matrices, O(n depth)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics import composite, coriolis, inverse, state
from cotree.dynamics.functions import element_values
from cotree.system.arguments import coordinates, point, require_finite, velocities
from cotree.system.system import System

Array = NDArray[np.float64]


def mass_matrix(system: System, q: Any) -> Array:
    """(nv, nv): M = K^T J K [Geo (43), (51)], by composite rigid bodies."""
    q, work = coordinates(system, q), system.workspace
    M = np.empty((system.nv, system.nv))
    composite.mass_matrix(system.world, system.links, system.dofs, work.links, work.dofs, q, M)
    return M


def coriolis_matrix(system: System, q: Any, v: Any) -> Array:
    """(nv, nv): C with C_ab = Gamma_abc v^c [Geo (49), (50)]; dM/dt - 2 C is skew."""
    q, v, work = coordinates(system, q), velocities(system, v), system.workspace
    C = np.empty((system.nv, system.nv))
    coriolis.coriolis_matrix(system.world, system.links, system.dofs, work.links, work.dofs, q, v, C)
    return C


def inverse_dynamics(system: System, q: Any, v: Any = None, v_dot: Any = None, t: float = 0.0) -> Array:
    """(nv,): forces along the coordinates that, added to all modelled ones, give the tree this acceleration."""
    q, v, v_dot = coordinates(system, q), velocities(system, v), velocities(system, v_dot, "v_dot")
    tau, work = np.empty(system.nv), system.workspace
    values = element_values(system, q, v, t)
    tables = (system.world, system.links, system.dofs, system.elements.tables, work.links, work.dofs)
    inverse.inverse_dynamics(*tables, values, q, v, v_dot, tau)
    if not np.isfinite(tau.sum()):
        require_finite(system, q=q, v=v, v_dot=v_dot)
    return tau


@dataclass(frozen=True)
class Energy:
    """Joules."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        return self.kinetic + self.potential


def energy(system: System, q: Any, v: Any = None) -> Energy:
    """Kinetic energy; potential energy of gravity (zero at the world's origin), springs and joint springs."""
    q, v, work = coordinates(system, q), velocities(system, v), system.workspace
    out = np.empty(2)
    state.energy(system.world, system.links, system.dofs, system.elements.tables, work.links, work.dofs, q, v, out)
    return Energy(float(out[0]), float(out[1]))


def momentum(system: System, q: Any, v: Any, point_: Any = (0.0, 0.0, 0.0)) -> Array:
    """(6,): angular momentum about a world point, then linear momentum."""
    q, v, work = coordinates(system, q), velocities(system, v), system.workspace
    out = np.empty(6)
    state.momentum(system.world, system.links, system.dofs, work.links, work.dofs, q, v, point(point_), out)
    return out


@dataclass(frozen=True)
class MassCentre:
    """mass [kg], position [m], velocity [m/s] of all that moves."""

    mass: float
    position: Array
    velocity: Array


def mass_centre(system: System, q: Any, v: Any = None) -> MassCentre:
    """Common mass centre of the bodies that are not fixed to ground."""
    q, v, work = coordinates(system, q), velocities(system, v), system.workspace
    out = np.empty(7)
    state.mass_centre(system.world, system.links, system.dofs, work.links, work.dofs, q, v, out)
    return MassCentre(float(out[0]), out[1:4], out[4:])
