"""Studies of small and of steady motions know the mechanism as it is compiled, and say what acts beside it in runs."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from cotree.errors import StudyWarning
from cotree.integrate.phases.schedule import at_start
from cotree.model.contacts import Contact
from cotree.model.switches import Brake, Dock, Limit, Lock
from cotree.system.system import System
from cotree.transitions.closing import measured

AT = 1e-9  # rad or m from a stop


def warn_of_devices(system: System, t: float, study: str) -> None:
    """Name brakes, friction, locks, docks and contacts that act at a time and are left out, and constraints that
    wait and are not."""
    devices, waiting = system.mechanism.devices, set(system.mechanism.off_at_start)
    acting: dict[str, bool] = {n: True for n, d in devices.items() if isinstance(d, Contact)}
    for action in at_start(system, t):
        if isinstance(devices.get(action.target), (Brake, Lock, Dock)):
            acting[action.target] = action.on
        elif action.on:
            waiting.discard(action.target)
    out = [repr(n) for n, on in acting.items() if on]
    words = [f"{', '.join(out)} (locks, brakes, friction, docks and contacts act in runs only)"] if out else []
    words += [f"that {', '.join(map(repr, sorted(waiting)))} is switched on later"] if waiting else []
    if words:
        text = f"{study} of mechanism {system.name!r} leaves out {' and '.join(words)}"
        remedy = "; for viscous friction use a joint_damper, for what is locked a weld or a drive"
        warnings.warn(text + (remedy if out else ""), StudyWarning, stacklevel=5)


def warn_of_stops(system: System, q: NDArray[np.float64], t: float, study: str) -> None:
    """Name the limits at whose stops a configuration is, which are left out as well."""
    acting = {a.target: a.on for a in at_start(system, t)}
    found = [
        repr(n)
        for n, d in system.mechanism.devices.items()
        if isinstance(d, Limit) and acting.get(n, False) and _is_at(d, measured(system, q, d.joint, d.coordinate))
    ]
    if found:
        text = f"{study} of mechanism {system.name!r} leaves out that the state is at a stop of {', '.join(found)}"
        warnings.warn(text + "; for what stays there use a weld or a drive", StudyWarning, stacklevel=5)


def _is_at(limit: Limit, value: float) -> bool:
    return value <= limit.lower + AT or value >= limit.upper - AT
