"""What becomes of a state at a switch: first velocities jump, then it is decided what holds, what slides and what leaves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian, constraint_rate
from cotree.constraints.assembly import consistent_velocity
from cotree.constraints.assembly_errors import concerned
from cotree.constraints.units import contradiction
from cotree.dynamics.api import energy, mass_matrix
from cotree.errors import MotionError
from cotree.formulations.problem import held_coordinates
from cotree.judge import CONSISTENT, DEPENDENT, LEAVES_AT
from cotree.system.sizes import STEPWISE
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.contacts.hitting import Hit
from cotree.transitions.contacts.touching import NO_NEWS, News, contact_words, touch
from cotree.transitions.impact import Impact, impact
from cotree.transitions.resting import at_rest, gauges, owners_of
from cotree.transitions.striking import Struck
from cotree.transitions.transition import jump

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Settled:
    """The active set and velocities after a switch; impulses by device [N m s or N s], as they act on the child along the
    coordinate; energy lost and supplied by drivers; changes: (device, what it does now)."""

    topology: ActiveSet
    v: Array
    impulses: dict[str, Array]
    energy_loss: float
    supplied: float
    changes: tuple[tuple[str, str], ...]
    hit: Hit | None = None
    doubts: tuple[str, ...] = ()  # points of contact for which there is not one solution alone


def settle(
    base: System,
    topology: ActiveSet,
    t: float,
    q: Array,
    v: Array,
    new: Collection[str] = (),
    hits: Mapping[str, int] | None = None,
    slips: Mapping[str, int] | None = None,
    leaves: Collection[str] = (),
    consistent: bool = True,
    news: News = NO_NEWS,
) -> Settled:
    """topology: with the locks and docks of `new` closed already, brakes and stops as they were.

    hits: limits whose stop has been reached; slips: brakes that give way, with their direction; leaves: stops that would have
    to pull. consistent False: the rates of what locks are set to zero and nothing else is thought of, as other programs do.
    news: what points of contact show.
    """
    hits, slips = hits or {}, slips or {}
    before, topology = topology, replace(topology, touching={}, shared=frozenset())
    jumped = _jump(base, topology, t, q, v, new, hits, consistent) if new or hits else None
    after = v if jumped is None else jumped.v
    leaning = {**topology.leaning, **(jumped.leaning if jumped else {})}
    opened = {name for name in leaning if name in leaves or (jumped is not None and name in jumped.opened)}
    open_topology = replace(topology, leaning={n: s for n, s in leaning.items() if n not in opened})
    if "contacts" in base.features:
        touched = touch(base, open_topology, t, q, after, slips, news)
        found, after, struck, doubts = touched
    else:
        found, after = at_rest(base, open_topology, t, q, after, slips)
        struck, doubts = None, ()
    system = found.system(base)
    if new:
        after = _on_a_branch(system, t, q, after)
    if found.closed or found.holds or found.touching:
        after = after.copy()
        after[held_coordinates(system)] = 0.0  # exactly
    words = _words(topology, found, new, hits, base)
    if struck is not None:
        words += contact_words(base, before, found, struck)
    if jumped is None and (struck is None or not struck.points):
        return Settled(found, after, {}, 0.0, 0.0, words, struck, doubts)
    change = energy(base, q, v).kinetic - energy(base, q, after).kinetic
    impulses, supplied = ({}, 0.0) if jumped is None else (jumped.impulses, jumped.supplied)
    return Settled(found, after, impulses, change + supplied, supplied, words, struck, doubts)


def after_blows(found: Settled, struck: Struck | None) -> Settled:
    """What has settled after blows, with these on record."""
    if struck is None:
        return found
    return replace(
        found,
        impulses={**struck.impulses, **found.impulses},
        energy_loss=found.energy_loss + struck.energy_loss,
        supplied=found.supplied + struck.supplied + struck.work,
    )


@dataclass(frozen=True, eq=False)
class _Jumped:
    v: Array
    leaning: dict[str, int]
    opened: frozenset[str]
    impulses: dict[str, Array]
    supplied: float


def _jump(
    base: System, topology: ActiveSet, t: float, q: Array, v: Array, new: Collection[str], hits: Mapping[str, int],
    consistent: bool,
) -> _Jumped:  # fmt: skip
    """Velocities after constraints have closed and stops were hit. Brakes have no part in it: their friction is bounded."""
    stops = {**topology.leaning, **hits}
    system = topology.system(base, holds=False, more=gauges(base, stops))
    if not stops and consistent:
        plain = jump(system, system, q, v, tuple(new), t=t)
        return _Jumped(plain.v, {}, frozenset(), plain.impulses, plain.supplied)
    owners = owners_of(system)
    rows = [k for k, name in enumerate(owners) if name not in stops]
    J, b = constraint_jacobian(system, q, t), constraint_rate(system, q, t)
    M = mass_matrix(base, q)
    names = list(stops)
    at = [owners.index(name) for name in names]
    R = -np.array([stops[n] for n in names], dtype=float)[:, None] * J[at]
    devices = base.mechanism.devices
    e = np.array([devices[n].restitution if n in hits else 0.0 for n in names])  # type: ignore[union-attr]
    done = impact(M, J[rows], b[rows], v, R, e) if consistent else _naive(M, J, b, v, rows, owners, new, R)
    left = np.zeros(len(J))
    left[rows] = J[rows] @ done.v - b[rows]
    if contradiction(system, left, b, v) > CONSISTENT:
        raise MotionError(
            f"{concerned(system, left)} require contradictory velocities at t = {t:.9g} s; residual "
            f"{np.abs(left).max():.3g}; leave one out, or release the other first"
        )
    rate = R @ done.v
    _not_passed(system, t, names, R, rate, J, rows)
    opened = frozenset(n for n, u in zip(names, rate, strict=True) if u > LEAVES_AT)
    impulses: dict[str, Array] = {}
    for k, row in enumerate(rows):
        if owners[row] in new:
            impulses.setdefault(owners[row], np.zeros(0))
            impulses[owners[row]] = np.append(impulses[owners[row]], 0.0 - done.Lam[k])
    impulses.update({n: np.array([0.0 - stops[n] * p]) for n, p in zip(names, done.p, strict=True) if n in hits})
    return _Jumped(done.v, dict(hits), opened, impulses, 0.0 - float(done.Lam @ b[rows]))


def _not_passed(system: System, t: float, names: list[str], R: Array, rate: Array, J: Array, rows: list[int]) -> None:
    """Complain about a stop that other constraints, as a driver, move a joint through: no impulse can hold it."""
    if not len(rate) or rate.min() >= -CONSISTENT * max(1.0, float(np.abs(rate).max())):
        return
    k, whole = int(np.argmin(rate)), np.zeros(len(J))
    whole[rows] = np.linalg.lstsq(J[rows].T, R[k], rcond=DEPENDENT)[0]
    limit: Any = system.mechanism.devices[names[k]]
    raise MotionError(
        f"limit {limit.name!r} is reached at t = {t:.9g} s, but {concerned(system, whole)} drive joint "
        f"{limit.joint!r} through it, at {-rate[k]:.3g} rad/s or m/s; keep the prescribed motion between the stops, "
        f"or remove the limit"
    )


def _naive(
    M: Array, J: Array, b: Array, v: Array, rows: list[int], owners: list[str], new: Collection[str], R: Array
) -> Impact:
    """Rates of what locks set to zero, the others as they are, then back to the constraints without regard to masses."""
    own = [k for k, name in enumerate(owners) if name in new]
    for which in (own, rows):
        v = v - np.linalg.pinv(J[which]) @ (J[which] @ v - b[which])
    return Impact(v, np.zeros(len(rows)), np.zeros(len(R)))


def _on_a_branch(system: System, t: float, q: Array, v: Array) -> Array:
    """v if a motion begins with it, else the nearest velocity with which one does. Where a configuration is singular behind
    the switch rows may leave velocities with which none does; where there is no other one, all stands still."""
    if system.nv > STEPWISE:
        return v
    try:
        return consistent_velocity(system, q, v, t)
    except MotionError:
        if np.any(constraint_rate(system, q, t)):
            raise
        return np.zeros(system.nv)


def _words(
    before: ActiveSet, after: ActiveSet, new: Collection[str], hits: Mapping[str, int], base: System
) -> tuple[tuple[str, str], ...]:
    """What each device concerned does now."""
    out = [(n, "closes" if base.mechanism.devices.get(n, None) is None else "locks") for n in new]
    for n, side in hits.items():
        stays = "stays at" if n in after.leaning else "rebounds from"
        out.append((n, f"{stays} its {'upper' if side > 0 else 'lower'} stop"))
    out += [(n, "leaves its stop") for n in before.leaning if n not in after.leaning and n not in hits]
    for n, d in after.brakes.items():
        was = before.brakes.get(n)
        if d == 0 and was != 0:
            out.append((n, "sticks"))
        elif d != 0 and was == 0:
            out.append((n, "slips"))
    return tuple(out)
