"""Actuators by name: coordinates of the tree, and joints that are cut, along which a force acts between their two bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.row_wrench import add_row
from cotree.engine.kernel import kernel
from cotree.errors import DuplicateNameError, ForceError, ShapeError, UnknownNameError
from cotree.kinematics.cut_joint import cut_wrench
from cotree.kinematics.sweep import place_all
from cotree.model.checks import floats, several, shown
from cotree.model.joints import GROUP, QUATERNION, Free
from cotree.model.mechanism import Connection, nearest
from cotree.system.system import System
from cotree.system.views import open_cuts, open_tables

Array = NDArray[np.float64]
Place = tuple[int, int, int]  # coordinate of the tree, or -1; cut joint and component of the twist in its frame on b


def actuator_names(system: System, actuators: Any) -> tuple[str, ...]:
    """Coordinate names; the name of a joint stands for all its coordinates."""
    given = [actuators] if isinstance(actuators, (str, Connection)) else actuators
    known, out = _places(system), list[str]()
    for item in several(given, "actuators"):
        name = item.name if isinstance(item, Connection) else item
        out += [name] if isinstance(name, str) and name in known else _of_joint(system, name, known)
    twice = {name for name in out if out.count(name) > 1}
    if twice:
        raise DuplicateNameError(f"actuator {min(twice)!r} is named twice; name it once")
    return tuple(out)


def _of_joint(system: System, name: Any, known: dict[str, Place]) -> list[str]:
    """Names of all coordinates of a joint."""
    connection = system.mechanism.joints.get(name) if isinstance(name, str) else None
    if connection is None:
        owner = system.mechanism.joints.get(name.partition(".")[0]) if isinstance(name, str) else None
        if owner is None or owner.name not in system.cut_joints:
            hint = nearest(name, [*known, *system.joint_names])
            raise UnknownNameError(f"there is no actuator {shown(name)} in system {system.name!r}{hint}")
        connection = owner
    names = [connection.name + suffix for suffix in connection.joint.coordinate_names()] if connection.joint.dof else []
    if not names:
        raise ForceError(f"actuator {name!r} is a weld and has no coordinate; name a joint that moves")
    if name != connection.name or not all(n in known for n in names):
        raise ForceError(
            f"actuator {name!r}: joint {connection.name!r} is cut, and no force along this coordinate of a cut joint "
            f"is defined; compile in relative coordinates, with cut= naming another joint of its loop"
        )
    return names


def _places(system: System) -> dict[str, Place]:
    """Where each actuator acts; the user's joints before the free joints of floating bodies."""
    out: dict[str, Place] = {}
    for c, name in enumerate(system.cut_joints):
        joint = system.mechanism.joints[name].joint
        if joint.kind in (GROUP, QUATERNION) and not isinstance(joint, Free):
            out |= {name + s: (-1, c, i) for s, i in zip(joint.coordinate_names(), joint.free, strict=bool(joint.dof))}
    for j, name in enumerate(system.coordinate_names):
        out.setdefault(name, (j, -1, -1))
    return out


@kernel
def _put_cut(here, q, places, B):
    tables = open_tables(here)
    place_all(tables, q)
    cuts = open_cuts(here)
    for i in range(len(places)):
        if places[i, 0] < 0:
            cut = cuts[places[i, 1]]
            add_row(
                B,
                i,
                1.0,
                cut_wrench(cut, places[i, 2], tables.work),
                cut.link_a,
                cut.link_b,
                tables.links,
                tables.dof_work,
            )


def actuation(system: System, q: Array, names: tuple[str, ...]) -> Array:
    """(m, nv): B with tau = B^T u for forces u along the actuators."""
    known = _places(system)
    places = np.array([known[name] for name in names], dtype=np.int64).reshape(-1, 3)
    B = np.zeros((len(names), system.nv))
    _put_cut(system.here, q, places, B)
    for i, (j, _, _) in enumerate(places):
        if j >= 0:
            B[i, j] = 1.0
    return B


def per_actuator(names: tuple[str, ...], value: Any, what: str, default: float) -> Array:
    """(m,) numbers by name (those left out have the default) or in order."""
    if value is None:
        return np.full(len(names), default)
    if isinstance(value, Mapping):
        unknown = [key for key in value if key not in names]
        if unknown:
            raise UnknownNameError(f"{what}: there is no actuator {shown(unknown[0])}{nearest(unknown[0], names)}")
        value = [value.get(name, default) for name in names]
    a = floats(value)
    if a is None or a.shape != (len(names),) or not np.all(np.isfinite(a)):
        raise ShapeError(f"{what} must be {len(names)} finite numbers, one for each of {', '.join(map(repr, names))}")
    return a
