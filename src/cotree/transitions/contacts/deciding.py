"""What closed contacts do from an instant on: open, stick or slip, with brakes at rest and stops leant on beside them.

One cone problem of accelerations: G lam + b, with eta of gaps and slip in b. Points that slip have the friction of their
direction; from rest the direction is that of the tangential acceleration that solves the problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cotree.errors import MotionError
from cotree.judge import AT_REST
from cotree.transitions.active_set import ActiveSet, Slip
from cotree.transitions.contacts.cones import SLIP
from cotree.transitions.contacts.instant import Cones, Instant, contact_of
from cotree.transitions.contacts.slipping import all_closed, doubtful, paradox, solve_slipping
from cotree.transitions.contacts.solve import ConeSolution
from cotree.transitions.resting import rates_of

Array = NDArray[np.float64]
MOVES = 1e-9  # relative to the largest acceleration without contacts: slower ones are rounding
KNOWN = 1e-7  # residual up to which it is clear what opens, sticks and slips; forces follow from the rows of the phase
SLOW = 1e-7  # relative to the fastest velocity: slip below this has ended


@dataclass(frozen=True, eq=False)
class Decided:
    """The topology with what is closed; undetermined: points whose forces others could take over; doubts: points for which
    there is not one solution alone, in words."""

    topology: ActiveSet
    resting: tuple[str, ...] = ()  # brakes and stops that hold
    undetermined: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    free: dict[str, bool] = field(default_factory=dict)  # of what holds: whether nothing else determines it


def slip_speed(v: Array) -> float:
    """Velocities below which slip has ended."""
    return SLOW * max(1.0, float(np.abs(v).max(initial=0.0)))


def decide(at: Instant, points: list[int], slips: Mapping[str, Slip], gives_way: Mapping[str, int]) -> Decided:
    """slips: directions in which points begin to slip, at the limit of sticking; gives_way: the same of brakes."""
    topology = at.topology
    rates = rates_of(at.base, topology, at.q, at.v, list(topology.brakes)) if topology.brakes else {}
    fast = AT_REST * max(1.0, float(np.abs(at.v).max(initial=0.0)))
    brakes = {n: (0 if abs(u) <= fast else int(np.sign(u))) for n, u in rates.items()}
    brakes.update({n: s for n, s in gives_way.items() if brakes.get(n) == 0})
    known = directions_of(at, points, slips)
    while True:
        topology = replace(topology, brakes=brakes)
        holding, stops = [n for n, d in brakes.items() if d == 0], list(topology.leaning)
        if not (points or holding or stops):
            return Decided(replace(topology, holds={}, touching={}))
        cones = replace(at, topology=topology, systems={}).cones(points, holding, stops)
        found = solved(at, points, cones, known)
        moves = MOVES * max(float(np.abs(cones.free_accelerations).max(initial=0.0)), 1e-300)
        begun = _brakes_that_give_way(cones, found, len(points), holding, moves)
        if not begun:
            return _decided(at, topology, points, holding, stops, cones, found, known, moves)
        brakes = {**brakes, **begun}


def directions_of(at: Instant, points: list[int], slips: Mapping[str, Slip]) -> dict[int, Array]:
    """Directions of points that slip or begin to, by their place."""
    known: dict[int, Array] = {}
    for i, k in enumerate(points):
        c, u = contact_of(at.base, at.touches[k]), at.rows.W_T[k] @ at.v
        size = float(np.linalg.norm(u))
        if c.static > 0.0 and size > slip_speed(at.v):
            known[i] = u / size
        elif c.static > 0.0 and at.touches[k].name in slips:
            known[i] = np.array(slips[at.touches[k].name])
    return known


def solved(at: Instant, points: list[int], cones: Cones, known: Mapping[int, Array]) -> ConeSolution:
    """The forces; refused by name where there are none."""
    found = forces(cones, known)
    if found.residual <= KNOWN:
        return found
    bad = paradox(cones.G, cones.table, known)
    names = ", ".join(repr(at.touches[points[i]].name) for i in (bad or range(len(points))))
    why = (
        "no forces are in balance with the friction that they make (Painleve's paradox)"
        if bad
        else f"no forces within the friction cones were found (residual {found.residual:.1e})"
    )
    raise MotionError(
        f"contact {names} at t = {at.t:.9g} s: {why}; rigid bodies with Coulomb friction do not move on here"
    )


def _brakes_that_give_way(
    cones: Cones, found: ConeSolution, first: int, holding: list[str], moves: float
) -> dict[str, int]:
    begun = {}
    for i, name in enumerate(holding, first):
        a = float(found.u[cones.table[i]["first"]])
        if found.codes[i] == SLIP and abs(a) > moves:
            begun[name] = int(np.sign(a))
    return begun


def _decided(
    at: Instant, topology: ActiveSet, points: list[int], holding: list[str], stops: list[str], cones: Cones,
    found: ConeSolution, known: Mapping[int, Array], moves: float,
) -> Decided:  # fmt: skip
    touching: dict[str, Slip | None] = {}
    for i, k in enumerate(points):
        f, rubs = int(cones.table[i]["first"]), cones.table[i]["tangents"] > 0
        if found.u[f] > moves:
            continue
        a = found.u[f + 1 : f + 3]
        d: Slip | None = None
        if not rubs:
            d = (0.0, 0.0)
        elif i in known:
            d = (float(known[i][0]), float(known[i][1]))
        elif found.codes[i] == SLIP and np.linalg.norm(a) > moves:
            d = (float(a[0] / np.linalg.norm(a)), float(a[1] / np.linalg.norm(a)))
        touching[at.touches[k].name] = d
    leant = {n: topology.leaning[n] for i, n in enumerate(stops, len(points) + len(holding))
             if not found.u[cones.table[i]["first"]] > moves}  # fmt: skip
    topology = replace(topology, touching=touching, leaning=leant)
    resting = (*holding, *leant)
    names = [at.touches[k].name for k in points] + holding + stops
    free = {n: bool(np.any(cones.free[cones.table[names.index(n)]["first"]])) for n in resting}
    undetermined = tuple(names[i] for i in found.undetermined if i < len(points) and names[i] in touching)
    bad: tuple[int, ...] = doubtful(cones.G, cones.table, found, known) or ()
    if set(bad) <= set(found.undetermined):  # forces that are not determined, though the motion is
        bad = ()
    return Decided(topology, resting, undetermined, tuple(names[i] for i in bad if i < len(points)), free)


def forces_of(at: Instant, points: list[int], touching: Mapping[str, Slip | None]) -> tuple[Cones, ConeSolution]:
    """Cones and forces of points that are closed, which stick or slip as they do, with what holds beside them."""
    known = {}
    for i, k in enumerate(points):
        d = touching[at.touches[k].name]
        if d is not None and any(d):
            u = at.rows.W_T[k] @ at.v
            size = float(np.linalg.norm(u))
            known[i] = u / size if size > slip_speed(at.v) and u @ np.array(d) > 0.0 else np.array(d)
    holding = [n for n in at.topology.brakes if n in at.topology.holds]
    cones = at.cones(points, holding, list(at.topology.leaning))
    return cones, forces(cones, known, judge=False)


def forces(cones: Cones, known: Mapping[int, Array], judge: bool = True) -> ConeSolution:
    """Forces of cones of which some slip: those with which everything goes on as it is, if they are within their cones."""
    b = cones.free_accelerations
    of = cones.G, b, cones.table, known, cones.static, judge
    return all_closed(*of) or solve_slipping(*of)


def stays(at: Instant, points: list[int], touching: Mapping[str, Slip | None]) -> bool:
    """Whether points that are closed go on as they do: none of those that stick begins to slip, none opens; where forces are
    not determined this is asked of the solution rather than of single forces."""
    cones, found = forces_of(at, points, touching)
    moves = MOVES * max(float(np.abs(cones.free_accelerations).max(initial=0.0)), 1e-300)
    return found.residual <= KNOWN and not any(
        _leaves(found.u, cones.table[i], touching[at.touches[k].name] is None, moves) for i, k in enumerate(points)
    )


def _leaves(u: Array, cone: np.void, sticks: bool, moves: float) -> bool:
    f, k = int(cone["first"]), int(cone["tangents"])
    return bool(u[f] > moves or (sticks and k and np.linalg.norm(u[f + 1 : f + 1 + k]) > moves))
