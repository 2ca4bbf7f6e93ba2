"""Units for rows and columns of a constraint Jacobian: metres in the system's own length, radians as they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.system.system import System

Array = NDArray[np.float64]


def length_of(system: System) -> float:
    """Size of the system: largest distance of a mass centre, an axis or a cut joint from the system's origin; or 1."""
    cuts = system.cuts["frame_a"][:, 9:]
    points = np.concatenate([system.links["com"], system.dofs["foot"], cuts])
    return float(np.linalg.norm(points, axis=1).max(initial=0.0)) or 1.0


def row_units(system: System, rows: int) -> Array:
    """Of all rows of the cut joints and the others, the system's length for those that hold translations, else 1."""
    units, length = np.ones(rows), length_of(system)
    joints = system.mechanism.joints
    held = [i for name in system.cut_joints for i in joints[name].joint.held]
    units[: len(held)][np.array(held, dtype=int) >= 3] = length
    owners = dict.fromkeys(system.extra_rows.owners)
    units[len(held) :][[x for name in owners for x in system.constraints[name].lengths(joints)]] = length
    return units


def column_units(system: System) -> Array:
    """The system's length for coordinates that only translate."""
    slides = ~np.any(system.dofs["Y"][:, :3], axis=1)
    return np.where(slides, length_of(system), 1.0)
