"""Forces that are functions: evaluated before a sweep, into the rows of numbers that the elements read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ForceError
from cotree.kinematics.poses import poses, twists
from cotree.lie import inverse
from cotree.model.calls import blame
from cotree.model.checks import floats, shown
from cotree.model.functions import word_of
from cotree.system.system import System

Array = NDArray[np.float64]


def element_values(system: System, q: Array, v: Array, t: float) -> Array:
    """(n, 3): numbers of the loads, then of the motors, at this state."""
    elements = system.elements
    if not elements.functions:
        return elements.constants
    values = elements.constants.copy()
    about: dict[int, dict[str, Any]] = {}
    for row, user in elements.functions:
        given = (
            _known(system, row, q, v, t, about) if set(user.arguments) - {"t", "q", "v"} else {"t": t, "q": q, "v": v}
        )
        try:
            returned = user.at(given)
            result = floats(returned, flags=True)
        except Exception as error:
            blame(error, f"the function of {_name(system, row)}", t)
            raise
        if result is None or result.size != user.size or not np.all(np.isfinite(result)):
            raise ForceError(
                f"the function of {_name(system, row)} must return {user.size} finite number{'s' * (user.size > 1)}, "
                f"got {shown(returned)}"
            )
        values[row, : user.size] = result.ravel()
    return values


def put_element_values(system: System, q: Array, v: Array, t: float) -> None:
    """Let the fast calls of this thread read the numbers at this state."""
    if system.elements.functions:
        system.own.values[:] = element_values(system, q, v, t)


def _name(system: System, row: int) -> str:
    names = [*system.mechanism.loads, *(f.name for f in system.mechanism.joint_forces.values() if f.torque is not None)]
    return f"{word_of(system.mechanism, names[row])} {names[row]!r}"


def _known(system: System, row: int, q: Array, v: Array, t: float, about: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """What a load's function may ask for."""
    if row not in about:
        load = system.elements.loads[row]
        body = int(load["body"])
        pose, V = poses(system, q)[body], twists(system, q, v, "spatial")[body]
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = system.bodies[body]["frame"][:9].reshape(3, 3), system.bodies[body]["frame"][9:]
        position = (pose @ inverse(frame) @ np.append(load["point"], 1.0))[:3]
        velocity = V[3:] + np.cross(V[:3], position)
        about[row] = {
            "t": t, "q": q, "v": v, "pose": pose, "omega": V[:3], "position": position, "velocity": velocity,
        }  # fmt: skip
    return about[row]
