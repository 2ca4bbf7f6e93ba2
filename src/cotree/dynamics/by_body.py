"""Inertia, energy and momentum of each body, [Geo (39) to (42)], from the data of the mechanism and the bodies' own motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.dynamics.api import Energy
from cotree.kinematics.poses import poses, twists
from cotree.lie import hat
from cotree.model.inertia import MassProperties
from cotree.model.mechanism import Body, Mechanism
from cotree.system.arguments import ORIGIN, coordinates, of_system, system_of, velocities, world_point
from cotree.system.system import System

Array = NDArray[np.float64]


def body_inertia(mechanism_or_system: Mechanism | System, body: Body | str | int) -> Array:
    """Compute the inertia matrix of a body in its own frame.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    body : Body, str or int
        The body, its name or its row.

    Returns
    -------
    ndarray of shape (6, 6)
        For twists (w, v): multiplied by a body twist it gives the momentum about the origin
        of the frame. [Geo (42)]

    Examples
    --------
    >>> float(ct.theory.body_inertia(ct.gallery.four_bar(), "crank")[3, 3])
    1.0
    """
    system = system_of(mechanism_or_system, body_inertia)
    row = system.row_of(body)
    if row == 0:
        return np.zeros((6, 6))
    p = system.mechanism.bodies[system.body_names[row - 1]].properties
    return inertia_matrix(p)


def inertia_matrix(p: MassProperties) -> Array:
    """The same of mass properties, about the origin of their frame."""
    c = hat(p.com)
    return np.asarray(np.block([[p.inertia + p.mass * c @ c.T, p.mass * c], [-p.mass * c, p.mass * np.eye(3)]]))


@of_system
def energy_by_body(system: System, q: ArrayLike, v: ArrayLike | None = None) -> dict[str, Energy]:
    """Compute the kinetic energy and the potential energy of gravity of each body.

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
    dict of str to Energy
        By body; zero for bodies that are fixed to ground. Energies of springs are not
        included. [Geo (41)]

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> round(ct.theory.energy_by_body(system, system.q0)["crank"].potential, 3)
    3.924
    """
    q, v = coordinates(system, q), velocities(system, v)
    C, V, g = poses(system, q), twists(system, q, v, "body"), np.array(system.mechanism.gravity)
    out = {}
    for row, name in enumerate(system.body_names, 1):
        p = system.mechanism.bodies[name].properties
        fixed = system.bodies["link"][row] == 0
        centre = C[row, :3, :3] @ p.com + C[row, :3, 3]
        kinetic = 0.5 * float(V[row] @ body_inertia(system, name) @ V[row])
        out[name] = Energy(kinetic, 0.0 if fixed else -p.mass * float(g @ centre))
    return out


@of_system
def momentum_by_body(system: System, q: ArrayLike, v: ArrayLike, point: ArrayLike = ORIGIN) -> dict[str, Array]:
    """Compute the momentum of each body.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,)
        Velocities.
    point : array_like of shape (3,), optional
        World point of the angular momentum.

    Returns
    -------
    dict of str to ndarray
        By body, six numbers in world axes; the sum is `ct.momentum`.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> sorted(ct.theory.momentum_by_body(system, system.q0, [0.0, 0.0, 0.0]))
    ['coupler', 'crank', 'rocker']
    """
    q, v, at = coordinates(system, q), velocities(system, v), world_point(point)
    C, V = poses(system, q), twists(system, q, v, "body")
    out = {}
    for row, name in enumerate(system.body_names, 1):
        R, r = C[row, :3, :3], C[row, :3, 3]
        moment, linear = np.split(body_inertia(system, name) @ V[row], 2)
        out[name] = np.concatenate([R @ moment + np.cross(r - at, R @ linear), R @ linear])
    return out
