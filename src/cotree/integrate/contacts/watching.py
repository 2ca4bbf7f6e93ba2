"""What to watch of points of contact in a phase: gaps of open ones; pressure, cone and slip of closed ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian, constraint_rate
from cotree.constraints.contacts.measure import PointTable, touches_of
from cotree.constraints.contacts.touch import Touch, has_ends
from cotree.constraints.units import length_of
from cotree.integrate.driver import Driver
from cotree.integrate.events.conditions import CONE, FACING, GAP, PRESSING, SLIDING, Watch
from cotree.integrate.events.event import Event
from cotree.integrate.events.pace import has_functions
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet, Slip
from cotree.transitions.contacts.deciding import stays
from cotree.transitions.contacts.instant import Instant, contact_of
from cotree.transitions.contacts.touching import CLOSE, News
from cotree.transitions.forms import null_space

Array = NDArray[np.float64]
PATIENCE = (
    1e-6  # relative: by so much more, and twice as much each time, a point sticks that begins to slip again and again
)
SHARED = "contacts that share a load"


def has_contacts(base: System) -> bool:
    return "contacts" in base.features


def points_of(base: System) -> PointTable:
    """The points as kernels measure them."""
    table: PointTable = base.cached("point table", lambda: PointTable(base, touches_of(base)))
    return table


def weight_of(base: System) -> float:
    """A force to compare with [N]: what the mechanism weighs, or 1."""
    masses, gravity = base.links["mass"].sum(), np.linalg.norm(base.mechanism.gravity)
    return float(masses * gravity) or 1.0


def contact_watches(
    base: System, topology: ActiveSet, system: System, gave_way: Mapping[str, tuple[float, int]], q: Array, v: Array
) -> tuple[Watch, ...]:
    """Watches of all points, those that are closed by the rows of the system in force; from a state on."""
    out: list[Watch] = []
    handed = _next_to_closed(base, topology, q, v)
    weight, first = weight_of(base), system.n_constraints - len(system.extra_rows.owners)
    for k, touch in enumerate(touches_of(base)):
        if touch.name not in topology.touching:
            if k not in handed:
                out.append(Watch(touch.name, GAP, point=k))
            continue
        row, d = first + system.extra_rows.owners.index(touch.name), topology.touching[touch.name]
        if has_ends(touch):
            out.append(Watch(touch.name, FACING, point=k))
        if d is not None and any(d):
            out.append(Watch(touch.name, SLIDING, point=k, along=d))
        if touch.name in topology.shared:
            continue
        out.append(Watch(touch.name, PRESSING, point=k, row=row, value=weight))
        if d is None:
            again = gave_way.get(touch.name, (0.0, 0))[1]
            more = 1.0 + PATIENCE * 2.0**again if again > 0 else 1.0
            out.append(
                Watch(touch.name, CONE, point=k, row=row, value=weight, mu=contact_of(base, touch).static * more)
            )
    return tuple(out)


def _next_to_closed(base: System, topology: ActiveSet, q: Array, v: Array) -> set[int]:
    """Open points at gaps of zero beside a closed feature of the same contact that ends: it hands the contact over there."""
    touches = touches_of(base)
    ending = {x.contact for x in touches if x.name in topology.touching and has_ends(x)}
    if not ending:
        return set()
    gaps, close = points_of(base).measure(base, q, v)[:, 0], CLOSE * length_of(base)
    return {
        k for k, x in enumerate(touches) if x.contact in ending and x.name not in topology.touching and gaps[k] <= close
    }


def shared_contacts(base: System, topology: ActiveSet) -> Event | None:
    """Where forces of contacts are not determined: an event when no forces within their cones keep all as it is."""
    if not topology.shared:
        return None
    open_topology = replace(topology, touching={}, shared=frozenset())
    closed = [k for k, touch in enumerate(touches_of(base)) if touch.name in topology.touching]
    systems: dict[tuple[str, ...], System] = {}

    def go_on(t: float, q: Array, v: Array) -> bool:
        return stays(Instant(base, open_topology, t, q, v, systems), closed, topology.touching)

    return Event(go_on, SHARED, terminal=True, direction=-1)


def news_of(driver: Driver, t: float, q: Array, v: Array) -> tuple[News, tuple[str, ...]]:
    """(what the watches of an instant say, points whose gaps have closed)."""
    slips: dict[str, Slip] = {}
    lifted, closed, first = set(), [], len(driver.callback.events)
    for o in driver.ended_with:
        if o.index < first:
            continue
        watch = driver.watches[o.index - first]
        if watch.kind == GAP:
            closed.append(watch.name)
        elif watch.kind in (PRESSING, FACING):  # its neighbours touch where the feature ends
            lifted.add(watch.name)
        elif watch.kind == CONE:
            driver.look(t, q, v)
            T = driver.state.lam[watch.row + 1 : watch.row + 3].copy()
            d = T / max(float(np.linalg.norm(T)), 1e-300)
            slips[watch.name] = (float(d[0]), float(d[1]))
    return News({n: d for n, d in slips.items() if n not in lifted}, frozenset(lifted)), tuple(closed)


def is_constant(system: System, still: NDArray[np.int64]) -> bool:
    """Whether nothing can change any more: nothing moves, and no force is a function of time."""
    return len(still) == system.nv and not has_functions(system) and not system.n_states


def still_coordinates(base: System, topology: ActiveSet, system: System, q: Array, t: float) -> NDArray[np.int64]:
    """Places in v of what sticking contacts keep where it is, not even rounding moves it: everything where nothing can move,
    else joints to ground, or to what stands still, whose bodies stick to it."""
    if None not in topology.touching.values() or np.any(constraint_rate(system, q, t)):
        return np.zeros(0, np.int64)
    J = constraint_jacobian(system, q, t)
    if null_space(J)[1].shape[1] == 0:
        return np.arange(base.nv)
    sticks = [touch for touch, d in topology.touches(base) if d is None]
    return _of_still_bodies(base, system, J, sticks)


def _of_still_bodies(base: System, system: System, J: Array, sticks: list[Touch]) -> NDArray[np.int64]:
    owners = [""] * (system.n_constraints - len(system.extra_rows.owners)) + list(system.extra_rows.owners)
    links, bodies, still = base.links, base.body_rows, {0}
    link = {name: int(base.bodies["link"][row]) for name, row in bodies.items()}
    out: set[int] = set()
    for _ in range(len(links)):
        new = set()
        for k in range(1, len(links)):
            if k in still or int(links["parent"][k]) not in still:
                continue
            own = [x for x in sticks if {link[x.body_a], link[x.body_b]} - still == {k}]
            columns = range(int(links["iv"][k]), int(links["iv"][k] + links["nv"][k]))
            rows = [r for r, owner in enumerate(owners) if owner in {x.name for x in own}]
            if rows and null_space(J[np.ix_(rows, list(columns))])[1].shape[1] == 0:
                new.add(k)
                out |= set(columns)
        if not new:
            break
        still |= new
    return np.array(sorted(out), dtype=np.int64)
