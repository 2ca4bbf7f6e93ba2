"""What joints transmit in a switch of a run, with blows, stops and locks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.dynamics.api import mass_matrix
from cotree.errors import MotionError
from cotree.judge import CONSISTENT
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.model.switches import Brake, Impulse, JointImpulse, Limit
from cotree.system.switched import switched
from cotree.system.system import System
from cotree.transitions.forms import root, rows_in, taken
from cotree.transitions.resting import gauges, owners_of
from cotree.transitions.striking import wrench_of
from cotree.transitions.transmitted import transmitted_impulses

Array = NDArray[np.float64]


def switch_impulses(
    after: System, t: float, q: Array, dv: Array, acted: Sequence[str], hit: Sequence[str]
) -> dict[str, Array]:
    """(moment, force) [N m s, N s] that each joint transmits to its child in a switch. after: the system in force after it;
    acted: devices of its changes; hit: those with impulses.

    Impulses of the rows follow from the momentum balance M dv + J^T Lam = blows; J has what is in force, and stops that
    were hit, but no brakes, whose forces are bounded.
    """
    devices = after.mechanism.devices
    blows = [n for n in dict.fromkeys(acted) if isinstance(devices.get(n), Impulse | JointImpulse)]
    stops = [n for n in hit if isinstance(devices.get(n), Limit)]
    along = [n for n in blows if isinstance(devices[n], JointImpulse)]
    kept = {n: c for n, c in after.constraints.items() if not isinstance(devices.get(n), Brake)}
    system = switched(after, {**kept, **gauges(after, [n for n in (*stops, *along) if n not in kept])})
    L, J, owners = root(mass_matrix(system, q)), constraint_jacobian(system, q, t), owners_of(system)
    on_bodies, generalized = np.zeros((len(system.bodies), 6)), np.zeros(system.nv)
    for name in blows:
        device = devices[name]
        if isinstance(device, Impulse):
            on_bodies[system.row_of(device.body)] += wrench_of(system, q, device)
    for row, wrench in enumerate(on_bodies):
        if wrench.any():
            generalized += spatial_jacobian(system, q, system.body_names[row - 1]).T @ wrench
    Lam = np.zeros(len(J))
    for name in along:
        Lam[owners.index(name)] = -devices[name].impulse  # type: ignore[union-attr]
    rows = [k for k, name in enumerate(owners) if name not in along]
    A = rows_in(L, J)
    y = np.linalg.solve(L, generalized) - L.T @ dv - A.T @ Lam
    Lam[rows] = taken(A[rows], y)
    left = np.abs(y - A[rows].T @ Lam[rows]).max(initial=0.0)
    if left > CONSISTENT * max(1e-12, np.abs(L.T @ dv).max(initial=0.0), np.abs(y).max(initial=0.0)):
        raise MotionError(
            f"the velocities of the switch at t = {t:.9g} s do not balance momentum, {left:.3g} is unaccounted for, so that "
            f"joint impulses do not exist; use transitions='consistent' of stabilize= (with 'naive' rates are just set to zero)"
        )
    return transmitted_impulses(system, q, dv, Lam, on_bodies, t)
