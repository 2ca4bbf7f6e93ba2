"""Screw jack and universal-joint shaft."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cotree.errors import ModelError
from cotree.model.checks import number, unit
from cotree.model.joints import Helical, Prismatic, Revolute, Universal
from cotree.model.parts import Body, Connection
from cotree.model.ready_parts.frames import line, positive
from cotree.model.shapes import Rod

SLENDER = 0.03


class ScrewPart(NamedTuple):
    """What a screw jack consists of; the joint with its name is that by which the spindle turns."""

    turning: Connection
    spindle: Body
    nut: Connection


class ShaftPart(NamedTuple):
    """What a universal-joint shaft consists of; with a slip its two halves and the slide between them."""

    halves: tuple[Body, ...]
    first: Connection
    second: Connection
    slip: Connection | None


def add_screw_jack(
    mech: Any, name: str, base: Any, point: Any, load: Any, end: Any, lead: float, radius: float | None, density: float
) -> ScrewPart:
    """A spindle from a point of its base to a point of the load, in which its nut is."""
    who = f"screw jack {name!r}"
    a, b, along, length = line(point, end, who)
    pitch = number(lead, "lead", who)
    if pitch == 0.0:
        raise ModelError(f"{who}: lead is 0; give the metres by which one turn moves the nut")
    r = SLENDER * length if radius is None else positive(number(radius, "radius", who), "radius", who)
    spindle = mech.body(f"{name} spindle", shape=Rod(a, b, r), density=density)
    turning = mech.joint(name, base, spindle, Revolute(a, along))
    # a nut that does not turn moves on by the lead, where the spindle turns by one turn
    nut = mech.joint(f"{name} nut", spindle, load, Helical(b, along, pitch=-pitch / (2.0 * np.pi)))
    return ScrewPart(turning, spindle, nut)


def add_shaft(
    mech: Any, name: str, body_a: Any, point_a: Any, axis_a: Any, body_b: Any, point_b: Any, axis_b: Any, slip: bool,
    radius: float | None, density: float,
) -> ShaftPart:  # fmt: skip
    """A shaft between two universal joints, whose yokes on it lie in one plane."""
    who = f"universal-joint shaft {name!r}"
    a, b, along, length = line(point_a, point_b, who)
    r = SLENDER * length if radius is None else positive(number(radius, "radius", who), "radius", who)
    first, second = unit(axis_a, "axis_a", who), unit(axis_b, "axis_b", who)
    normal = _normal(first, along) if np.linalg.norm(np.cross(first, along)) > 1e-6 else _normal(second, along)
    if normal is None:
        normal = _normal(np.eye(3)[int(np.argmin(np.abs(along)))], along)
    assert normal is not None
    yoke, middle = np.cross(along, normal), 0.5 * (a + b)
    last = np.cross(second, yoke)
    if min(float(np.linalg.norm(last)), abs(float(first @ along)), abs(float(second @ along))) < 0.05:
        raise ModelError(f"{who}: a universal joint is bent by about 90 degrees, where it locks; move its points")
    ends = ((a, middle), (middle, b)) if slip else ((a, b),)
    labels = (f"{name} first half", f"{name} second half") if slip else (name,)
    halves = tuple(mech.body(n, shape=Rod(*e, r), density=density) for n, e in zip(labels, ends, strict=True))
    one = mech.joint(f"{name} joint a", body_a, halves[0], Universal(a, normal, yoke))
    slide = mech.joint(f"{name} slip", *halves, Prismatic(axis=along, point=middle)) if slip else None
    two = mech.joint(f"{name} joint b", halves[-1], body_b, Universal(b, yoke, last))
    return ShaftPart(halves, one, two, slide)


def _normal(axis: Any, along: Any) -> Any:
    """The unit normal of two directions; None where they are parallel."""
    n = np.cross(axis, along)
    size = float(np.linalg.norm(n))
    return n / size if size > 1e-6 else None
