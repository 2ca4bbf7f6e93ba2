"""Locks and docks as constraints: what holds a joint where it is, and what closes one where two frames have met."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_residual
from cotree.errors import ShapeError, SwitchError, UnknownNameError
from cotree.kinematics.poses import poses
from cotree.lie import inverse
from cotree.model.checks import floats, several, shown
from cotree.model.constraints import Closing, Constraint, Coupling, Motion, Term, UserRows
from cotree.model.forces import UserFunction
from cotree.model.joints import Joint, Weld
from cotree.model.naming import unknown
from cotree.model.switches import Brake, Dock, Limit, Lock
from cotree.system.switched import places_of, switched
from cotree.system.system import System
from cotree.transitions.engaging import offset_of, shifted

Array = NDArray[np.float64]


def lock_of(system: System, q: Array, name: str, joint: str, coordinate: str | None = None) -> dict[str, Constraint]:
    """Constraints that hold a joint, or one of its coordinates, where it is at q.

    Coordinates that can be measured are held one by one; a joint without such coordinates, as a ball joint, is held as it
    is by a weld that closes beside it.
    """
    suffixes = [s.lstrip(".") for s in system.mechanism.joints[joint].joint.coordinate_names()]
    wanted = [coordinate] if coordinate is not None or len(suffixes) == 1 else suffixes
    if coordinate is None and not _measurable(system, joint):
        return {name: _weld(system, q, name, joint)}
    held = [_held(system, q, name if len(wanted) == 1 else f"{name}.{c}", Term(joint, c, 1.0), "lock") for c in wanted]
    return {c.name: c for c in held}


def coordinate_hold(
    system: System, q: Array, name: str, joint: str, coordinate: str | None, word: str = "lock"
) -> Coupling:
    """The row that holds one joint coordinate where it is at q."""
    return _held(system, q, name, Term(joint, coordinate, 1.0), word)


def measured(system: System, q: Array, joint: str, coordinate: str | None) -> float:
    """Value of a joint coordinate; of a turn across a cut joint between -pi and pi."""
    term = Term(joint, coordinate, 1.0)
    if joint in system.cut_joints:
        free = Coupling("measured", (term,), Motion(0.0), "coordinate")
        alone = switched(system, {free.name: free})
        return float(constraint_residual(alone, q)[-1])
    return float(q[system.dofs[system.velocity_index(term.name)]["iq"]])


def _held(system: System, q: Array, name: str, term: Term, word: str) -> Coupling:
    free = Coupling(name, (term,), Motion(0.0), word)
    switched(system, {name: free})  # complains where the coordinate cannot be measured
    return Coupling(name, (term,), Motion(measured(system, q, term.joint, term.coordinate)), word)


def _measurable(system: System, joint: str) -> bool:
    """Whether all coordinates of a joint can be read from q, or across it where it is cut."""
    kind = system.mechanism.joints[joint].joint
    if joint in system.cut_joints:
        return kind.dof == 1
    return all(system.dofs[j]["iq"] >= 0 for k in system.joint_links[joint] for j in _dofs(system, k))


def _dofs(system: System, link: int) -> range:
    row = system.links[link]
    return range(int(row["iv"]), int(row["iv"] + row["nv"]))


def _weld(system: System, q: Array, name: str, joint: str) -> Closing:
    connection = system.mechanism.joints[joint]
    a, b = _poses_of(system, q, connection.parent, connection.child)
    kind = connection.joint
    if kind.frame_child is not None:
        T = b @ kind.frame_child @ kind.frame()
    elif kind.frame_parent is not None:
        T = a @ kind.frame_parent @ kind.frame()
    else:
        T = b @ _joint_frame(system, connection.child, kind)
    sides = inverse(a) @ T, inverse(b) @ T
    return Closing(name, connection.parent, connection.child, Weld(), *sides, kind.moving, "lock", joint)


def dock_of(system: System, q: Array, dock: Dock, as_they_are: bool = True) -> Closing:
    """The joint of a dock; closed with the two bodies as they are at q, or with its frames where they were described."""
    joint = dock.joint
    A, B = dock_frames(system, dock)
    if as_they_are:
        a, b = _poses_of(system, q, dock.body_a, dock.body_b)
        B = inverse(b) @ a @ A
    return Closing(dock.name, dock.body_a, dock.body_b, joint, A, B)


def dock_frames(system: System, dock: Dock) -> tuple[Array, Array]:
    """Joint frames on the two bodies, in the frames of their data."""
    joint = dock.joint
    if joint.frame_parent is None and joint.frame_child is None:
        return _joint_frame(system, dock.body_a, joint), _joint_frame(system, dock.body_b, joint)
    A, B = (np.eye(4) if F is None else F for F in (joint.frame_parent, joint.frame_child))
    return A @ joint.frame(), B @ joint.frame()


def _joint_frame(system: System, body: str, joint: Joint) -> Array:
    """The joint frame as assembled, in the frame of a body's data."""
    place = places_of(system)
    F = joint.frame().copy()
    F[:3, 3] -= system.world["origin"][0]
    return inverse(place.frames[place.rows[body]]) @ F


