"""Cylinders on planes; spheres and pins in holes and slots; rollers, points and flats on profiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.constraints.contacts.ball_in_slot import BallInSlot
from cotree.constraints.contacts.ball_on_line import BallOnLine
from cotree.constraints.contacts.ball_on_profile import BallOnProfile
from cotree.constraints.contacts.curves import curvatures, curve_of
from cotree.constraints.contacts.flat_on_profile import FlatOnProfile
from cotree.constraints.contacts.pairs import Side, pair
from cotree.constraints.contacts.rim_on_plane import RimOnPlane
from cotree.constraints.contacts.solids import Array, corners
from cotree.constraints.contacts.touch import Touch
from cotree.errors import ShapeError
from cotree.judge import PARALLEL
from cotree.model.contact_shapes import Hole, Plane, Point, Profile, Slot
from cotree.model.contacts import Contact
from cotree.model.joints import axis_frame
from cotree.model.shapes import Cylinder, Rod, Sphere

ROUND = 8  # points that the rim of a cylinder stands on


@pair(Plane, Cylinder)
def rims_on_plane(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """Of both rims the lowest point, and the points that they stand on."""
    p, q = np.array(b.shape.a), np.array(b.shape.b)
    F = axis_frame(np.zeros(3), (q - p) / np.linalg.norm(q - p))
    angles = 2.0 * np.pi * np.arange(ROUND) / ROUND
    ways = [None, *(np.cos(t) * F[:3, 0] + np.sin(t) * F[:3, 1] for t in angles)]
    plane: dict[str, Any] = {"origin": np.array(a.shape.point), "normal": np.array(a.shape.normal)}
    return [
        RimOnPlane(
            "", contact.name, a.body, b.body, center=end, axis=F[:3, 2], radius=float(b.shape.radius), to=to, **plane
        )
        for end in (p, q)
        for to in ways
    ]


@pair(Hole, Sphere, Point, Rod, Cylinder)
def in_hole(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """A ball in a hole; a pin by its two ends."""
    hole: dict[str, Any] = {"origin": np.array(a.shape.point), "axis": np.array(a.shape.axis)}
    pins = corners(b.shape)
    _check_clearance(contact, a.shape.radius, pins[0][1])
    return [
        BallOnLine(
            "", contact.name, a.body, b.body, low=-np.inf, high=np.inf, around=a.shape.radius, side=-1.0, center=c,
            radius=r, **hole,
        )
        for c, r in pins
    ]  # fmt: skip


@pair(Slot, Sphere, Point, Rod, Cylinder)
def in_slot(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """A ball in a slot; a pin by its two ends."""
    slot, pins = a.shape, corners(b.shape)
    _check_clearance(contact, slot.radius, pins[0][1])
    axis, way = np.array(slot.axis), np.subtract(slot.end, slot.start)
    way = way - (way @ axis) * axis
    length = float(np.linalg.norm(way))
    return [
        BallInSlot(
            "", contact.name, a.body, b.body, origin=np.array(slot.start), direction=way / length, axis=axis,
            length=length, half=slot.radius, center=c, radius=r, open=slot.open_start,
        )
        for c, r in pins
    ]  # fmt: skip


def _check_clearance(contact: Contact, hole: float, pin: float) -> None:
    if pin >= hole:
        raise ShapeError(
            f"contact {contact.name!r}: a pin of radius {pin:g} m has no clearance in a {hole:g} m one; give a smaller radius, "
            "or connect the bodies by a joint"
        )


@pair(Profile, Sphere, Point, Rod, Cylinder)
def on_profile(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """A roller, or a point, on the curve."""
    who = f"contact {contact.name!r}"
    center, radius = _roller(contact, b.shape, np.array(a.shape.axis))
    curve = curve_of(a.shape, who)
    hollow = -float(curvatures(curve).min())
    if hollow * radius > 1.0 - 1e-9:
        raise ShapeError(
            f"{who}: a roller of radius {radius:g} m touches twice in the hollows of the profile, whose radius is "
            f"{1.0 / hollow:g} m there; give a smaller roller"
        )
    return [BallOnProfile("", contact.name, a.body, b.body, curve=curve, center=center, radius=radius)]


def _roller(contact: Contact, shape: Any, axis: Array) -> tuple[Array, float]:
    """Centre and radius of a ball, or of a cylinder across the plane of the profile."""
    ends = corners(shape)
    if len(ends) == 2:
        along = ends[1][0] - ends[0][0]
        if np.linalg.norm(np.cross(along, axis)) > PARALLEL * np.linalg.norm(along):
            raise ShapeError(
                f"contact {contact.name!r}: the roller's axis is {along.tolist()}, that of the profile {axis.tolist()}; give a "
                "roller along the profile's axis, or a sphere"
            )
    return np.mean([c for c, _ in ends], axis=0), ends[0][1]


@pair(Profile, Plane)
def flat_on_profile(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """A flat follower on a curve that is round everywhere."""
    who = f"contact {contact.name!r}"
    curve = curve_of(a.shape, who)
    least = float(curvatures(curve).min())
    if least <= 0.0:
        raise ShapeError(
            f"{who}: the profile is straight or hollow at places (curvature {least:g} 1/m), where a flat touches along a "
            "line or at several points; give a convex profile, or a roller"
        )
    plane: dict[str, Any] = {"point": np.array(b.shape.point), "normal": np.array(b.shape.normal)}
    return [FlatOnProfile("", contact.name, a.body, b.body, curve=curve, **plane)]
