"""The topology in force: which locks and docks are closed, which brakes rub or hold, which stops are leant on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.friction import with_friction
from cotree.constraints.contacts.touch import Touch
from cotree.judge import SATISFIED
from cotree.model.constraints import Constraint, Coupling, Term
from cotree.model.switches import Brake, Limit
from cotree.system.body_frames import first_places
from cotree.system.coordinate_terms import CoordinatePlace, place_of_term
from cotree.system.switched import switched
from cotree.system.system import System
from cotree.transitions.engaging import shifted

Array = NDArray[np.float64]
Slip = tuple[float, float]  # (0, 0) without friction


@dataclass(frozen=True, eq=False)
class ActiveSet:
    """off: constraints of the mechanism not in force; dropped: joints that are open; closed: constraints of locks and docks,
    by device; brakes: those that act, with the direction in which they slide, 0 where they hold; limits: those that act;
    leaning: stops leant on, -1 lower, 1 upper; holds: the rows of brakes that hold and of stops leant on; offsets: by how much
    gears and couplings that were activated differ from those described, to hold as they were then; released: docks that
    were let go and whose frames have not parted yet; touching: points of contact that are closed, with the direction along the
    tangents in which they slip at first, None where they stick; shared: those of them whose forces others could take over."""

    off: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    closed: dict[str, dict[str, Constraint]] = field(default_factory=dict)
    brakes: dict[str, int] = field(default_factory=dict)
    limits: frozenset[str] = frozenset()
    leaning: dict[str, int] = field(default_factory=dict)
    holds: dict[str, Coupling] = field(default_factory=dict)
    offsets: dict[str, float] = field(default_factory=dict)
    released: frozenset[str] = frozenset()
    touching: dict[str, Slip | None] = field(default_factory=dict)
    shared: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """In words, what is in force beside the mechanism's own joints and constraints, and what of these is not."""
        return (
            *self.closed,
            *(f"{n} {'holds' if d == 0 else 'slides'}" for n, d in self.brakes.items()),
            *(f"{n} at its {'upper' if s > 0 else 'lower'} stop" for n, s in self.leaning.items()),
            *(f"{n} {'sticks' if d is None else 'slips' if any(d) else 'touches'}" for n, d in self.touching.items()),
            *(f"{n} offset by {x:.6g}" for n, x in self.offsets.items() if abs(x) > SATISFIED),
            *(f"without {n}" for n in sorted(self.off | self.dropped)),
        )

    def constraints(self, base: System, holds: bool = True) -> dict[str, Constraint]:
        """Constraints in force beside the joints."""
        given = base.mechanism.constraints.items()
        own = {name: shifted(c, self.offsets.get(name, 0.0)) for name, c in given if name not in self.off}
        locks = {name: c for group in self.closed.values() for name, c in group.items()}
        touches = {t.name: replace(t, held=3 if d is None else 1) for t, d in self.touches(base)} if holds else {}
        return {**own, **locks, **(self.holds if holds else {}), **touches}

    def touches(self, base: System) -> list[tuple[Touch, Slip | None]]:
        """Points of contact that are closed, as they slip."""
        if not self.touching:
            return []
        from cotree.constraints.contacts.measure import touches_of  # which only systems with contacts need

        return [(t, self.touching[t.name]) for t in touches_of(base) if t.name in self.touching]

    def system(self, base: System, holds: bool = True, more: dict[str, Any] | None = None) -> System:
        """The system in force; without the brakes that hold and stops leant on if asked for, with other constraints more."""
        devices = base.mechanism.devices
        forces = {base.brake_slots[n]: -d * devices[n].torque for n, d in self.brakes.items()}  # type: ignore[union-attr]
        forces |= {slot: 0.0 for slot, n in enumerate(base.mechanism.motors_and_loads) if n in self.off}
        sliding = {n: d for n, d in self.brakes.items() if d != 0}
        found = switched(base, {**self.constraints(base, holds), **(more or {})}, self.dropped, forces, sliding)
        slips = {t: d for t, d in self.touches(base) if d is not None and any(d)} if holds else {}
        return with_friction(found, slips) if slips else found

    def without(self, name: str) -> ActiveSet:
        """What is left when a device ceases to act."""

        def rest(x: dict[str, Any]) -> dict[str, Any]:
            return {k: v for k, v in x.items() if k != name}

        return replace(
            self, closed=rest(self.closed), brakes=rest(self.brakes), limits=self.limits - {name},
            leaning=rest(self.leaning), holds=rest(self.holds),
        )  # fmt: skip


def term_of(device: Brake | Limit) -> Term:
    """The coordinate that a brake or limit acts on."""
    return Term(device.joint, device.coordinate, 1.0)


def place_of(base: System, device: Brake | Limit, dropped: Iterable[str] = ()) -> CoordinatePlace:
    """Where that coordinate is, in the tree or across a cut joint; complains where it cannot be measured."""
    cuts = first_places(tuple(name for name in base.cut_joints if name not in dropped))
    places = first_places(base.coordinate_names)
    who = f"{device.word} {device.name!r}"
    return place_of_term(term_of(device), base.mechanism, places, base.dofs, cuts, who)
