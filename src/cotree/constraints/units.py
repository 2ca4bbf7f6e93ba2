"""Units for rows and columns of a constraint Jacobian: metres in the system's own length, radians as they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.system.system import System

Array = NDArray[np.float64]
TINY = 1e-3  # of the system's length


def length_of(system: System) -> float:
    """Size of the system: largest distance of a mass centre, an axis or a cut joint from the system's origin; or 1."""
    return system.cached("length", lambda: _length_of(system))


def _length_of(system: System) -> float:
    cuts = system.cuts["frame_a"][:, 9:]
    points = np.concatenate([system.links["com"], system.dofs["foot"], cuts])
    return float(np.linalg.norm(points, axis=1).max(initial=0.0)) or 1.0


def row_units(system: System, rows: int) -> Array:
    """Of all rows of the cut joints and the others, the system's length for those that hold translations, else 1."""
    translations = system.cached("rows that hold translations", lambda: _translations(system))
    units = np.ones(rows)
    units[: len(translations)][translations[:rows]] = length_of(system)
    return units


def loop_units(system: System, rows: int) -> Array:
    """The same, where loops that are tiny beside the system have a unit of their own: else they would seem to hold nothing."""
    units = row_units(system, rows)
    if system.coordinates != "relative":
        return units
    joints, first = system.mechanism.joints, 0
    for loop in system.loop_rows:
        held = joints[loop.joint].joint.held
        if loop.scale.length < TINY * length_of(system):
            for k, i in enumerate(held):
                if i >= 3:
                    units[first + k] = loop.scale.length
        first += len(held)
    return units


def _translations(system: System) -> NDArray[np.bool_]:
    """Which of all rows of the cut joints and the others hold translations."""
    joints = system.mechanism.joints
    held = [i >= 3 for name in system.cut_joints for i in joints[name].joint.held]
    owners = dict.fromkeys(system.extra_rows.owners)
    others = [x for name in owners for x in system.constraints[name].lengths(joints)]
    return np.array([*held, *others], dtype=np.bool_)


def kept_row_units(system: System, rows: int) -> Array:
    """The same for rows of the cut joints as they are kept, which may join rotations and translations."""
    length, own, full = length_of(system), list[Array](), int(system.cuts["full"].sum())
    for cut in system.cuts:
        select = np.abs(cut["select"].reshape(6, 6)[: cut["kept"]])
        turns, slides = (select[:, 3:], select[:, :3]) if cut["universal"] else (select[:, :3], select[:, 3:])
        own.append(np.maximum(turns.max(axis=1), length * slides.max(axis=1)))
    kept = np.concatenate([*own, np.zeros(0)])
    return np.concatenate([kept, row_units(system, full + rows - len(kept))[full:]])


def contradiction(system: System, left: Array, b: Array, v: Array) -> float:
    """Largest part of `left`, J v - b of all rows, relative to the velocities, all in the units of rows and columns."""
    units = kept_row_units(system, len(left))
    speeds = (np.abs(b / units).max(initial=0.0), np.abs(v / column_units(system)).max(initial=0.0))
    return float(np.abs(left / units).max(initial=0.0)) / max(1.0, *speeds)


def column_units(system: System) -> Array:
    """The system's length for coordinates that only translate."""
    slides = system.cached("columns that translate", lambda: ~np.any(system.dofs["Y"][:, :3], axis=1))
    return np.where(slides, length_of(system), 1.0)
