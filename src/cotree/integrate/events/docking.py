"""Docks that close by themselves: where their frames come closest, and after a release only once these have parted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cotree.integrate.events.event import Event
from cotree.kinematics.poses import poses, twists
from cotree.lie import Ad, inverse, log_se3
from cotree.model.switches import Action, Dock, Trigger
from cotree.system.regularization import selector
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.closing import dock_frames

Array = NDArray[np.float64]
MEETING, PARTING = (
    Trigger(),
    Trigger(direction=1),
)  # what asks a dock to close, and lets one that was released do so again


def docking(base: System, topology: ActiveSet) -> list[tuple[Event, Action]]:
    """Events of docks that nothing else closes: the closest approach; of a released one, that its frames have parted."""
    timed, found = {a.target for a in base.mechanism.actions if a.on}, []
    for d in base.mechanism.devices.values():
        if not isinstance(d, Dock) or d.name in timed or d.name in topology.closed:
            continue
        if d.name in topology.released:
            found.append((Event(_parting(base, d), d.name, True, 1), Action(d.name, False, PARTING)))
        else:
            found.append((Event(_approach(base, d), d.name, True, 1), Action(d.name, True, MEETING)))
    return found


def dock_gap(base: System, dock: Dock, q: Array) -> Array:
    """What is between the frames of a dock, in the components that it will hold [rad, m]."""
    a, b = (poses(base, q)[base.row_of(n)] for n in (dock.body_a, dock.body_b))
    A, B = dock_frames(base, dock)
    gap: Array = selector(dock.joint) @ log_se3(inverse(a @ A) @ b @ B)
    return gap


def is_near(base: System, dock: Dock, q: Array) -> bool:
    """Whether the frames of a dock are within its tolerance."""
    return bool(np.abs(dock_gap(base, dock, q)).max(initial=0.0) <= dock.within)


def _parting(base: System, dock: Dock) -> Callable[..., float]:
    """Rises through zero where the frames leave the tolerance."""

    def over(q: Array) -> float:
        return float(np.abs(dock_gap(base, dock, q)).max(initial=0.0)) - dock.within

    return over


def _approach(base: System, dock: Dock) -> Callable[..., float]:
    """Half the rate of the squared gap: it rises through zero at the closest approach."""
    W = selector(dock.joint)

    def rate(q: Array, v: Array) -> float:
        V = twists(base, q, v, "spatial")
        _, B = dock_frames(base, dock)
        T = poses(base, q)[base.row_of(dock.body_b)] @ B
        relative = Ad(inverse(T)) @ (V[base.row_of(dock.body_b)] - V[base.row_of(dock.body_a)])
        return float(dock_gap(base, dock, q) @ (W @ relative))

    return rate
