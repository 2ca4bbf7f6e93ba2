"""The same physical state in other coordinates: another cut, absolute ones, another group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.errors import MotionError
from cotree.judge import CLOSED
from cotree.kinematics.coordinates import displace
from cotree.kinematics.jacobians import body_jacobian
from cotree.kinematics.poses import poses, twists
from cotree.lie import inverse, log_se3
from cotree.system.system import System

Array = NDArray[np.float64]
STEPS = 60


def carried_configuration(system: System, other: System, q: Array) -> Array:
    """q of `system` at which all bodies are where they are at q of `other`, a system of the same mechanism.

    Coordinates that both have are taken over, turns and all; the others by Newton's method on the group.
    """
    target = dict(zip(other.body_names, poses(other, q)[1:], strict=True))
    goal = np.array([target[name] for name in system.body_names])
    x = system.q0.copy()
    for i, name in enumerate(system.q_names):
        if name in other.q_names:
            x[i] = q[other.q_index(name)]
    gap = _gaps(system, x, goal)
    for _ in range(STEPS):
        size = np.abs(gap).max()
        J = np.vstack([body_jacobian(system, x, name) for name in system.body_names])
        step = np.linalg.lstsq(J, gap, rcond=None)[0]
        for part in (1.0, 0.5, 0.25, 0.1, 0.01):
            trial = displace(system, x, part * step)
            left = _gaps(system, trial, goal)
            if np.abs(left).max() < size:
                break
        else:
            break
        x, gap = trial, left
    if np.abs(gap).max() > CLOSED * max(1.0, np.abs(goal[:, :3, 3]).max()):
        raise MotionError(
            f"the configuration of {other.name!r} cannot be expressed in these coordinates; residual "
            f"{np.abs(gap).max():.3g}"
        )
    return x


def carried_velocity(system: System, x: Array, other: System, q: Array, v: Array) -> Array:
    """v of `system` at x with which all bodies move as they do at (q, v) of `other`."""
    moving = dict(zip(other.body_names, twists(other, q, v, "body")[1:], strict=True))
    V = np.concatenate([moving[name] for name in system.body_names])
    J = np.vstack([body_jacobian(system, x, name) for name in system.body_names])
    u = np.linalg.lstsq(J, V, rcond=None)[0]
    if np.abs(J @ u - V).max() > 1e-8 * max(1.0, np.abs(V).max()):
        raise MotionError(f"the velocities of {other.name!r} cannot be expressed in these coordinates")
    return np.asarray(u, dtype=np.float64)


def _gaps(system: System, x: Array, goal: Array) -> Array:
    """Twists (6 n,) that lead the bodies to their goals."""
    return np.concatenate([log_se3(inverse(C) @ G) for C, G in zip(poses(system, x)[1:], goal, strict=True)])
