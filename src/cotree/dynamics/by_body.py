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
    """(6, 6): inertia matrix of a body in its own frame, [[T + m c^ c^T, m c^], [-m c^, m 1]] [Geo (42)], for twists (w, v).

    Momentum of a body twist V about the origin of the body's frame: body_inertia @ V.
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
    """{body: energy}: kinetic [Geo (41)] and of gravity, zero at the world's origin and for bodies that are fixed to ground.

    With springs, which belong to no body, the sum of the kinetic ones and of gravity is less than `ct.energy`.
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
    """{body: (6,)}: angular momentum about a world point, then linear momentum, in world axes; their sum is `ct.momentum`."""
    q, v, at = coordinates(system, q), velocities(system, v), world_point(point)
    C, V = poses(system, q), twists(system, q, v, "body")
    out = {}
    for row, name in enumerate(system.body_names, 1):
        R, r = C[row, :3, :3], C[row, :3, 3]
        moment, linear = np.split(body_inertia(system, name) @ V[row], 2)
        out[name] = np.concatenate([R @ moment + np.cross(r - at, R @ linear), R @ linear])
    return out