def joint_place(system: System, q: Array, joint: str) -> Array:
    """Where the origin of a joint's frame on its parent is at q, in the world."""
    own = system.mechanism.joints[joint]
    frame = own.joint.frame_parent
    F = _joint_frame(system, own.parent, own.joint) if frame is None else frame @ own.joint.frame()
    return np.asarray((poses(system, q)[system.row_of(own.parent)] @ F)[:3, 3], dtype=np.float64)


def _poses_of(system: System, q: Array, a: str, b: str) -> tuple[Array, Array]:
    found = poses(system, q)
    return found[system.row_of(a)], found[system.row_of(b)]


def activated(system: System, q: Array, items: Iterable[Any], t: float = 0.0) -> dict[str, Constraint]:
    """Constraints that `activate` asks for: names of joints, coordinates, locks, brakes, docks or constraints that are not
    in force, or rows (m, nv) of a Jacobian."""
    found: dict[str, Constraint] = {}
    for k, item in enumerate(several(items, "activate")):
        name = getattr(item, "name", item)
        new = _named(system, t, q, name) if isinstance(name, str) else _rows(system, item, k)
        found.update({name: c for name, c in new.items() if name not in system.constraints})
    return found


def _named(system: System, t: float, q: Array, name: str) -> dict[str, Constraint]:
    mech = system.mechanism
    device = mech.devices.get(name)
    if isinstance(device, Dock):
        return {name: dock_of(system, q, device)}
    if isinstance(device, Lock | Brake | Limit):
        return lock_of(system, q, name, device.joint, device.coordinate)
    if name in mech.constraints:
        c = mech.constraints[name]
        return {name: shifted(c, offset_of(system, c, t, q))}
    joint, _, coordinate = name.rpartition(".")
    if name in mech.joints:
        joint, coordinate = name, ""
    if joint not in mech.joints:
        known = [*mech.joints, *system.coordinate_names, *mech.devices, *mech.constraints]
        raise UnknownNameError(
            f"activate: {unknown(name, 'joint, coordinate, lock or constraint', known, 'the names are')}"
        )
    connection = mech.joints[joint]
    if connection.joint.dof == 0:
        raise SwitchError(f"activate: joint {joint!r} is a weld, so there is nothing to lock; name a joint that moves")
    if coordinate:
        mech._check_coordinate(connection, coordinate, f"activate {name!r}", SwitchError)
    return lock_of(system, q, f"lock {name}", joint, coordinate or None)


def _rows(system: System, item: Any, k: int) -> dict[str, Constraint]:
    J = floats(item)
    if J is None or J.ndim not in (1, 2) or J.shape[-1] != system.nv or not np.isfinite(J).all():
        raise ShapeError(
            f"activate: item {k} is {shown(item)}; give names of joints or constraints, or finite rows (m, {system.nv})"
        )
    J, name = np.atleast_2d(J), f"rows {k}"
    return {name: UserRows(name, len(J), UserFunction(lambda q: J, ("q",), len(J)), None, None, _still(len(J)))}


def _still(rows: int) -> UserFunction:
    return UserFunction(lambda t: np.zeros(rows), ("t",), rows)
