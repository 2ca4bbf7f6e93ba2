"""Relative velocities of two bodies in configurations near the reference assembly, found by moving the mechanism there.

Where all of them lie in one Lie algebra, so does the motion: what joints and loops prove may be larger, since each leg of a
parallel robot on its own can do more than its platform."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble
from cotree.constraints.tangents import Rows, Tangent
from cotree.errors import CotreeError
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.kinematics.poses import poses
from cotree.lie.matrices import Ad, inverse
from cotree.system.system import System

Array = NDArray[np.float64]
LARGE = 60  # coordinates above which it is not tried
SAMPLES, ENOUGH = 12, 8  # configurations that are tried, and how many must be found
FAR, HALVINGS = (
    0.3,
    4,
)  # how far they are, in radians and parts of the system's length; shorter where loops do not close


def observed_twists(system: System, a: int, b: int) -> Array | None:
    """(6, k): twists of body b against body a (rows of a system) at several configurations, in the world frame of the reference
    assembly; None for large systems, where loops do not close nearby, and where the reference assembly is singular."""
    if system.nv > LARGE:
        return None
    try:
        rows, start = Rows.of(system, 0.0), assemble(system, system.q0)
        first = Tangent.at(rows, start)
        nearby = _nearby(first)
    except CotreeError:
        return None
    if len(nearby) < ENOUGH or any(x.N.shape != first.N.shape for x in nearby):
        return None
    here = poses(system, start)[a]
    return np.concatenate([_twists(x, here, a, b) for x in (first, *nearby)], axis=1)


def _nearby(first: Tangent) -> list[Tangent]:
    rng, found = np.random.default_rng(0), list[Tangent]()
    for _ in range(SAMPLES):
        x = first.N @ rng.normal(size=first.N.shape[1])
        x *= FAR / max(float(np.abs(x).max(initial=0.0)), 1e-300)
        for k in range(HALVINGS):
            try:
                q = assemble(first.rows.system, first.rows.moved(first.q, x / 2**k), restarts=0)
            except CotreeError:
                continue
            found.append(Tangent.at(first.rows, q))
            break
    return found


def _twists(at: Tangent, here: Array, a: int, b: int) -> Array:
    """Of unit velocities; here: pose of body a in the reference assembly."""
    system, q = at.rows.system, at.q
    moved = poses(system, q)[a] @ inverse(here)
    J = spatial_jacobian(system, q, b) - spatial_jacobian(system, q, a)
    return np.asarray(Ad(inverse(moved)) @ (J * at.rows.columns) @ at.N)
