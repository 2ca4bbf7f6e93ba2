"""Whole turns, at the start, of joints that are limited and cut: q does not hold them, but angles around a planar loop do.

With parallel axes the turns of the joints around a loop add up, so that the angle across the cut joint is the sum of the
others, sign by sign, from the reference assembly on. Elsewhere it is taken between -pi and pi, and a warning says so where
another joint of the loop has turned further than that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.errors import RunWarning
from cotree.integrate.checks.run_warnings import warning
from cotree.model.joints import Prismatic, Revolute, Weld
from cotree.model.switches import Limit
from cotree.system.system import System
from cotree.topology.loops import Loop, fundamental_loop
from cotree.transitions.closing import measured

Array = NDArray[np.float64]
PARALLEL = 1e-9  # sine of the angle between axes
SAME = 1e-3  # rad: the loop is closed, so that the sum is the angle measured, but for whole turns


def wound(system: System, q: Array) -> tuple[dict[str, float], list[RunWarning]]:
    """(angles of limited joints that are cut, turns counted, by limit; warnings about those of which these are unknown)."""
    found: dict[str, float] = {}
    doubts: list[RunWarning] = []
    for limit in system.mechanism.devices.values():
        if not isinstance(limit, Limit) or limit.joint not in system.cut_joints or _axis(system, limit.joint) is None:
            continue
        loop = fundamental_loop(system.graph, system.tree, system.joint_names.index(limit.joint))
        here, total = measured(system, q, limit.joint, limit.coordinate), _sum_around(system, q, loop, limit.joint)
        if total is not None and abs(np.remainder(total - here + np.pi, 2.0 * np.pi) - np.pi) < SAME:
            found[limit.name] = total
        elif (far := _turned(system, q, loop)) is not None:
            doubts.append(warning("start", _unknown(limit, here, far)))
    return found, doubts


def _unknown(limit: Limit, here: float, far: str) -> str:
    return (
        f"limit {limit.name!r}: joint {limit.joint!r} is cut, so its number of full turns at the start is unknown, "
        f"and {far!r} in its loop has turned by more than half a turn; {limit.joint!r} is taken to be at {here:.4g} "
        f"rad. If it has "
        "turned further, cut another joint: mech.compile(cut=[...])"
    )


def _around(system: System, loop: Loop) -> list[tuple[int, str]]:
    """(sign, joint) of the tree's joints around a loop: from the cut joint's parent to its child. A floating body is
    attached by a joint that is not one of the mechanism's."""
    names, found = system.joint_names, []
    for sign, chain in ((-1, loop.tail_chain), (1, loop.head_chain)):
        for body in chain:
            edge = system.tree.edge[body]
            found.append((sign * system.tree.sign[body], names[edge] if edge < len(names) else ""))
    return found


def _sum_around(system: System, q: Array, loop: Loop, joint: str) -> float | None:
    """Angle of the cut joint by those of the others; None where axes are not parallel."""
    axis, total = _axis(system, joint), 0.0
    for sign, name in _around(system, loop):
        n = _axis(system, name) if name else None
        if n is None and not (name and isinstance(system.mechanism.joints[name].joint, (Prismatic, Weld))):
            return None
        if n is not None and axis is not None:
            if np.linalg.norm(np.cross(axis, n)) > PARALLEL:
                return None
            total += sign * float(np.sign(axis @ n)) * measured(system, q, name, None)
    return total


def _turned(system: System, q: Array, loop: Loop) -> str | None:
    """A joint around a loop that has turned by more than half a turn."""
    turning = (name for _, name in _around(system, loop) if name and _axis(system, name) is not None)
    return next((name for name in turning if abs(measured(system, q, name, None)) > np.pi), None)


def _axis(system: System, name: str) -> Array | None:
    """Unit vector of a revolute joint, of the mechanism as assembled."""
    joint = system.mechanism.joints[name].joint
    if not isinstance(joint, Revolute):
        return None
    axis = np.array(joint.axis, dtype=float)
    return np.asarray(axis / np.linalg.norm(axis))
