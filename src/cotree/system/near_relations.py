"""Axes that are parallel, perpendicular, coaxial or meet in a point, within a tolerance: what numbers with a few decimals mean.

Lengths are scaled by the size of the joints that share loops; a direction counts up to its sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cotree.lie import cross

Array = NDArray[np.float64]
Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
FLAT = 1e-3  # sine of the angle between lines below which where they meet is not asked
FAR = 10.0  # lengths: nor beyond this
CROSSED = 400  # with more directions than this they are not compared with each other


@dataclass
class Geometry:
    """Directions (n, 3), lines (place of a direction, point) and points of some joints, all scaled."""

    directions: list[Array] = field(default_factory=list)
    slides: set[int] = field(default_factory=set)  # those that are of translations
    points: list[Array] = field(default_factory=list)
    lines: dict[int, int] = field(default_factory=dict)  # place of the point of each line: place of its direction
    crosses: dict[int, list[int]] = field(
        default_factory=dict
    )  # the same of universal joints, which have two directions
    owners: list[int] = field(default_factory=list)  # joint of each point


@dataclass
class Relations:
    """What holds within the tolerance: a class of parallel directions for each direction, and its sign there; pairs of classes
    that are perpendicular, triples that are coplanar; pairs of points, and the class of the line through both: that of coaxial
    lines, or an axis of a universal joint; where lines and points meet, and which do."""

    classes: NDArray[np.int64]
    signs: Array
    means: Array
    perpendicular: list[tuple[int, int]]
    coplanar: list[tuple[int, int, int]]
    coaxial: list[tuple[int, int, int]]
    meeting: list[tuple[Array, set[int]]]


def relations(geometry: Geometry, tol: float, pairs: Pairs) -> Relations:
    """All relations; `pairs`: places of the points whose lines are compared."""
    U = np.array(geometry.directions).reshape(-1, 3)
    classes, signs, means = parallel_classes(U, tol)
    slides = sorted({int(classes[k]) for k in geometry.slides})
    coaxial, found = _lines(geometry, classes, means, tol, pairs)
    coaxial += _on_crosses(geometry, classes, means, tol, pairs)
    return Relations(
        classes, signs, means, _perpendicular(means, tol), _coplanar(means, slides, tol), coaxial, _gathered(found, tol)
    )


def parallel_classes(U: Array, tol: float) -> tuple[NDArray[np.int64], Array, Array]:
    """(class of each direction, its sign, mean of each class)."""
    classes, signs = np.full(len(U), -1), np.ones(len(U))
    means: list[Array] = []
    for k in range(len(U)):
        if classes[k] < 0:
            free = np.flatnonzero(classes < 0)
            own = free[np.linalg.norm(cross(U[free], U[k]), axis=1) <= 2.0 * tol]
            classes[own], signs[own] = len(means), np.where(U[own] @ U[k] < 0.0, -1.0, 1.0)
            mean = (signs[own, None] * U[own]).mean(axis=0)
            means.append(_upright(mean / np.linalg.norm(mean), tol))
    return classes.astype(np.int64), signs, np.array(means).reshape(-1, 3)


def _upright(e: Array, tol: float) -> Array:
    """The axis of the world next to a direction, if it is as near."""
    k = int(np.argmax(np.abs(e)))
    world = np.sign(e[k]) * np.eye(3)[k]
    return world if np.linalg.norm(e - world) <= tol else e


def _perpendicular(D: Array, tol: float) -> list[tuple[int, int]]:
    if len(D) > CROSSED:
        return []
    i, k = np.nonzero(np.triu(np.abs(D @ D.T) <= 2.0 * tol, 1))
    return list(zip(i.tolist(), k.tolist(), strict=True))


def _coplanar(D: Array, slides: Sequence[int], tol: float) -> list[tuple[int, int, int]]:
    """Triples of directions of translations in one plane."""
    if len(slides) > 8:
        return []
    return [(a, b, c) for a, b, c in combinations(slides, 3) if abs(np.linalg.det(D[[a, b, c]])) <= 2.0 * tol]


def _lines(
    geometry: Geometry, classes: NDArray[np.int64], D: Array, tol: float, pairs: Pairs
) -> tuple[list[tuple[int, int, int]], list[tuple[Array, float, set[int]]]]:
    """Pairs of lines that are one, and its class; and where lines and points meet, how well that is known, and which do."""
    P, (i, k) = np.array(geometry.points).reshape(-1, 3), pairs
    of = np.full(len(P), -1)
    of[list(geometry.lines)] = [classes[d] for d in geometry.lines.values()]
    directions = np.concatenate([D, np.zeros((1, 3))])[of]  # none for points: class -1
    swap = (of[i] < 0) & (of[k] >= 0)
    i, k = np.where(swap, k, i), np.where(swap, i, k)
    gap, both = P[k] - P[i], (of[i] >= 0) & (of[k] >= 0)
    one = both & (of[i] == of[k])
    across = np.linalg.norm(cross(gap, directions[i]), axis=1)
    coaxial = np.flatnonzero(one & (across <= 2.0 * tol))
    away = np.where(of[i] >= 0, across, np.linalg.norm(gap, axis=1))
    touching = np.flatnonzero(~both & (away <= 2.0 * tol))
    normal = cross(directions[i], directions[k])
    sine = np.linalg.norm(normal, axis=1)
    crossing = np.flatnonzero(both & ~one & (sine >= FLAT) & (np.abs(np.sum(normal * gap, axis=1)) <= 2.0 * tol * sine))
    found = [(P[k[x]], 1.0, {int(i[x]), int(k[x])}) for x in touching]
    for x in crossing:
        where = _middle(P[i[x]], directions[i[x]], P[k[x]], directions[k[x]])
        if np.linalg.norm(where) < FAR:
            found.append((where, float(sine[x]), {int(i[x]), int(k[x])}))
    return [(int(i[x]), int(k[x]), int(of[i[x]])) for x in coaxial], found


def _on_crosses(
    geometry: Geometry, classes: NDArray[np.int64], D: Array, tol: float, pairs: Pairs
) -> list[tuple[int, int, int]]:
    """Points of universal and ball joints on an axis of a universal joint. A hinge on such an axis meets its point as well, and
    is found there."""
    if not geometry.crosses:
        return []
    P, axes = np.array(geometry.points).reshape(-1, 3), np.full((len(geometry.points), 2), -1)
    axes[list(geometry.crosses)] = classes[list(geometry.crosses.values())]
    i, k = np.concatenate(pairs), np.concatenate(pairs[::-1])
    own = (axes[i, 0] >= 0) & ~np.isin(k, list(geometry.lines)) & (np.linalg.norm(P[k] - P[i], axis=1) > 2.0 * tol)
    i, k, found = i[own], k[own], set()
    for c in axes[i].T:
        near = np.flatnonzero(np.linalg.norm(cross(P[k] - P[i], D[c]), axis=1) <= 2.0 * tol)
        found |= {(int(min(i[x], k[x])), int(max(i[x], k[x])), int(c[x])) for x in near}
    return sorted(found)


def _middle(p: Array, d: Array, r: Array, e: Array) -> Array:
    """The point next to two lines."""
    s, t = np.linalg.lstsq(np.column_stack([d, -e]), r - p, rcond=None)[0]
    return np.asarray(0.5 * (p + s * d + r + t * e))


def _gathered(found: list[tuple[Array, float, set[int]]], tol: float) -> list[tuple[Array, set[int]]]:
    """Meeting points that are the same, gathered: the best known ones first."""
    places = np.zeros((len(found), 3))
    sets: list[set[int]] = []
    for where, sine, members in sorted(found, key=lambda x: -x[1]):
        near = np.flatnonzero(np.abs(places[: len(sets)] - where).max(axis=1, initial=0.0) <= 8.0 * tol / sine)
        if near.size:
            sets[near[0]] |= members
        else:
            places[len(sets)] = where
            sets.append(set(members))
    return list(zip(places, sets, strict=False))
