"""Where two solids can turn about each other: a shaft in a hole, a ball in a socket. Pure geometry, no judgement yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.io.step.journals import Interval, Journal, ends_of, journals, length, union
from cotree.io.step.plain import SolidData, SphereFace, Vector

Array = NDArray[np.float64]
LEAST_TURN = np.radians(190.0)  # less than half round holds nothing: fillets, cradles
LEAST_BALL = 0.4  # of a whole sphere: rounded corners are an eighth
ALIGNED = 0.01  # rad: a first sieve; the distance of the axes at both ends decides


@dataclass(frozen=True)
class Match:
    """Two solids (by number, ascending) that share an axis or a centre; `inner` is the one with the shaft or ball."""

    pair: tuple[int, int]
    inner: int
    round: str  # "cylinder" or "sphere"
    point: Vector
    axis: Vector
    radius: float
    length: float  # of the overlap along the axis; 0 for spheres

    def coaxial(self, other: Match, tolerance: float) -> bool:
        """Whether both are about the same axis (cylinders) or centre (spheres)."""
        d, e = np.subtract(other.point, self.point), np.array(self.axis)
        if self.round != other.round:
            return False
        if self.round == "sphere":
            return bool(np.linalg.norm(d) <= tolerance)
        return bool(np.linalg.norm(d - e * (e @ d)) <= tolerance and abs(e @ other.axis) > np.cos(ALIGNED))


def find_matches(solids: list[SolidData], tolerance: float) -> list[Match]:
    """All of them, one for each axis or centre that two solids share, in the order of the solids."""
    own = [
        [j for j in journals(s.cylinders, tolerance) if j.turn >= LEAST_TURN and length(j.intervals) > 0]
        for s in solids
    ]
    balls = [balls_of(s.spheres, tolerance) for s in solids]
    found: list[Match] = []
    for pair in near_pairs(solids, tolerance):
        i, j = pair
        here: list[Match] = []
        candidates = [_shaft_in_hole(pair, a, b, tolerance) for a in own[i] for b in own[j]]
        candidates += [_ball_in_socket(pair, a, b, tolerance) for a in balls[i] for b in balls[j]]
        for match in sorted((m for m in candidates if m is not None), key=lambda m: -m.length):
            if not any(match.coaxial(m, tolerance) for m in here):  # a stepped shaft is one joint
                here.append(match)
        found += here
    return found


def near_pairs(solids: list[SolidData], tolerance: float) -> Iterator[tuple[int, int]]:
    """Pairs of solids whose bounding boxes meet."""
    low = np.array([s.low for s in solids]).reshape(-1, 3) - tolerance
    high = np.array([s.high for s in solids]).reshape(-1, 3) + tolerance
    for i in range(len(solids)):
        meets = np.all((low[i] <= high[i + 1 :]) & (low[i + 1 :] <= high[i]), axis=1)
        yield from ((i, i + 1 + int(k)) for k in np.flatnonzero(meets))


def _shaft_in_hole(pair: tuple[int, int], a: Journal, b: Journal, tolerance: float) -> Match | None:
    """A match if one is convex and one concave, radii agree, and the axes do over the length that overlaps."""
    if a.convex == b.convex or abs(a.radius - b.radius) > tolerance or abs(a.axis @ b.axis) < np.cos(ALIGNED):
        return None
    shared: list[Interval] = []
    for interval in b.intervals:
        low, high = sorted(a.along(ends_of(b.point, b.axis, interval)).tolist())
        shared += [(max(low, x), min(high, y)) for x, y in a.intervals if min(high, y) - max(low, x) > tolerance]
    if not shared or b.distance(ends_of(a.point, a.axis, (min(shared)[0], max(s[1] for s in shared)))) > tolerance:
        return None
    shared = union(shared)
    middle = a.point + 0.5 * (shared[0][0] + shared[-1][1]) * a.axis
    inner = pair[0] if a.convex else pair[1]
    return Match(pair, inner, "cylinder", triple(middle), triple(upward(a.axis)), a.radius, length(shared))


# -- spheres -------------------------------------------------------------------------------------------------


def balls_of(faces: list[SphereFace], tolerance: float) -> list[SphereFace]:
    """Spherical faces of one solid put together by centre, radius and side; those large enough to hold."""
    found: list[SphereFace] = []
    for face in faces:
        for k, ball in enumerate(found):
            if ball.convex == face.convex and _same_sphere(ball, face, tolerance):
                found[k] = SphereFace(ball.center, ball.radius, ball.area + face.area, ball.convex)
                break
        else:
            found.append(face)
    return [ball for ball in found if ball.area >= LEAST_BALL * 4.0 * np.pi * ball.radius**2]


def _same_sphere(a: SphereFace, b: SphereFace, tolerance: float) -> bool:
    return bool(abs(a.radius - b.radius) <= tolerance and np.linalg.norm(np.subtract(a.center, b.center)) <= tolerance)


def _ball_in_socket(pair: tuple[int, int], a: SphereFace, b: SphereFace, tolerance: float) -> Match | None:
    if a.convex == b.convex or not _same_sphere(a, b, tolerance):
        return None
    inner = pair[0] if a.convex else pair[1]
    return Match(pair, inner, "sphere", a.center, (0.0, 0.0, 1.0), a.radius, 0.0)


# -- small helpers ---------------------------------------------------------------------------------------------


def upward(axis: Array) -> Array:
    """The axis with its largest component positive: which way a file draws a cylinder means nothing."""
    return axis * np.sign(axis[np.argmax(np.abs(axis))])


def triple(values: Array) -> Vector:
    x, y, z = (values + 0.0).tolist()  # no -0.0 in what is printed
    return (x, y, z)
