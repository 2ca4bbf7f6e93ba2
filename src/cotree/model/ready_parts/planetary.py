"""Planetary set: three shafts, coupled by Willis' equation, and planets that turn on the carrier."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cotree.errors import ModelError
from cotree.model.checks import number
from cotree.model.constraints import Coupling
from cotree.model.joints import Revolute
from cotree.model.parts import Body, Connection
from cotree.model.ready_parts.frames import across, positive
from cotree.model.shapes import Cylinder


class PlanetaryPart(NamedTuple):
    """What a planetary set adds to its three shafts."""

    coupling: Coupling
    planets: tuple[Body, ...]
    pins: tuple[Connection, ...]


def add_planetary(
    mech: Any, name: str, sun: Any, ring: Any, carrier: Any, teeth: Any, planets: int, module: float, width: float,
    density: float,
) -> PlanetaryPart:  # fmt: skip
    """Sun, ring and carrier are joints that turn about one axis against one body."""
    who = f"planetary set {name!r}"
    shafts = tuple(mech._connection(joint, who) for joint in (sun, ring, carrier))
    axis, point = _common_axis(shafts, who)
    try:
        of_sun, of_ring = (positive(number(z, "teeth", who), "teeth", who) for z in teeth)
    except TypeError:
        raise ModelError(f"{who}: teeth must be the numbers of teeth of sun and ring, such as (24, 60)") from None
    if not of_ring > of_sun:
        raise ModelError(f"{who}: the ring must have more teeth than the sun, got {of_sun:g} and {of_ring:g}")
    s, r, c = (shaft.name for shaft in shafts)
    willis = mech.coupling(name, {s: of_sun, r: of_ring, c: -(of_sun + of_ring)})
    bodies, pins = [], []
    if planets:
        size = positive(number(module, "module", who), "module", who)
        own, span = 0.5 * (of_ring - of_sun), 0.25 * size * (of_sun + of_ring)
        out = across(axis)
        for k in range(planets):
            angle, label = 2.0 * np.pi * k / planets, f"{name} planet {k + 1}"
            at = point + span * (np.cos(angle) * out + np.sin(angle) * np.cross(axis, out))
            ends = at - 0.5 * width * axis, at + 0.5 * width * axis
            bodies.append(mech.body(label, shape=Cylinder(*ends, 0.5 * size * own), density=density))
            pins.append(mech.joint(f"{label} pin", shafts[2].child, label, Revolute(at, axis)))
            mech.coupling(f"{label} mesh", {s: of_sun, c: -of_sun, f"{label} pin": own})
    return PlanetaryPart(willis, tuple(bodies), tuple(pins))


def _common_axis(shafts: tuple[Connection, ...], who: str) -> tuple[Any, Any]:
    """The axis about which all three turn against one body."""
    joints: list[Any] = [shaft.joint for shaft in shafts]
    if not all(isinstance(joint, Revolute) for joint in joints) or len({shaft.parent for shaft in shafts}) > 1:
        raise ModelError(f"{who}: sun, ring and carrier must be revolute joints with one and the same parent body")
    axes = [np.array(joint.axis) / np.linalg.norm(joint.axis) for joint in joints]
    points = [np.array(joint.point) for joint in joints]
    for axis, point in zip(axes, points, strict=True):
        apart = np.cross(axes[0], point - points[0])
        if axis @ axes[0] < 1.0 - 1e-9 or np.linalg.norm(apart) > 1e-9 * (1.0 + np.linalg.norm(point)):
            raise ModelError(f"{who}: sun, ring and carrier must turn about one axis in the same sense")
    return axes[2], points[2]
