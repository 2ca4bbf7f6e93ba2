"""Points of contact that close with a velocity: the impact, with all that is closed or leant on beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.measure import PointTable
from cotree.dynamics.api import energy
from cotree.errors import MotionError
from cotree.judge import DEPENDENT
from cotree.transitions.contacts.cones import LAWS, OPEN, STICK
from cotree.transitions.contacts.impacts import ContactImpact, solve_impact
from cotree.transitions.contacts.instant import NONE, Cones, Instant
from cotree.transitions.contacts.slipping import all_closed
from cotree.transitions.contacts.solve import ConeSolution
from cotree.transitions.forms import back

Array = NDArray[np.float64]
SLOW = 1e-9  # relative: gaps that do not close
KNOWN = 1e-6  # residual up to which it is clear what opens, sticks and slips; velocities are made to fit it


@dataclass(frozen=True, eq=False)
class Hit:
    """Velocities after an impact; points that hit, by number; impulses on body_a by contact, in world axes; energy lost;
    the law that was followed; simultaneous: whether other points took part; on_b: impulses on body_b by point, in world axes;
    generalized (nv,): R^T P; undetermined: points whose impulses others could take over."""

    v: Array
    points: tuple[int, ...] = ()
    impulses: dict[str, Array] = field(default_factory=dict)
    energy_loss: float = 0.0
    law: str = ""
    simultaneous: bool = False
    on_b: dict[int, Array] = field(default_factory=dict)
    generalized: Array | None = None
    undetermined: tuple[int, ...] = ()


def hit(
    at: Instant, near: list[int], rest: float, ended: Collection[str] = (), law: str = LAWS[0],
    restitution: Mapping[str, float] = NONE,
) -> Hit:  # fmt: skip
    """The impact of those of the points `near` that approach; ended: points that do not rebound any more; restitution: of
    contacts by name, in place of their own."""
    rates = at.rows.W_N @ at.v
    hits = [k for k in near if rates[k] < -rest]
    if not hits:
        return Hit(at.v)
    stops = list(at.topology.leaning)
    cones = at.cones(near, stops=stops)
    e = cones.restitution([k in hits and at.touches[k].name not in ended for k in near], near, restitution)
    e = np.zeros(len(e)) if law == "plastic" else e
    before = cones.free_rates(at.v)
    done: ContactImpact | None = solve_impact(cones.G, before, cones.table, e, law)
    if done is not None and done.solution.residual > KNOWN:  # as of bodies of very unlike inertia
        done = by_sticking(cones, before, e)
    if done is None:
        raise MotionError(
            f"contacts {_names(at, near)} hit at t = {at.t:.9g} s, and no impulses within their friction cones were "
            f"found; give them less friction, or fewer of them at one point"
        )
    v = polished(cones, at.v + cones.jump(done.P), done, -e * np.minimum(before[cones.table["first"]], 0.0))
    loss = energy(at.base, at.q, at.v).kinetic - energy(at.base, at.q, v).kinetic
    acted = [k for k, first in zip(near, cones.table["first"], strict=False) if done.P[first] > 0.0]
    on_b = _impulses(at, near, cones.table, done.P)
    shared = tuple(near[i] for i in done.solution.undetermined if i < len(near))
    return Hit(
        v,
        tuple(hits),
        on_bodies_a(at, on_b),
        loss,
        done.law,
        len({*acted, *hits}) > 1,
        on_b,
        cones.R.T @ done.P,
        shared,
    )


def polished(cones: Cones, v: Array, done: ContactImpact, normal: Array) -> Array:
    """Velocities with the rates of gaps that an impact of Newton's law gives, and of slip that it ends, to the last digits."""
    if done.law == "poisson":
        return v
    rows: list[int] = []
    target: list[float] = []
    for cone, code, u in zip(cones.table, done.solution.codes, normal, strict=True):
        f = int(cone["first"])
        if done.P[f] > 0.0:
            size = 1 + (int(cone["tangents"]) if code == STICK else 0)
            rows += range(f, f + size)
            target += [u if done.law == "newton" else 0.0] + [0.0] * (size - 1)
    off = cones.R[rows] @ v - np.array(target)
    return v - back(cones.at.L, np.linalg.lstsq(cones.free[rows], off, rcond=DEPENDENT)[0])


