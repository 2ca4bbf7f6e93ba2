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
from cotree.kinematics.turns_around import axis_of, joints_around, loop_of, sum_around
from cotree.model.switches import Limit
from cotree.system.system import System
from cotree.topology.loops import Loop
from cotree.transitions.closing import measured

Array = NDArray[np.float64]
SAME = 1e-3  # rad: the loop is closed, so that the sum is the angle measured, but for whole turns


def wound(system: System, q: Array) -> tuple[dict[str, float], list[RunWarning]]:
    """(angles of limited joints that are cut, turns counted, by limit; warnings about those of which these are unknown)."""
    found: dict[str, float] = {}
    doubts: list[RunWarning] = []
    for limit in system.mechanism.devices.values():
        if not isinstance(limit, Limit) or limit.joint not in system.cut_joints or axis_of(system, limit.joint) is None:
            continue
        here, around = measured(system, q, limit.joint, limit.coordinate), sum_around(system, limit.joint)
        total = None if around is None else float(around @ q)
        if total is not None and abs(np.remainder(total - here + np.pi, 2.0 * np.pi) - np.pi) < SAME:
            found[limit.name] = total
        elif (far := _turned(system, q, loop_of(system, limit.joint))) is not None:
            doubts.append(warning("start", _unknown(limit, here, far)))
    return found, doubts


def _unknown(limit: Limit, here: float, far: str) -> str:
    return (
        f"limit {limit.name!r}: joint {limit.joint!r} is cut, so its number of full turns at the start is unknown, "
        f"and {far!r} in its loop has turned by more than half a turn; {limit.joint!r} is taken to be at {here:.4g} "
        f"rad. If it has "
        "turned further, cut another joint: mech.compile(cut=[...])"
    )


def _turned(system: System, q: Array, loop: Loop) -> str | None:
    """A joint around a loop that has turned by more than half a turn."""
    turning = (name for _, name in joints_around(system, loop) if name and axis_of(system, name) is not None)
    return next((name for name in turning if abs(measured(system, q, name, None)) > np.pi), None)
