"""Contacts beside constraints that are switched: which of them take part in a transition, and what their impact adds to it.

Velocities jump first as the constraints ask, then the contacts hit with what these leave, as in runs. With no restitution
that is one projection after the other, and so the same as both at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.measure import PointTable
from cotree.constraints.contacts.touch import POINT
from cotree.constraints.units import length_of
from cotree.dynamics.api import mass_matrix
from cotree.errors import SwitchError, UnknownNameError
from cotree.model.checks import names, number, shown
from cotree.model.contacts import Contact, FunctionContact
from cotree.model.naming import nearest
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.contacts.hitting import Hit, hit
from cotree.transitions.contacts.instant import Instant
from cotree.transitions.contacts.touching import ALMOST, not_inside, rate_at_rest
from cotree.transitions.transition import Transition, jump

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContactBlow:
    """What contacts did in a transition: impulses on body_a [N s] by contact, in world axes, zero where a gap opens; the law
    that was followed; hits: contacts that approached; simultaneous: whether several points acted; energy_loss: their part [J];
    generalized (nv,) and on_bodies (n_bodies + 1, 6), (moment, force) about the world's origin: the impulses; undetermined:
    points whose impulses others could take over."""

    impulses: dict[str, Array]
    law: str
    hits: tuple[str, ...]
    simultaneous: bool
    energy_loss: float
    generalized: Array
    on_bodies: Array
    undetermined: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """In words."""
        both = "; several at once, all solved together" if self.simultaneous else ""
        law = (
            [f"contacts hit by law {self.law!r}, {self.energy_loss:.6g} J of it lost by them{both}"]
            if self.hits
            else []
        )
        return [f"contact {name}: impulse {np.array2string(x, precision=6)}" for name, x in self.impulses.items()] + law


def with_contacts(system: System, end: Transition, new: tuple[str, ...], contacts: Any, law: str) -> Transition:
    """The transition with the impact of contacts after it; new: the constraints that it has activated."""
    chosen, restitution = _chosen(system, contacts)
    at = Instant(system, ActiveSet(), end.t, end.q, end.v, {(): end.system})
    points = _closed(at, chosen, named=contacts is not True)
    struck = hit(at, points, rate_at_rest(end.v), (), law, restitution)
    push = np.zeros(system.nv) if struck.generalized is None else struck.generalized
    blow = ContactBlow(
        {at.touches[k].contact: np.zeros(3) for k in points} | struck.impulses, struck.law,
        tuple(dict.fromkeys(at.touches[k].contact for k in struck.points)), struck.simultaneous, 0.0, push,
        _on_bodies(at, struck), tuple(at.touches[k].name for k in struck.undetermined),
    )  # fmt: skip
    if not struck.points:
        return replace(end, contacts=blow)
    free = np.linalg.solve(mass_matrix(system, end.q), push)
    last = jump(end.before, end.system, end.q, end.v + free, new, end.form, end.t)
    loss = max(0.0, struck.energy_loss + last.supplied)
    return replace(
        end, v=last.v, multipliers=end.multipliers + last.multipliers, energy_loss=end.energy_loss + loss,
        supplied=end.supplied + last.supplied, contacts=replace(blow, energy_loss=loss),
    )  # fmt: skip


def _chosen(system: System, contacts: Any) -> tuple[tuple[str, ...], dict[str, float]]:
    """(names of contacts that take part, restitution of those that have another one here)."""
    known = {name: d for name, d in system.mechanism.devices.items() if isinstance(d, Contact)}
    chosen = tuple(known) if contacts is True else names(contacts, "contacts")
    for name in chosen:
        if name not in known:
            raise UnknownNameError(
                f"contacts: {shown(name)} is not a contact of {system.name!r}{nearest(name, list(known))}"
            )
        if isinstance(known[name], FunctionContact):
            raise SwitchError(
                f"contacts: {name!r} is given by functions, which have no impulses in space; give it shapes, or leave it out"
            )
    given = {name: _restitution(name, x) for name, x in contacts.items()} if isinstance(contacts, Mapping) else {}
    return chosen, given


def _restitution(name: str, value: Any) -> float:
    e = number(value, f"restitution of {name!r}", "contacts")
    if not 0.0 <= e <= 1.0:
        raise SwitchError(
            f"contacts: restitution of {name!r} is {e:g}; give a number from 0 (no rebound) to 1 (elastic)"
        )
    return e


def _closed(at: Instant, chosen: tuple[str, ...], named: bool) -> list[int]:
    """Points of these contacts whose gap is closed; a contact that is asked for by name must have one."""
    length = length_of(at.base)
    not_inside(at, length, chosen)
    points = [k for k, x in enumerate(at.touches) if x.contact in chosen and at.rows.g[k] <= ALMOST * length]
    closed = {at.touches[k].contact for k in points}
    for name in chosen if named else ():
        if name not in closed:
            gap = min((g for x, g in zip(at.touches, at.rows.g, strict=True) if x.contact == name), default=np.inf)
            raise SwitchError(
                f"contacts: {name!r} is open, with a gap of {gap:.3g} m; an impact happens where bodies touch, so give q there"
            )
    return points


def _on_bodies(at: Instant, struck: Hit) -> Array:
    """(n_bodies + 1, 6): (moment, force) about the world's origin."""
    out = np.zeros((len(at.base.bodies), 6))
    if not struck.on_b:
        return out
    frames = PointTable(at.base, at.touches).measure(at.base, at.q, at.v)
    for k, force in struck.on_b.items():
        wrench = np.concatenate([np.cross(frames[k, POINT : POINT + 3], force), force])
        for body, sign in ((at.touches[k].body_b, 1.0), (at.touches[k].body_a, -1.0)):
            if body != "ground":
                out[at.base.row_of(body)] += sign * wrench
    return out
