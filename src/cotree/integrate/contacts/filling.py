"""The history of contacts of a run by events: gaps, forces and slip at its rows, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.measure import PointTable, touches_of
from cotree.constraints.contacts.touch import Touch
from cotree.dynamics.law_states import with_states
from cotree.integrate.contacts.history import ContactHistory
from cotree.integrate.phases.phase import Phase
from cotree.sensors.accelerating import accelerated
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.contacts.cones import SLIP, STICK
from cotree.transitions.contacts.deciding import forces_of
from cotree.transitions.contacts.hitting import in_world
from cotree.transitions.contacts.instant import Instant, contact_of

Array = NDArray[np.float64]


def contact_history(
    base: System, phases: Sequence[Phase], t: Array, q: Array, v: Array, states: Array
) -> ContactHistory:
    """The history at all rows."""
    touches = touches_of(base)
    out = ContactHistory.room(tuple(x.name for x in touches), tuple(x.contact for x in touches), len(t))
    table = PointTable(base, touches)
    for phase in phases:
        which = slice(*phase.rows)
        P = phase_forces(base, phase, t[which], q[which], v[which], states[which])
        for row, own in zip(range(*phase.rows), P, strict=True):
            put_row(out, row, touches, phase.topology, table.measure(base, q[row], v[row]), own)
    return out


def put_row(out: ContactHistory, row: int, touches: list[Touch], topology: ActiveSet, found: Array, P: Array) -> None:
    """One row from what is measured of the points and their forces along normal and tangents."""
    out.gap[row], out.point[row] = found[:, 0], found[:, 7:10]
    out.slip[row] = np.linalg.norm(found[:, 2:4], axis=1)
    out.normal_force[row] = P[:, 0]
    for k, touch in enumerate(touches):
        if touch.name in topology.touching:
            out.force[row, k] = (1.0 if touch.flipped else -1.0) * in_world(found[k], P[k])
            out.codes[row, k] = STICK if topology.touching[touch.name] is None else SLIP


def phase_forces(base: System, phase: Phase, t: Array, q: Array, v: Array, states: Array) -> Array:
    """(rows, points, 3): forces along normal and tangents on body_b."""
    touches, topology = touches_of(base), phase.topology
    P = np.zeros((len(t), len(touches), 3))
    if not topology.touching or not len(t):
        return P
    if topology.shared:
        for k in range(len(t)):
            with with_states(states[k] if states.size else None):
                P[k] = _shared(base, topology, float(t[k]), q[k], v[k])
        return P
    system = phase.system
    lam = accelerated(system, t, q, v, states if states.size else None).multipliers
    first = system.n_constraints - len(system.extra_rows.owners)
    for k, touch in enumerate(touches):
        if touch.name not in topology.touching:
            continue
        row, d = first + system.extra_rows.owners.index(touch.name), topology.touching[touch.name]
        P[:, k, 0] = -lam[:, row]
        if d is None:
            P[:, k, 1:] = -lam[:, row + 1 : row + 3]
        elif any(d):
            P[:, k, 1:] = _rubbing(base, touch, k, q, v, np.array(d), P[:, k, 0])
    return P


def _rubbing(base: System, touch: Touch, k: int, q: Array, v: Array, d: Array, N: Array) -> Array:
    """Friction of a point that slips."""
    mu, table = contact_of(base, touch).friction, PointTable(base, touches_of(base))
    u = np.array([table.measure(base, a, b)[k, 2:4] for a, b in zip(q, v, strict=True)])
    size = np.linalg.norm(u, axis=1)[:, None]
    s = np.where(size > 1e-10, u / np.where(size > 0.0, size, 1.0), d)
    return np.asarray(-mu * N[:, None] * s, dtype=np.float64)


def _shared(base: System, topology: ActiveSet, t: float, q: Array, v: Array) -> Array:
    """One of the distributions of forces that are not determined."""
    every = touches_of(base)
    closed = [k for k, touch in enumerate(every) if touch.name in topology.touching]
    at = Instant(base, replace(topology, touching={}, shared=frozenset()), t, q, v)
    P = np.zeros((len(every), 3))
    cones, found = forces_of(at, closed, topology.touching)
    for k, cone in zip(closed, cones.table, strict=False):
        size = 1 + int(cone["tangents"])
        P[k, :size] = found.P[cone["first"] : cone["first"] + size]
    return P
