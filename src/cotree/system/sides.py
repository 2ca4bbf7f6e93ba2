"""The joint frames of a system in the reference assembly, on the parents and on the children, about the system's origin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.system.joint_frames import joint_frames
from cotree.system.switched import places_of
from cotree.system.system import System

Array = NDArray[np.float64]


def all_sides(system: System) -> tuple[Array, Array]:
    """(n, 4, 4) each, by the order of `joint_names`; made once."""
    found: tuple[Array, Array] = system.cached("frames of joints", lambda: _make(system))
    return found


def _make(system: System) -> tuple[Array, Array]:
    connections = list(system.mechanism.joints.values())
    ends = np.array([(system.body_rows[c.parent], system.body_rows[c.child]) for c in connections]).reshape(-1, 2)
    return joint_frames(connections, places_of(system).frames, ends, np.asarray(system.world[0]["origin"]))


def joint_sides(system: System, joint: str) -> tuple[Array, Array]:
    """Frame of one joint on its parent and on its child."""
    k = system.joint_names.index(joint)
    on_parent, on_child = all_sides(system)
    return on_parent[k], on_child[k]
