"""Free and ball joints in the conventions of other programs: their coordinates, and T with v_theirs = T v.

Then M = T^T M_theirs T and tau = T^T tau_theirs. Both sides must speak of the same body frame: give the body its `pose`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ChoiceError
from cotree.lie import exp_so3, quaternion_of, rotation_of_quaternion
from cotree.model.checks import array, shown

Array = NDArray[np.float64]

FREE = ("pinocchio", "mujoco", "drake", "exudyn")
BALL = ("pinocchio", "mujoco", "drake")  # Exudyn's ball joint is a constraint and has no coordinates
SCALAR_LAST, SCALAR_FIRST = [1, 2, 3, 0], [3, 0, 1, 2]


def free_joint(program: str, q: Any, group: str = "SE3") -> tuple[Array, Array]:
    """(their coordinates, T) of a free joint with our coordinates q (7,), its velocities those of `group`.

    pinocchio: (p, quaternion with the scalar last), (v, w) in body axes. mujoco: (p, quaternion), (p_dot in world, w in body
    axes). drake: (quaternion, p), (w, p_dot) in world axes. exudyn, a node of Euler parameters: (p, quaternion), the sums of
    reference and displacement, and their rates; T is (7, 6).
    """
    _choice("program", program, FREE)
    _choice("group", group, ("SE3", "SO3xR3"))
    x = array(q, (7,), "q", "free joint")
    e, p, R = x[:4], x[4:], rotation_of_quaternion(x[:4])
    to_world = R if group == "SE3" else np.eye(3)  # from our linear velocity to p_dot
    if program == "drake":
        return x, _diagonal(R, to_world)
    if program == "pinocchio":
        return np.array([*p, *e[SCALAR_LAST]]), _turned(_diagonal(np.eye(3), R.T @ to_world))
    angular = np.eye(3) if program == "mujoco" else quaternion_rates(e)
    return np.array([*p, *e]), _turned(_diagonal(angular, to_world), len(angular))


def free_joint_from(program: str, x: Any) -> Array:
    """Our coordinates (7,) of a free joint from theirs (7,)."""
    _choice("program", program, FREE)
    y = array(x, (7,), "coordinates", "free joint")
    if program == "drake":
        return y
    return np.array([*(y[3:][SCALAR_FIRST] if program == "pinocchio" else y[3:]), *y[:3]])


def ball_joint(program: str, q: Any) -> tuple[Array, Array]:
    """(their coordinates, T) of a ball joint with our quaternion q (4,).

    pinocchio: quaternion with the scalar last; mujoco: ours; drake: roll, pitch and yaw, and w in the parent's axes.
    """
    _choice("program", program, BALL)
    e = array(q, (4,), "q", "ball joint")
    if program == "drake":
        R = rotation_of_quaternion(e)
        roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
        return np.array([roll, np.arctan2(-R[2, 0], np.hypot(R[2, 1], R[2, 2])), yaw]), R
    return (e[SCALAR_LAST] if program == "pinocchio" else e), np.eye(3)


def ball_joint_from(program: str, x: Any) -> Array:
    """Our quaternion (4,) of a ball joint from their coordinates."""
    _choice("program", program, BALL)
    if program == "drake":
        roll, pitch, yaw = exp_so3(np.diag(array(x, (3,), "coordinates", "ball joint")))
        return quaternion_of(yaw @ pitch @ roll)
    y = array(x, (4,), "coordinates", "ball joint")
    return y[SCALAR_FIRST] if program == "pinocchio" else y


def quaternion_rates(e: Array) -> Array:
    """(4, 3): e_dot = quaternion_rates(e) w, w in body axes."""
    a, b, c, d = e
    return 0.5 * np.array([[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]])


def _diagonal(A: Array, B: Array) -> Array:
    return np.block([[A, np.zeros((len(A), 3))], [np.zeros((3, 3)), B]])


def _turned(T: Array, angular: int = 3) -> Array:
    """With the linear rows first."""
    return np.roll(T, -angular, axis=0)


def _choice(what: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ChoiceError(f"{what} is {shown(value)}; choose one of {', '.join(map(repr, choices))}")
