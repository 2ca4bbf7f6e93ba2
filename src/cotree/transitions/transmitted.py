"""What joints transmit in a jump of the velocities whose impulses are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.reactions import about_world, body_needs, transmitted
from cotree.formulations.reactions.wrenches import add_locks, constraint_wrenches
from cotree.system.system import System

Array = NDArray[np.float64]


def transmitted_impulses(
    system: System, q: Array, dv: Array, multipliers: Array, on_bodies: Array | None = None, t: float = 0.0
) -> dict[str, Array]:
    """(moment, force) [N m s, N s] that each joint transmits to its child in a jump dv with impulses of the rows and
    prescribed ones on bodies, (n_bodies + 1, 6) about the world's origin; world axes about the world's origin."""
    rest = np.zeros(system.nv)
    moving, origin = body_needs(system, q, rest, dv, t)
    still, _ = body_needs(system, q, rest, rest, t)
    cuts, touching, by_rows = constraint_wrenches(system, q, multipliers)
    needs = moving - still - by_rows
    if on_bodies is not None:
        moment, force = on_bodies[:, :3], on_bodies[:, 3:]
        needs -= np.concatenate([moment - np.cross(origin, force), force], axis=1)
    found = transmitted(system, needs)
    found.update(zip(system.cut_joints, cuts, strict=True))
    add_locks(system, touching, found)
    return about_world({name: found.get(name, np.zeros(6)) for name in system.joint_names}, origin)
