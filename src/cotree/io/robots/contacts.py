"""Collision shapes of a robot's file as contacts of its mechanism, where there is a contact between their kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from cotree.io.notes import listed
from cotree.io.robots.description import Robot
from cotree.io.robots.geometry import single_shape
from cotree.model.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape that may touch, on a body; its coefficient of friction, None where the file names none."""

    body: str
    shape: Any
    friction: float | None = None


@dataclass(frozen=True, eq=False)
class Touching:
    """Two shapes that may touch, with friction."""

    one: Solid
    two: Solid
    friction: float


def add_contacts(mech: Mechanism, pairs: Iterable[Touching]) -> list[str]:
    """The contacts of pairs of shapes, by the names of their bodies, and notes on pairs that there is no contact for."""
    from cotree.constraints.contacts.pairs import can_touch  # loads the compiler, and few files have contacts

    possible, left = [], Counter[str]()
    for p in pairs:
        if can_touch(type(p.one.shape), type(p.two.shape)):
            possible.append(p)
        else:
            left[" and ".join(sorted(type(x.shape).__name__ for x in (p.one, p.two)))] += 1
    times = Counter((p.one.body, p.two.body) for p in possible)
    count = Counter[tuple[str, str]]()
    for p in possible:
        both = (p.one.body, p.two.body)
        count[both] += 1
        name = f"{both[0]}, {both[1]}" + (f" ({count[both]})" if times[both] > 1 else "")
        mech.contact(name, both[0], p.one.shape, both[1], p.two.shape, p.friction)
    words = [f"{kinds}, {n} pairs" if n > 1 else kinds for kinds, n in sorted(left.items())]
    note = listed("contacts between", words, "are left out: there is none between such shapes")
    return [note] if note else []


def robot_pairs(mech: Mechanism, robot: Robot) -> tuple[list[Touching], list[str]]:
    """Pairs of collision shapes of links that no joint connects, and a note where the file names no friction: then it is 0."""
    joined = {frozenset((c.parent, c.child)) for c in mech.joints.values()}
    solids = [
        Solid(name, shape, g.friction)
        for name, link in robot.links.items()
        for g in link.geometry
        if g.role == "collision" and (shape := single_shape(g)) is not None
    ]
    pairs = [
        Touching(a, b, min((x.friction for x in (a, b) if x.friction is not None), default=0.0))
        for a, b in combinations(solids, 2)
        if a.body != b.body and frozenset((a.body, b.body)) not in joined
    ]
    silent = dict.fromkeys(x.body for p in pairs for x in (p.one, p.two) if x.friction is None)
    note = listed("collision shapes of", silent, "have no friction in the file; where neither of two has, it is 0")
    return pairs, [note] if note else []
