"""The smallest motion group of two screws, in plain numbers: the question that most loops ask, over and over again.

The same fits as in `closure` without arrays: the singular values of the two axes follow from their cross product, their common
direction from their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from cotree.screws.kinds import Kind

Triple = tuple[float, float, float]
KINDS = {  # translates (across, along) the axis besides
    (False, False): Kind.REVOLUTE,
    (False, True): Kind.CYLINDRICAL,
    (True, False): Kind.PLANAR,
    (True, True): Kind.SCHOENFLIES,
}
CLIMBING = {Kind.REVOLUTE: Kind.HELICAL, Kind.PLANAR: Kind.HELICAL_PLANAR}


def about_one_axis(
    x: Sequence[float], y: Sequence[float], tol: float
) -> tuple[Kind, Triple, Triple | None, float | None] | None:
    """(kind, axis, point, pitch) of two screws that turn about parallel axes; None if they are of another sort."""
    a, b = _scaled(x, 1.0), _scaled(y, 1.0)
    p, q = hypot(*a), hypot(*b)
    largest = hypot(p, q)
    if largest <= tol:
        return None
    sine = hypot(*_cross(a, b))
    s = (0.5 * (largest**2 + max(largest**4 - 4.0 * sine**2, 0.0) ** 0.5)) ** 0.5
    if sine / s > tol:
        return None
    sign = 1.0 if _dot(a, b) >= 0.0 else -1.0
    e = (p * a[0] + sign * q * b[0], p * a[1] + sign * q * b[1], p * a[2] + sign * q * b[2])
    e = _scaled(e, 1.0 / hypot(*e))
    return _fitted(e, (_dot(e, a), _dot(e, b)), (_scaled(x[3:], 1.0), _scaled(y[3:], 1.0)), tol)


def _fitted(
    e: Triple, turns: tuple[float, float], v: tuple[Triple, Triple], tol: float
) -> tuple[Kind, Triple, Triple | None, float | None]:
    """(w, v)_i = turns_i (e, m) + (0, rest_i): by what of rest is along e and what is across it."""
    (i, k), (f, g) = turns, v
    size = i * i + k * k
    m = (
        (i * f[0] + k * g[0]) / size,
        (i * f[1] + k * g[1]) / size,
        (i * f[2] + k * g[2]) / size,
    )
    rests = [(z[0] - t * m[0], z[1] - t * m[1], z[2] - t * m[2]) for z, t in ((f, i), (g, k))]
    along = [_dot(e, r) for r in rests]
    across = [c for r, s in zip(rests, along, strict=True) for c in (r[0] - s * e[0], r[1] - s * e[1], r[2] - s * e[2])]
    kind = KINDS[hypot(*across) > tol, hypot(*along) > tol]
    h = _dot(e, m)
    climbs = kind in CLIMBING and abs(h) * size**0.5 > tol
    point = _cross(e, m) if kind in (Kind.REVOLUTE, Kind.CYLINDRICAL) else None
    return CLIMBING[kind] if climbs else kind, e, point, h if climbs else None


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Triple, b: Triple) -> Triple:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _scaled(a: Sequence[float], c: float) -> Triple:
    return (c * a[0], c * a[1], c * a[2])
