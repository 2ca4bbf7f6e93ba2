"""Studies of small and of steady motions know the mechanism as it is compiled, and say what acts beside it in runs."""

from __future__ import annotations

import warnings

from cotree.errors import StudyWarning
from cotree.integrate.phases.schedule import at_start
from cotree.model.switches import Brake, Dock, Lock
from cotree.system.system import System


def warn_of_devices(system: System, t: float, study: str) -> None:
    """Name brakes, friction, locks and docks that act at a time and are left out, and constraints that wait and are not."""
    devices, waiting = system.mechanism.devices, set(system.mechanism.off_at_start)
    acting: dict[str, bool] = {}
    for action in at_start(system, t):
        if isinstance(devices.get(action.target), (Brake, Lock, Dock)):
            acting[action.target] = action.on
        elif action.on:
            waiting.discard(action.target)
    out = [repr(n) for n, on in acting.items() if on]
    words = [f"{', '.join(out)} (locks, brakes, friction and docks act in runs only)"] if out else []
    words += [f"that {', '.join(map(repr, sorted(waiting)))} is switched on later"] if waiting else []
    if words:
        text = f"{study} of mechanism {system.name!r} leaves out {' and '.join(words)}"
        remedy = "; for viscous friction use a joint_damper, for what is locked a weld or a drive"
        warnings.warn(text + (remedy if out else ""), StudyWarning, stacklevel=5)
