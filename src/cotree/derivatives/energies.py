"""Derivatives of the kinetic and the potential energy by dual numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.finite_differences import derivative
from cotree.derivatives.duals import along, short_spring
from cotree.derivatives.inverse import complain
from cotree.dynamics.api import energy
from cotree.kinematics.coordinates import displace
from cotree.system.arguments import coordinates, not_finite, of_system, velocities
from cotree.system.system import System

Array = NDArray[np.float64]


class EnergyDerivatives(NamedTuple):
    """Derivatives (nv,) of `energy`: of the kinetic one along the coordinates of q (by `displace`) and by v, where it gives the
    momenta M v; of the potential one along the coordinates, the forces against gravity and springs."""

    kinetic_dq: Array
    kinetic_dv: Array
    potential_dq: Array


@of_system
def energy_derivatives(system: System, q: ArrayLike, v: ArrayLike | None = None) -> EnergyDerivatives:
    """Compute exact derivatives of the energy.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.

    Returns
    -------
    EnergyDerivatives
        Derivatives by q, along `displace`, and by v.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> slopes = ct.energy_derivatives(system, [0.3, 0.1])
    >>> weight = ct.inverse_dynamics(system, [0.3, 0.1])
    >>> float(abs(slopes.potential_dq - weight).max()) < 1e-12
    True
    """
    x, u, n = coordinates(system, q), velocities(system, v), system.nv
    status = short_spring(system.here, x)
    if status:
        complain(system, status, q=x, v=u)
    one, none = np.eye(n), np.zeros((n, n))
    steps = np.hstack([one, none]), np.hstack([none, one]), np.zeros((n, 2 * n))
    kinetic, potential = along(system, x, u, np.zeros(n), np.zeros(system.n_constraints), 0.0, steps).energy
    if not (np.isfinite(kinetic).all() and np.isfinite(potential).all()):
        not_finite(system, "energy_derivatives", q=x, v=u)
    by_q = potential[:n]
    if system.elements.kinds:
        by_q = np.array([_slope(system, x, e) for e in one])
    return EnergyDerivatives(kinetic[:n], kinetic[n:], by_q)


def _slope(system: System, q: Array, e: Array) -> float:
    return float(derivative(lambda s: energy(system, displace(system, q, s * e)).potential, 0.0, 1))
