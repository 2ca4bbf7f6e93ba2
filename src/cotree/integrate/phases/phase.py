"""Phases of a run: times during which one topology is in force, and the switches between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cotree.errors import SwitchError
from cotree.integrate.events.event import Occurrence
from cotree.model.contacts import Contact
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.joint_impulses import switch_impulses
from cotree.transitions.regularity import differential_dof, either_singular

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Phase:
    """begin, end [s]; the system in force, and in words what is switched on; rows: the first and one past the last of the
    run's rows that belong to it; counted: where joints with limits are about its last row, their turns counted."""

    begin: float
    end: float
    system: System = field(repr=False)
    topology: ActiveSet = field(repr=False)
    rows: tuple[int, int]
    counted: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """What is in force beside the mechanism's own joints and constraints, in words."""
        return self.topology.names

    def __str__(self) -> str:
        return f"{self.begin:.9g} to {self.end:.9g} s: {', '.join(self.names) or 'nothing locked'}"


@dataclass(frozen=True, eq=False)
class Switch(Occurrence):
    """A change of topology: when and in which state, v after it and v_before; changes: (device, what it does from now on).

    impulses: of what has closed or hit, by name [N m s or N s], as they act on the child along the coordinate, length or
    direction that is held, positive as that is: an upper stop pushes with a negative one; of a blow on a body (moment, force)
    about the world's origin. energy_loss [J], also what brakes take at once; supplied: work of drivers and blows. before,
    system: in force before and after it.
    """

    v_before: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    changes: tuple[tuple[str, str], ...] = ()
    impulses: dict[str, Array] = field(default_factory=dict)
    energy_loss: float = 0.0
    supplied: float = 0.0
    names: tuple[str, ...] = ()  # what is in force afterwards
    before: System | None = field(default=None, repr=False)
    system: System | None = field(default=None, repr=False)

    @cached_property
    def dof(self) -> int:
        """Dimension of the velocities that are left."""
        return -1 if self.system is None else differential_dof(self.system, self.q, self.t)

    @cached_property
    def joint_impulses(self) -> dict[str, Array]:
        """(moment, force) [N m s, N s] that each joint transmits to its child in the jump, in world axes about the world's
        origin; empty where the run ended with the switch and the topology after it is not on record."""
        if self.system is None:
            return {}
        touched = [name for name, _ in self.changes if isinstance(self.system.mechanism.devices.get(name), Contact)]
        if touched:
            raise SwitchError(
                f"contact {touched[0]!r} took part in the switch at t = {self.t:.9g} s; what joints transmit in an impact of "
                "contacts is not computed, see run.impacts for the impulses of the contacts"
            )
        acted, hit = [name for name, _ in self.changes], list(self.impulses)
        return switch_impulses(self.system, self.t, self.q, self.v - self.v_before, acted, hit)

    @cached_property
    def singular(self) -> bool | None:
        """Whether the change is a singular one [VTM, Definition 1]: q is a singular configuration before or after it; None
        where the system is too large to say."""
        return either_singular((self.before, self.system), self.q, self.t)

    @property
    def closes(self) -> bool:
        """Whether constraints were added that may take velocities away."""
        return bool(self.impulses)

    def __str__(self) -> str:
        done = ", ".join(f"{name!r} {what}" for name, what in self.changes)
        lost = f"; {self.energy_loss:.6g} J lost" if self.impulses else ""
        return f"{done} at t = {self.t:.9g} s{lost}"


def merged(events: Sequence[Occurrence]) -> list[Occurrence]:
    """Switches of one instant, of which each set off the next, as one."""
    switches = [e for e in events if isinstance(e, Switch)]
    if len(switches) < 2:
        return list(events)
    first, last = switches[0], switches[-1]
    changes = tuple(c for s in switches for c in s.changes)
    impulses: dict[str, Array] = {}
    for name, p in ((name, p) for s in switches for name, p in s.impulses.items()):
        impulses[name] = impulses[name] + p if name in impulses else p
    return [
        replace(
            last, name=", ".join(dict.fromkeys(name for name, _ in changes)), v_before=first.v_before, before=first.before,
            changes=changes, impulses=impulses, energy_loss=sum(s.energy_loss for s in switches),
            supplied=sum(s.supplied for s in switches),
        )
    ]  # fmt: skip


def phases_after(switches: Sequence[Switch], phases: Sequence[Phase]) -> list[int]:
    """For each switch the number of the phase that it opens; one past the last where the run ended with it."""
    found, k = [], 0
    for s in switches:
        while k < len(phases) and not (phases[k].begin == s.t and phases[k].names == s.names):
            k += 1
        found.append(k)
        k += 1
    return [min(k, len(phases)) for k in found]
