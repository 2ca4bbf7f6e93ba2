"""Which shapes can touch which: the register of pairs, and the points of contact that a pair may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.solids import around
from cotree.constraints.contacts.touch import Touch
from cotree.errors import ShapeError
from cotree.model.contacts import Contact
from cotree.model.mechanism import Mechanism

Array = NDArray[np.float64]
HOME = "cotree.constraints.contacts"  # where the pairs of this package register themselves


class Side(NamedTuple):
    """A body and the shape that it touches with."""

    body: str
    shape: Any


Points = Callable[[Contact, Side, Side], list[Touch]]
PAIRS: dict[tuple[type, type], Points] = {}


def pair(surface: type, *others: type) -> Callable[[Points], Points]:
    """Decorator: points(contact, a, b) gives the points at which a shape of class `surface` on body a and one of the other
    classes on body b may touch."""

    def decorate(points: Points) -> Points:
        for other in others:
            PAIRS[surface, other] = points
        return points

    return decorate


def points_of(contact: Contact) -> list[Touch]:
    """The points at which two shapes may touch, called as the contact, with [k] where there are several."""
    import_module(HOME)
    a, b = Side(contact.body_a, contact.shape_a), Side(contact.body_b, contact.shape_b)
    flipped = (type(a.shape), type(b.shape)) not in PAIRS
    if flipped:
        a, b = b, a
    points = PAIRS.get((type(a.shape), type(b.shape)))
    if points is None:
        raise ShapeError(
            f"contact {contact.name!r}: there is no contact between a {type(contact.shape_a).__name__} and a "
            f"{type(contact.shape_b).__name__}; {partners(type(contact.shape_a))}"
        )
    touches = points(contact, a, b)
    names = [contact.name if len(touches) == 1 else f"{contact.name}[{k}]" for k in range(len(touches))]
    near = spheres_around(a.shape, b.shape)
    return [replace(touch, name=name, flipped=flipped, near=near) for touch, name in zip(touches, names, strict=True)]


def spheres_around(a: Any, b: Any) -> tuple[Array, Array, float] | None:
    """Centres of spheres around two shapes and the sum of their radii, where both are bounded."""
    one, two = around(a), around(b)
    return None if one is None or two is None else (one[0], two[0], one[1] + two[1])


def can_touch(one: type, two: type) -> bool:
    """Whether there is a contact between shapes of two classes."""
    import_module(HOME)
    return (one, two) in PAIRS or (two, one) in PAIRS


def partners(kind: type) -> str:
    """What a shape can touch, in words."""
    known = sorted({x.__name__ for p in PAIRS if kind in p for x in p if p == (kind, kind) or x is not kind})
    return f"a {kind.__name__} may touch: {', '.join(known)}" if known else f"a {kind.__name__} touches nothing"


def all_points(mech: Mechanism) -> list[Touch]:
    """The points of all contacts of a mechanism, numbered in their order."""
    points = [touch for c in mech.devices.values() if type(c) is Contact for touch in points_of(c)]
    return [replace(touch, index=k) for k, touch in enumerate(points)]
