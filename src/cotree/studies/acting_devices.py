"""What acts beside the equations of a system at a state: studies that know these alone leave it out, and say so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.integrate.phases.schedule import at_start
from cotree.judge import CLOSED
from cotree.model.contacts import Contact
from cotree.model.features import Features
from cotree.model.switches import Brake, Device, Dock, Limit, Lock
from cotree.system.system import System
from cotree.transitions.closing import measured

AS_COMPILED = {
    "switches": "it takes the mechanism as it is compiled, and these act in runs only; for viscous friction use a "
    "joint_damper, for what is locked or stopped a weld or a drive"
}
OF_STATE = "it knows positions and velocities only; replace the law by one of position and rate, or use ct.simulate"
NO_SAMPLES = {
    "sampled laws": "it knows what follows from the present state only; replace the law by one of position and rate, or use "
    "ct.simulate"
}
NO_LOADS = {"load-dependent friction": "only ct.simulate solves for it; use a constant coulomb here"}


def acting(system: System, t: float, q: NDArray[np.float64] | None = None) -> Features:
    """The features with what acts at a time otherwise than the equations of the system have it: brakes, locks, docks and
    contacts, limits at whose stops q is, and what is switched on later or was switched before."""
    mech = system.mechanism
    now = {a.target: a.on for a in at_start(system, t)}
    others = {name for name, on in now.items() if name not in mech.devices and not on}
    devices = (n for n, d in mech.devices.items() if isinstance(d, Contact) or (now.get(n) and _acts(system, q, d)))
    return system.features.switching({*mech.off_at_start, *others, *devices})


def _acts(system: System, q: NDArray[np.float64] | None, device: Device) -> bool:
    """Whether a device that is on does something at q."""
    if isinstance(device, Limit) and q is not None:
        value = measured(system, q, device.joint, device.coordinate)
        return value <= device.lower + CLOSED or value >= device.upper - CLOSED
    return isinstance(device, (Brake, Lock, Dock))
