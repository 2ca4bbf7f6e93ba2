"""Tables of the force elements of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ForceError
from cotree.model.forces import JointForce, UserFunction
from cotree.model.mechanism import Mechanism
from cotree.model.switches import Brake
from cotree.system.body_frames import Places
from cotree.system.coordinate_terms import component_across
from cotree.system.curves import put_curve
from cotree.system.force_kinds import ForceBuilder, Turning
from cotree.system.system import Elements
from cotree.system.tables import joint_force_t, load_t, spring_t

Array = NDArray[np.float64]


def element_tables(
    mech: Mechanism, place: Places, coordinates: Mapping[str, int], dofs: NDArray[np.void], cuts: Mapping[str, int]
) -> tuple[Elements, dict[str, int]]:
    """All tables, and the rows of numbers of the brakes; places of the velocity coordinates and of the cut joints by name."""
    springs = np.zeros(len(mech.springs), spring_t)
    for row, s in zip(springs, mech.springs.values(), strict=True):
        a, b = place.point(s.body_a, s.point_a), place.point(s.body_b, s.point_b)
        row["link_a"], row["link_b"] = place.link(s.body_a), place.link(s.body_b)
        row["point_a"], row["point_b"] = a, b
        row["length"] = np.linalg.norm(b - a) if s.length is None else s.length
        row["stiffness"], row["damping"] = s.stiffness, s.damping
    constants: list[Array] = []
    functions: list[tuple[int, UserFunction]] = []
    loads = np.zeros(len(mech.loads), load_t)
    for row, load in zip(loads, mech.loads.values(), strict=True):
        row["body"], row["link"] = place.rows[load.body], place.link(load.body)
        row["is_moment"], row["in_body"] = load.is_moment, load.frame == "body"
        at = mech.bodies[load.body].properties.com if load.point is None else load.point
        row["point"] = place.point(load.body, at)
        row["axes"] = place.axes(load.body).ravel()
        _book(load.value, constants, functions)
    brakes = [d for d in mech.devices.values() if isinstance(d, Brake)]
    rubbing = [JointForce(d.name, d.joint, d.coordinate, torque=np.zeros(1)) for d in brakes]
    first = len(mech.joint_forces)
    joint_forces = np.zeros(first + len(brakes), joint_force_t)
    for row, force in zip(joint_forces, [*mech.joint_forces.values(), *rubbing], strict=True):
        row["iv"], row["iq"], row["cut"], row["component"] = -1, -1, -1, -1
        if force.joint in cuts:
            row["cut"], row["component"] = cuts[force.joint], _component_of(force, mech)
        else:
            row["iv"], row["iq"] = _dof_of(force, coordinates, dofs)
        row["stiffness"], row["rest"], row["damping"] = force.stiffness, force.rest, force.damping
        for part in ("elastic", "resisting", "driving"):
            put_curve(row[part], getattr(force, part))
        row["slot"] = -1 if force.torque is None else len(constants)
        if force.torque is not None:
            _book(force.torque, constants, functions)
    for row, brake in zip(joint_forces[first:], brakes, strict=True):
        row["friction"], row["viscous"], row["speed"] = 1, brake.viscous, brake.stribeck
        row["excess"] = brake.static_ratio - 1.0
    slots = {d.name: int(row["slot"]) for d, row in zip(brakes, joint_forces[first:], strict=True)}
    build = ForceBuilder(
        place,
        lambda value: _book(value, constants, functions),
        lambda joint, who: _turning(mech, place, coordinates, dofs, joint, who),
    )
    for element in mech.elements.values():
        build.add(element)
    values = np.array(constants).reshape(-1, 3)
    return Elements(springs, loads, joint_forces, values, tuple(functions), *build.made()), slots


def _book(value: Any, constants: list[Array], functions: list[tuple[int, UserFunction]]) -> int:
    """Give a load, a motor or another force its row of numbers."""
    row = len(constants)
    if isinstance(value, UserFunction):
        functions.append((len(constants), value))
        constants.append(np.full(3, np.nan))
    else:
        constants.append(np.resize(value, 3))
    return row


def _turning(
    mech: Mechanism, place: Places, coordinates: Mapping[str, int], dofs: NDArray[np.void], joint: str, who: str
) -> Turning:
    """A joint of the tree that turns, for force elements that need its angle."""
    if joint not in coordinates:
        raise ForceError(
            f"{who}: joint {joint!r} is cut, so its angle is known only up to full turns; compile in relative coordinates, "
            "with cut= naming another joint of its loop"
        )
    iv = coordinates[joint]
    axis = np.array(dofs[iv]["Y"][:3])
    if not axis.any():
        raise ForceError(f"{who}: joint {joint!r} does not turn; name a revolute joint")
    c, link = mech.joints[joint], int(dofs[iv]["link"])
    bodies = (c.parent, c.child) if place.link(c.child) == link else (c.child, c.parent)
    return Turning(int(dofs[iv]["iq"]), iv, link, axis, bodies)


def _dof_of(force: JointForce, coordinates: Mapping[str, int], dofs: NDArray[np.void]) -> tuple[int, int]:
    """Place in v and, or -1, in q of a coordinate of the tree."""
    name = force.joint if force.coordinate is None else f"{force.joint}.{force.coordinate}"
    iv = coordinates[name]
    if (force.stiffness or force.elastic is not None) and dofs[iv]["iq"] < 0:
        raise ForceError(
            f"{force.name!r}: {name!r} is a velocity without a matching coordinate, so a spring on it is not "
            f"defined; give the joint "
            "coordinates='second' or use mech.spring"
        )
    return iv, int(dofs[iv]["iq"])


def _component_of(force: JointForce, mech: Mechanism) -> int:
    """Component of the twist in the frame of a cut joint. Springs see its angle between -pi and pi, and runs in which it turns
    further say so (`checks.turned_laws`)."""
    joint = mech.joints[force.joint].joint
    return component_across(joint, force.joint, force.coordinate, repr(force.name), ForceError)
