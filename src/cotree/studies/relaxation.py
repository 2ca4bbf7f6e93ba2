"""How a mechanism comes to rest: steps along its overdamped motion, which lengthen to Newton's near a rest position.

A step solves (K + s) x = force, s at least so large that K + s is positive: then the forces do work along x, and where they
have a potential it falls. Steps are no longer than a radius within which the linear model foretells the forces. Stops are hit
on the way, leant on while they push, and left when they would pull.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.units import column_units
from cotree.dynamics.api import mass_matrix
from cotree.judge import BALANCED, NEGLIGIBLE
from cotree.kinematics.coordinates import displace
from cotree.studies.leaning import Stop, leant, left, passed, pulling, values_at
from cotree.studies.statics import Rest, Statics

Array = NDArray[np.float64]
STEPS = 400
RADIUS, LARGEST, SMALLEST = 0.3, 2.0, 1e-9  # rad, or parts of the system's length
TRUSTED, WELL_TRUSTED = 0.5, 0.1  # of the force: what the linear model may be off


@dataclass(frozen=True, eq=False)
class Settled:
    """Where a search ended: the forces there, the rows in force, whether it is a rest position."""

    statics: Statics
    rest: Rest
    found: bool


def relax(rest: Rest, stops: Mapping[str, Stop], q: Array) -> Settled | None:
    """The rest position that an overdamped motion from q leads to; None where the rows cannot be closed."""
    begun = _begun(rest, stops, q)
    if begun is None:
        return None
    (rest, now), radius = begun, RADIUS
    for _ in range(STEPS):
        away = pulling(rest, stops, now)
        if away is not None:
            rest = left(rest, away)
            now = rest.at(now.q)
            continue
        if now.unbalanced <= BALANCED:
            back = _begun(rest, stops, now.q) if passed(rest, stops, now.q) else (rest, now)
            if back is None or len(back[0].shut) == len(rest.shut):
                return Settled(now, rest, back is not None)
            rest, now = back
            continue
        x, reach, hit = _step(rest, stops, now, radius)
        new = _moved(
            rest if hit is None else replace(rest, shut={**rest.shut, hit[0]: hit[1]}), now, reach * (now.Z @ x)
        )
        if new is None or not _foretold(rest, now, new[1], reach * x, TRUSTED):
            if radius <= SMALLEST:
                return Settled(now, rest, now.unbalanced <= NEGLIGIBLE)
            radius = min(0.25 * radius, 0.25 * _length(rest, now, x))
            continue
        if _foretold(rest, now, new[1], reach * x, WELL_TRUSTED):
            radius = min(2.0 * radius, LARGEST)
        rest, now = new
    return Settled(now, rest, now.unbalanced <= NEGLIGIBLE)


def solve_forces(rest: Rest, stops: Mapping[str, Stop], q: Array) -> Settled | None:
    """A rest position of any kind near q, by damped Newton steps that shrink the force; stops at q are leant on."""
    begun = _begun(rest, stops, q)
    if begun is None:
        return None
    (rest, now), damping = begun, 1e-3
    for _ in range(STEPS // 4):
        if now.unbalanced <= BALANCED:
            break
        K, size = now.K, float(np.linalg.norm(now.K, 2)) or 1.0
        x = _solved(K.T @ K + damping * size**2 * min(1.0, now.unbalanced) * np.eye(len(K)), K.T @ now.force)
        x = x * min(1.0, 2.0 * RADIUS / max(_length(rest, now, x), 1e-300))
        new = _moved(rest, now, now.Z @ x)
        if new is not None and new[1].unbalanced * new[1].scale < now.unbalanced * now.scale:
            now, damping = new[1], max(0.1 * damping, 1e-14)
        elif damping > 1e6:
            break
        else:
            damping *= 10.0
    inside, held = not passed(rest, stops, now.q), pulling(rest, stops, now) is None
    return Settled(now, rest, inside and held and now.unbalanced <= NEGLIGIBLE)


def _begun(rest: Rest, stops: Mapping[str, Stop], q: Array) -> tuple[Rest, Statics] | None:
    """The closed position nearest to q that no stop forbids, and the stops that are leant on there."""
    for _ in range(1 + len(stops)):
        rest = leant(rest, stops, q)
        closed = rest.closed(q, mass_matrix(rest.system, q))
        if closed is None:
            return None
        q = closed
        if not passed(rest, stops, q):
            return rest, rest.at(q)
    return None


def _solved(A: Array, b: Array) -> Array:
    return np.asarray(np.linalg.solve(A, b), dtype=np.float64)


def _length(rest: Rest, now: Statics, x: Array) -> float:
    return float(np.abs(now.Z @ x / column_units(rest.system)).max(initial=0.0))


def _step(
    rest: Rest, stops: Mapping[str, Stop], now: Statics, radius: float
) -> tuple[Array, float, tuple[int, float] | None]:
    """(x, part of it up to the first stop, that stop's row and bound)."""
    K = now.K
    size, eye = float(np.linalg.norm(K, 2)), np.eye(len(K))
    least = float(np.linalg.eigvalsh(0.5 * (K + K.T))[0])
    grown = max(1e-3 * size, float(np.linalg.norm(now.force)) * 1e-6)
    s = 0.0 if least > 1e-10 * size else grown - least
    x = _solved(K + s * eye, now.force)
    while not _length(rest, now, x) <= radius:
        s, grown = s + grown, 2.0 * grown
        x = _solved(K + s * eye, now.force)
    reach, hit = 1.0, None
    if stops:
        C = replace(rest, open=frozenset()).jacobian(now.q) @ (now.Z @ x)
        for stop, value in values_at(rest, stops, now.q):
            speed = float(C[stop.row])
            if stop.row in rest.shut or speed == 0.0:
                continue
            bound = stop.upper if speed > 0.0 else stop.lower
            part = (bound - value) / speed
            if part < reach:
                reach, hit = max(part, 0.0), (stop.row, bound)
    return x, reach, hit


def _moved(rest: Rest, now: Statics, step: Array) -> tuple[Rest, Statics] | None:
    q = rest.closed(displace(rest.system, now.q, step), mass_matrix(rest.system, now.q))
    return None if q is None else (rest, rest.at(q))


def _foretold(rest: Rest, now: Statics, new: Statics, x: Array, part: float) -> bool:
    """Whether the force along the old displacements came out as the linear model says, and did work."""
    m = len(now.lam)
    force = now.Z.T @ (new.f - new.J[:m].T @ now.lam) if len(new.J) == m else now.Z.T @ new.f
    size = float(np.linalg.norm(now.force))
    off = float(np.linalg.norm(force - (now.force - now.K @ x)))
    if len(new.J) != m:  # a stop was hit: its row is new
        return True
    works = float(x @ (now.force + force)) >= 0.0 or float(np.linalg.norm(force)) <= 0.9 * size
    return off <= part * size + 1e-11 * now.scale and works
