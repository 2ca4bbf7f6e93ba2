"""Hubs: a part with many neighbours as copies of it that are welded to each other, in a tree of small degree.

Each copy has its share of mass and forces and a few of the neighbours, so that these are joined side by side and not one
after the other: the depth of the plan is logarithmic for stars, plates on many legs and suns with many planets. A weld is a
joint of the tree without velocities, and needs no code of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
MANY = 8  # neighbours above which a part is split
EACH = (4, 2, 1)  # neighbours of a copy, beside other copies: the first of these whose plan is not too deep


@dataclass(frozen=True, eq=False)
class Copies:
    """Of each part before it was split: the place of its first copy, their number, and how many children they carry; owner:
    of each copy the part that it belongs to; parent: of each copy the one that carries it; each: neighbours of a copy."""

    start: Integers
    count: Integers
    children: Integers
    owner: Integers
    parent: Integers
    each: int


def split(
    parts: NDArray[np.void], touching: list[list[int]], each: int = EACH[0]
) -> tuple[NDArray[np.void], Copies | None]:
    """Parts with hubs as copies that have so many neighbours each; None where there is nothing to split. touching: parts of
    each group of rows beside the joints of the tree, -1 for ground."""
    n, inner = len(parts), parts["parent"] >= 0
    children = np.bincount(parts["parent"][inner], minlength=n).astype(np.int64)
    ends = np.array([u for group in touching for u in _ends(group, parts["parent"])], dtype=np.int64)
    neighbours = children + np.bincount(ends, minlength=n)
    count = np.where(neighbours > MANY, -(-neighbours // each), 1).astype(np.int64)
    if n == 0 or count.max() == 1:
        return parts, None
    start = np.cumsum(count) - count
    made = np.repeat(parts, count)
    made["share"] = np.repeat(1.0 / count, count)
    place = np.arange(len(made)) - np.repeat(start, count)  # among the copies of a part
    others = place > 0
    made["nv"][others] = 0
    made["parent"][others] = np.repeat(start, count)[others] + (place[others] - 1) // 2
    taken = np.zeros(n, dtype=np.int64)
    for p in np.flatnonzero(inner):
        above = int(parts["parent"][p])
        made["parent"][start[p]] = start[above] + (taken[above] // each if count[above] > 1 else 0)
        taken[above] += 1
    owner = np.repeat(np.arange(n), count).astype(np.int64)
    return made, Copies(start, count, children, owner, made["parent"].astype(np.int64), each)


def _ends(group: list[int], parent: NDArray[np.int64]) -> list[int]:
    """Parts to which a group is a neighbour of its own: not those that carry another part of it."""
    own = [u for u in dict.fromkeys(group) if u >= 0]
    carrying = {int(parent[u]) for u in own}
    return [u for u in own if u not in carrying]


def spread(groups: list[list[int]], copies: Copies | None) -> list[list[int]]:
    """Parts that groups of rows touch, with one copy of each hub: that which carries another part of the group, else the
    copies take them in turn, after their children."""
    if copies is None:
        return groups
    taken, out = copies.children.copy(), []
    for group in groups:
        hubs = {int(copies.owner[u]) for u in group if copies.count[copies.owner[u]] > 1}
        own = {p: _carrying(group, p, copies) for p in hubs}
        for p, found in own.items():
            if found < 0:
                own[p] = int(copies.start[p] + min(taken[p] // copies.each, copies.count[p] - 1))
                taken[p] += 1
        out.append(list(dict.fromkeys(own.get(int(copies.owner[u]), u) for u in group)))
    return out


def _carrying(group: list[int], hub: int, copies: Copies) -> int:
    """The copy of a hub that carries a part of the group, -1 for none."""
    for u in group:
        above = int(copies.parent[u])
        if above >= 0 and copies.owner[above] == hub and copies.owner[u] != hub:
            return above
    return -1
