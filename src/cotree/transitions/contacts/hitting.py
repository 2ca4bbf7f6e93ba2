"""Points of contact that close with a velocity: the impact, with all that is closed or leant on beside them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.measure import PointTable
from cotree.constraints.rank import DEPENDENT
from cotree.dynamics.api import energy
from cotree.errors import MotionError
from cotree.transitions.contacts.impacts import solve_impact
from cotree.transitions.contacts.instant import Instant
from cotree.transitions.forms import back

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Hit:
    """Velocities after an impact; points that hit, by number; impulses on body_a by contact, in world axes; energy lost;
    the law that was followed; simultaneous: whether other points took part."""

    v: Array
    points: tuple[int, ...] = ()
    impulses: dict[str, Array] = field(default_factory=dict)
    energy_loss: float = 0.0
    law: str = ""
    simultaneous: bool = False


def hit(at: Instant, near: list[int], rest: float, ended: Collection[str] = ()) -> Hit:
    """The impact of those of the points `near` that approach; ended: points that do not rebound any more."""
    rates = at.rows.W_N @ at.v
    hits = [k for k in near if rates[k] < -rest]
    if not hits:
        return Hit(at.v)
    stops = list(at.topology.leaning)
    cones = at.cones(near, stops=stops)
    e = cones.restitution([k in hits and at.touches[k].name not in ended for k in near], near)
    done = solve_impact(cones.G, cones.free_rates(at.v), cones.table, e)
    if not done.solved:
        raise MotionError(
            f"contacts {_names(at, near)} hit at t = {at.t:.9g} s, and no impulses within their friction cones were found "
            f"(residual {done.solution.residual:.1e}); give them less friction, or fewer of them at one point"
        )
    v = at.v + cones.jump(done.P)
    loss = energy(at.base, at.q, at.v).kinetic - energy(at.base, at.q, v).kinetic
    acted = [k for k, first in zip(near, cones.table["first"], strict=False) if done.P[first] > 0.0]
    return Hit(v, tuple(hits), _impulses(at, near, cones.table, done.P), loss, done.law, len({*acted, *hits}) > 1)


def rested(at: Instant, points: list[int]) -> Array:
    """Velocities with the gaps of these points at rest, whose bounces have ended: what was left of them is very little."""
    cones = at.cones(points)
    rows = cones.free[cones.table["first"]]
    return at.v - back(at.L, np.linalg.lstsq(rows, at.rows.W_N[points] @ at.v, rcond=DEPENDENT)[0])


def _names(at: Instant, points: Collection[int]) -> str:
    return ", ".join(repr(at.touches[k].name) for k in points)


def _impulses(at: Instant, near: list[int], table: NDArray[np.void], P: Array) -> dict[str, Array]:
    """On the user's body_a, by contact."""
    frames = PointTable(at.base, at.touches).measure(at.base, at.q, at.v)
    out: dict[str, Array] = {}
    for k, cone in zip(near, table, strict=False):
        touch, f = at.touches[k], int(cone["first"])
        if not P[f] > 0.0:
            continue
        on_b = in_world(frames[k], P[f : f + 1 + int(cone["tangents"])])
        sign = 1.0 if touch.flipped else -1.0
        out[touch.contact] = out.get(touch.contact, np.zeros(3)) + sign * on_b
    return out


def in_world(frame: Array, P: Array) -> Array:
    """A force on body b from its parts along normal and tangents; frame: what is measured of a point."""
    n, t1 = frame[4:7], frame[10:13]
    force = P[0] * n
    if len(P) > 1:
        force = force + P[1] * t1 + P[2] * np.cross(n, t1)
    return np.asarray(force, dtype=np.float64)