def by_sticking(cones: Cones, before: Array, e: Array) -> ContactImpact | None:
    """An impact in which some cones stick and the others open, by linear equations; None where there is none."""
    table, b = cones.table, before.copy()
    first, n = table["first"], len(table)
    b[first] += e * np.minimum(before[first], 0.0)
    for size in range(1, n + 1):
        for some in combinations(range(n), size):
            rows = [int(first[i]) + j for i in some for j in range(1 + int(table[i]["tangents"]))]
            own = table[list(some)].copy()
            own["first"] = np.cumsum(1 + own["tangents"]) - 1 - own["tangents"]
            found = all_closed(cones.G[np.ix_(rows, rows)], b[rows], own, {}, own["mu"])
            if found is None:
                continue
            P = np.zeros(len(b))
            P[rows] = found.P
            u = cones.G @ P + before
            u[rows] = before[rows] - b[rows]
            if u[first].min() >= -SLOW * np.abs(before).max():
                codes = np.array([STICK if i in some else OPEN for i in range(n)])
                whole = ConeSolution(P, u, 0.0, codes, ())
                return ContactImpact(P, u, 0.5 * float(P @ (u + before)), "newton", whole)
    return None


def rested(at: Instant, points: list[int]) -> Array:
    """Velocities with the gaps of these points at rest, whose bounces have ended: what was left of them is very little.
    Friction stops a slip that is not faster than it can."""
    cones, v = at.cones(points), at.v
    normal = cones.table["first"]
    v = v - _taken(cones, normal, v)
    speed, left = float(np.abs(at.rows.W_N[points] @ at.v).max()), np.abs(cones.R @ v).max(initial=0.0)
    slow = [c for c in cones.table if c["tangents"] and left <= c["mu"] * speed]
    tangents = [int(c["first"]) + j for c in slow for j in range(1 + int(c["tangents"]))]
    return v - _taken(cones, tangents, v) if tangents else v


def _taken(cones: Cones, rows: Any, v: Array) -> Array:
    """The part of velocities that rows of cones do not leave."""
    return back(cones.at.L, np.linalg.lstsq(cones.free[rows], cones.R[rows] @ v, rcond=DEPENDENT)[0])


def _names(at: Instant, points: Collection[int]) -> str:
    return ", ".join(repr(at.touches[k].name) for k in points)


def _impulses(at: Instant, near: list[int], table: NDArray[np.void], P: Array) -> dict[int, Array]:
    """On body_b by point, in world axes."""
    frames = PointTable(at.base, at.touches).measure(at.base, at.q, at.v)
    out: dict[int, Array] = {}
    for k, cone in zip(near, table, strict=False):
        f = int(cone["first"])
        if P[f] > 0.0:
            out[k] = in_world(frames[k], P[f : f + 1 + int(cone["tangents"])])
    return out


def on_bodies_a(at: Instant, on_b: Mapping[int, Array]) -> dict[str, Array]:
    """On the user's body_a by contact, from those on body_b by point."""
    out: dict[str, Array] = {}
    for k, x in on_b.items():
        touch = at.touches[k]
        out[touch.contact] = out.get(touch.contact, np.zeros(3)) + (x if touch.flipped else -x)
    return out


def in_world(frame: Array, P: Array) -> Array:
    """A force on body b from its parts along normal and tangents; frame: what is measured of a point."""
    n, t1 = frame[4:7], frame[10:13]
    force = P[0] * n
    if len(P) > 1:
        force = force + P[1] * t1 + P[2] * np.cross(n, t1)
    return np.asarray(force, dtype=np.float64)
