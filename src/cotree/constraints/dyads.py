"""Loops with three unknown joints in a plane or on a sphere: all closed configurations, by algebra.

X1(a) X2(b) X3(c) = G, X_i(x) = exp(x Y_i) rotations or translations of one planar or spherical group. What X1 and X3 cannot
change is a function of b alone: the distance of a point of axis 3 from axis 1 (two rotations), the height of that point along
the direction across a translation, or the angle of the whole (two translations). In b it is A cos b + B sin b + C, or a
polynomial of degree two, known from three values: at most two roots, after which a and c follow. So the list is complete,
unless the equation vanishes (`Undetermined`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CotreeError
from cotree.judge import CLOSED, NEGLIGIBLE
from cotree.lie import exp_se3, inverse
from cotree.screws import axis_of

Array = NDArray[np.float64]


class Undetermined(CotreeError, ArithmeticError):
    """An equation vanishes: there are infinitely many solutions, or the algebra does not tell them."""


@dataclass(frozen=True, eq=False)
class Unknown:
    """A screw (w, v) of unit size: rotation about a line through `point` along `axis`, or translation along `axis`."""

    screw: Array
    axis: Array
    point: Array | None

    @staticmethod
    def of(screw: Array) -> Unknown:
        if np.linalg.norm(screw[:3]) > 0.5:
            axis, point, _ = axis_of(screw)
            return Unknown(screw, axis, point)
        return Unknown(screw, screw[3:] / np.linalg.norm(screw[3:]), None)

    @property
    def turns(self) -> bool:
        return self.point is not None

    def moved(self, x: float) -> Array:
        return np.asarray(exp_se3(x * self.screw))


def solutions(unknowns: tuple[Unknown, Unknown, Unknown], G: Array, centre: Array | None) -> list[tuple[float, ...]]:
    """All (a, b, c) with X1(a) X2(b) X3(c) = G; centre: of a spherical loop, None for a planar one."""
    one, two, three = unknowns
    found: list[tuple[float, ...]] = []
    for b in _roots(_invariant(one, three, centre), two, G):
        for a, c in _sides(one, three, two.moved(b), G, centre):
            if np.abs(one.moved(a) @ two.moved(b) @ three.moved(c) - G).max() < CLOSED:
                found.append((a, b, c))
    return _different(found, unknowns)


def _invariant(one: Unknown, three: Unknown, centre: Array | None) -> Callable[[Array], float]:
    """A function of displacements that motions of the first unknown before them and of the third behind leave as it is."""
    if centre is not None:
        return lambda g: float(one.axis @ g[:3, :3] @ three.axis)
    if one.point is not None and three.point is not None:
        p, r = one.point, three.point
        n = one.axis
        return lambda g: float(_across(_at(g, r) - p, n) @ _across(_at(g, r) - p, n))
    if three.point is not None:
        r, m = three.point, np.cross(three.axis, one.axis)
        return lambda g: float(m @ _at(g, r))
    if one.point is not None:
        p, m = one.point, np.cross(one.axis, three.axis)
        return lambda g: float(m @ _at(inverse(g), p))
    return lambda g: float(np.cross(one.axis, g[:3, :3] @ three.axis) @ _plane(one, three))


def _plane(one: Unknown, three: Unknown) -> Array:
    """Normal of the plane of two translations; where they are parallel they do not determine the rest."""
    n = np.cross(one.axis, three.axis)
    if np.linalg.norm(n) < NEGLIGIBLE:
        raise Undetermined
    return np.asarray(n / np.linalg.norm(n))


def _at(g: Array, p: Array) -> Array:
    return np.asarray(g[:3, :3] @ p + g[:3, 3])


def _across(x: Array, n: Array) -> Array:
    return np.asarray(x - (n @ x) * n)


def _roots(f: Callable[[Array], float], two: Unknown, G: Array) -> list[float]:
    """Values b of the second unknown with f(X2(b)) = f(G)."""
    if two.turns:
        y0, y1, y2 = (f(two.moved(b)) for b in (0.0, 0.5 * np.pi, np.pi))
        A, C = 0.5 * (y0 - y2), 0.5 * (y0 + y2)
        B = y1 - C
        size, rest = float(np.hypot(A, B)), f(G) - C
        if size < NEGLIGIBLE:
            raise Undetermined
        if abs(rest) > size * (1.0 + NEGLIGIBLE):
            return []
        middle, half = float(np.arctan2(B, A)), float(np.arccos(np.clip(rest / size, -1.0, 1.0)))
        return [middle - half, middle + half]
    y0, y1, y2 = (f(two.moved(b)) for b in (-1.0, 0.0, 1.0))
    p = np.array([0.5 * (y0 + y2) - y1, 0.5 * (y2 - y0), y1 - f(G)])
    if np.abs(p[:2]).max() < NEGLIGIBLE:
        raise Undetermined
    p = p if abs(p[0]) > NEGLIGIBLE else p[1:]
    if len(p) == 3:
        inside = p[1] ** 2 - 4.0 * p[0] * p[2]
        if inside < -NEGLIGIBLE * max(1.0, p[1] ** 2):
            return []
        root = np.sqrt(max(inside, 0.0))
        return [float((-p[1] - root) / (2.0 * p[0])), float((-p[1] + root) / (2.0 * p[0]))]
    return [float(-p[1] / p[0])]


def _sides(one: Unknown, three: Unknown, M: Array, G: Array, centre: Array | None) -> Iterator[tuple[float, float]]:
    """(a, c) with X1(a) M X3(c) = G, for M as told by the invariant."""
    if three.turns:
        if centre is not None:
            start, goal = M[:3, :3] @ three.axis, G[:3, :3] @ three.axis
        else:
            assert three.point is not None
            start, goal = _at(M, three.point), _at(G, three.point)
            if one.point is not None:
                start, goal = start - one.point, goal - one.point
        a = _angle(one.axis, start, goal) if one.turns else float(one.axis @ (goal - start))
        yield a, _value(three, inverse(M) @ inverse(one.moved(a)) @ G)
    elif one.turns:
        assert one.point is not None
        c = float(three.axis @ (_at(inverse(M), one.point) - _at(inverse(G), one.point)))
        yield _value(one, G @ inverse(three.moved(c)) @ inverse(M)), c
    else:  # G = M moved by both translations
        gap = G[:3, 3] - M[:3, 3]
        a, c = np.linalg.lstsq(np.column_stack([one.axis, M[:3, :3] @ three.axis]), gap, rcond=None)[0]
        yield float(a), float(c)


def _angle(axis: Array, start: Array, goal: Array) -> float:
    """Turn about the axis that leads one vector to another."""
    u, v = _across(start, axis), _across(goal, axis)
    if min(np.linalg.norm(u), np.linalg.norm(v)) < NEGLIGIBLE:
        raise Undetermined
    return float(np.arctan2(axis @ np.cross(u, v), u @ v))


def _value(unknown: Unknown, g: Array) -> float:
    """The x with X(x) = g, for a g that is such a motion."""
    if not unknown.turns:
        return float(unknown.axis @ g[:3, 3])
    R = g[:3, :3]
    w = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(unknown.axis @ w, np.trace(R) - 1.0))


def _different(found: list[tuple[float, ...]], unknowns: tuple[Unknown, ...]) -> list[tuple[float, ...]]:
    """Without those that are there twice, where two roots coincide."""
    out: list[tuple[float, ...]] = []
    for x in found:
        if not any(max(_apart(u, p, r) for u, p, r in zip(unknowns, x, y, strict=True)) < 1e-7 for y in out):
            out.append(x)
    return out


def _apart(unknown: Unknown, x: float, y: float) -> float:
    return abs((x - y + np.pi) % (2.0 * np.pi) - np.pi) if unknown.turns else abs(x - y)
