"""Hydraulic or pneumatic cylinder: barrel and rod, their eyes, the stroke, its stops and cushions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cotree.errors import ModelError
from cotree.model.checks import number, unit
from cotree.model.joints import Joint, Prismatic, Revolute, Spherical, Universal
from cotree.model.parts import Body, Connection
from cotree.model.ready_parts.frames import across, line, positive
from cotree.model.shapes import Cylinder, Rod

SLENDER = 0.04  # radius of the barrel beside the length, where none is given
STEEL = 7850.0  # kg/m^3


class CylinderPart(NamedTuple):
    """What a cylinder consists of; the stroke is a joint with the name of the part."""

    stroke: Connection
    barrel: Body
    rod: Body
    foot: Connection
    eye: Connection


def add_cylinder(
    mech: Any, name: str, body_a: Any, point_a: Any, body_b: Any, point_b: Any, axis: Any, stroke: Any, cushion: Any,
    radius: float | None, density: float, masses: Any,
) -> CylinderPart:  # fmt: skip
    """Between two points in the world, as assembled."""
    who = f"cylinder {name!r}"
    a, b, along, length = line(point_a, point_b, who)
    r = SLENDER * length if radius is None else positive(number(radius, "radius", who), "radius", who)
    lower, upper = _stroke(stroke, length, who)
    weights = (None, None) if masses is None else tuple(number(m, "masses", who) for m in masses)
    shapes = (Cylinder(a, a + 0.6 * (b - a), r), Rod(a + 0.5 * (b - a), b, 0.5 * r))
    barrel, rod = (
        mech.body(f"{name} {part}", mass=mass, shape=shape, density=density if mass is None else None)
        for part, mass, shape in zip(("barrel", "rod"), weights, shapes, strict=True)
    )
    foot: Joint
    eye: Joint
    if axis is None:
        u = across(along)
        foot, eye = Universal(a, u, np.cross(along, u)), Spherical(b)
    else:
        z = unit(axis, "axis", who)
        if abs(z @ along) > 1e-9:
            raise ModelError(
                f"{who}: axis must be perpendicular to the line of the cylinder; leave it out for ball joints"
            )
        foot, eye = Revolute(a, z), Revolute(b, z)
    joints = (
        mech.joint(f"{name} foot", body_a, barrel, foot),
        mech.joint(name, barrel, rod, Prismatic(axis=along, point=0.5 * (a + b))),
        mech.joint(f"{name} eye", rod, body_b, eye),
    )
    if stroke is not None:
        mech.limit(name, lower, upper, name=f"{name} stops")
        _put_cushion(mech, name, cushion, lower, upper, who)
    elif cushion is not None:
        raise ModelError(f"{who}: a cushion lies at the ends of the stroke; give stroke=(shortest, longest) too")
    return CylinderPart(joints[1], barrel, rod, joints[0], joints[2])


def _stroke(stroke: Any, length: float, who: str) -> tuple[float, float]:
    """Bounds of the displacement, from the shortest and the longest distance of the eyes."""
    if stroke is None:
        return 0.0, 0.0
    try:
        shortest, longest = (number(x, "stroke", who) for x in stroke)
    except (TypeError, ValueError):
        raise ModelError(f"{who}: stroke must be the shortest and the longest distance of its eyes") from None
    if not 0.0 < shortest <= length <= longest or shortest == longest:
        raise ModelError(
            f"{who}: its eyes are {length:g} m apart as assembled, which is not between {shortest:g} m and {longest:g} m, its "
            "stroke"
        )
    return shortest - length, longest - length


def _put_cushion(mech: Any, name: str, cushion: Any, lower: float, upper: float, who: str) -> None:
    """Elastic buffers before both ends: (length [m], force [N] at the end)."""
    if cushion is None:
        return
    way, force = (positive(number(x, "cushion", who), "cushion", who) for x in cushion)
    if 2.0 * way >= upper - lower:
        raise ModelError(f"{who}: cushions of {way:g} m do not fit into a stroke of {upper - lower:g} m; shorten them")
    table = [(lower, -force), (lower + way, 0.0), (upper - way, 0.0), (upper, force)]
    mech.nonlinear_joint_spring(f"{name} cushion", name, table)
