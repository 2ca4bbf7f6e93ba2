"""Units for rows and columns of a constraint Jacobian: metres in the system's own length, radians as they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.model.constraints import Closing, Coupling, UserRows
from cotree.model.joints import Prismatic, Universal
from cotree.system.system import System

Array = NDArray[np.float64]


def length_of(system: System) -> float:
    """Size of the system: greatest distance of a mass centre, an axis or a cut joint from the system's origin; or 1."""
    cuts = system.cuts["frame_a"][:, 9:]
    points = np.concatenate([system.links["com"], system.dofs["foot"], cuts])
    return float(np.linalg.norm(points, axis=1).max(initial=0.0)) or 1.0


def row_units(system: System, rows: int) -> Array:
    """Of all rows of the cut joints and the others, the system's length for those that hold translations, else 1."""
    units, length = np.ones(rows), length_of(system)
    held = [i for name in system.cut_joints for i in _held(system, name)]
    units[: len(held)][np.array(held, dtype=int) >= 3] = length
    units[len(held) :][[x for name in dict.fromkeys(system.extra_rows.owners) for x in _metres(system, name)]] = length
    return units


def _metres(system: System, name: str) -> list[bool]:
    """For each row of a constraint whether it is in metres: those of points, and of sliding joints alone."""
    c, joints = system.constraints[name], system.mechanism.joints
    if isinstance(c, Closing):
        return [i >= 3 for i in c.components]
    if isinstance(c, Coupling):
        return [all(isinstance(joints[term.joint].joint, Prismatic) for term in c.terms)]
    return [not isinstance(c, UserRows)] * c.rows


def _held(system: System, name: str) -> list[int]:
    """Twist components behind the rows of a cut joint, in their order."""
    joint = system.mechanism.joints[name].joint
    return [3, 4, 5, 0] if isinstance(joint, Universal) else [i for i in range(6) if i not in joint.free]


def column_units(system: System) -> Array:
    """The system's length for coordinates that only translate."""
    slides = ~np.any(system.dofs["Y"][:, :3], axis=1)
    return np.where(slides, length_of(system), 1.0)
