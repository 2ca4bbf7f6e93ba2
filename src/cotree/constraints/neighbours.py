"""Closed configurations next to one, by steps in admissible directions at random."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble
from cotree.constraints.measured_rank import rank, scaled_jacobian
from cotree.constraints.rank import settled_basis
from cotree.constraints.units import column_units, length_of
from cotree.errors import AssemblyError
from cotree.kinematics.coordinates import displace
from cotree.kinematics.poses import poses
from cotree.lie import inverse
from cotree.system.system import System

Array = NDArray[np.float64]
SAMPLES = 8
ENOUGH = 3  # configurations with fewer dof show that there are no others


def moves_freely(system: System, q: Array, differential: int, t: float = 0.0) -> bool:
    """Whether configurations next to q, in a direction at random, have as many dof as q; decided by a few of them."""
    if differential == 0:
        return True
    dofs = (system.nv - rank(system, there, t) for there in islice(neighbours(system, q, differential, t), ENOUGH))
    return any(dof == differential for dof in dofs)


def neighbours(system: System, q: Array, differential: int, t: float) -> Iterator[Array]:
    """Closed configurations next to q, by steps in admissible directions at random; those that cannot be made are left out."""
    J, columns = scaled_jacobian(system, q, t)[0], column_units(system)
    null = settled_basis(np.linalg.svd(J)[2][-differential:].T) if len(J) else np.eye(system.nv)
    rng = np.random.default_rng(1)
    for k in range(SAMPLES):
        x = null @ rng.standard_normal(differential)
        step = (0.02, 0.1)[k % 2]
        there = _moved_aside(system, q, step * columns * x / np.linalg.norm(x), int(np.argmax(np.abs(x))), t)
        if there is not None and 1e-2 * step < _distance(system, q, there) < 20.0 * step:
            yield there


def _moved_aside(system: System, q: Array, step: Array, leader: int, t: float) -> Array | None:
    """Closed configuration next to q + step at which one coordinate, the leader, has made its step: else the search might
    fall back to q, where the branches meet."""
    try:
        return assemble(system, displace(system, q, step), fixed=system.coordinate_names[leader], t=t, restarts=0)
    except AssemblyError:
        return None


def _distance(system: System, q: Array, other: Array) -> float:
    """Largest turn and displacement of a body from q to another configuration, about the system's origin and in its length."""
    D, origin = poses(system, other) @ inverse(poses(system, q)), system.world["origin"][0]
    shift = (D[:, :3, :3] @ origin + D[:, :3, 3] - origin) / length_of(system)
    return float(max(np.abs(D[:, :3, :3] - np.eye(3)).max(), np.abs(shift).max()))
