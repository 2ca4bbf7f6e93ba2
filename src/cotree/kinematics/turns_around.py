"""Whole turns of a joint that is cut, by the angles of the others around its loop.

Poses give the angle across a cut joint up to whole turns. Where all axes around its loop are parallel the angles of the tree's
joints add up to it, turns counted, whether or not the loop is closed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.joints import Prismatic, Revolute, Weld
from cotree.system.sides import all_sides
from cotree.system.system import System
from cotree.topology.loops import Loop, fundamental_loop

Array = NDArray[np.float64]
PARALLEL = 1e-9  # sine of the angle between axes


def sum_around(system: System, joint: str) -> Array | None:
    """(nq,): numbers whose product with q is the angle of a cut joint, turns counted; None where axes are not parallel."""
    found: dict[str, Array | None] = system.cached("sums around loops", dict)
    if joint not in found:
        found[joint] = _sum(system, joint)
    return found[joint]


def with_turns(angle: Any, near: Any) -> Any:
    """Angles, up to whole turns, nearest to others."""
    return angle + 2.0 * np.pi * np.rint((near - angle) / (2.0 * np.pi))


def _sum(system: System, joint: str) -> Array | None:
    axis, total = axis_of(system, joint), np.zeros(system.nq)
    if axis is None:
        return None
    for sign, name in joints_around(system, loop_of(system, joint)):
        n = axis_of(system, name) if name else None
        if n is None and not (name and isinstance(system.mechanism.joints[name].joint, (Prismatic, Weld))):
            return None
        if n is not None:
            if np.linalg.norm(np.cross(axis, n)) > PARALLEL:
                return None
            total[system.dofs[system.velocity_index(name)]["iq"]] += sign * float(np.sign(axis @ n))
    return total


def loop_of(system: System, joint: str) -> Loop:
    """The loop that a cut joint closes."""
    return fundamental_loop(system.graph, system.tree, system.joint_names.index(joint))


def joints_around(system: System, loop: Loop) -> list[tuple[int, str]]:
    """(sign, joint) of the tree's joints around a loop: from the cut joint's parent to its child. A floating body is
    attached by a joint that is not one of the mechanism's."""
    names, found = system.joint_names, []
    for sign, chain in ((-1, loop.tail_chain), (1, loop.head_chain)):
        for body in chain:
            edge = system.tree.edge[body]
            found.append((sign * system.tree.sign[body], names[edge] if edge < len(names) else ""))
    return found


def axis_of(system: System, name: str) -> Array | None:
    """Unit vector of a revolute joint in the world, of the mechanism as assembled, however the joint is described."""
    if not isinstance(system.mechanism.joints[name].joint, Revolute):
        return None
    return np.asarray(all_sides(system)[1][system.joint_names.index(name), :3, 2])
