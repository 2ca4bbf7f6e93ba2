"""From a mechanism with devices to the system that steps go through: locks in force, brakes and limits as candidates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ChoiceError, SwitchError
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.methods.moreau_jean import MOREAU_JEAN
from cotree.integrate.phases.schedule import applied, at_start, check_devices, first_topology
from cotree.integrate.settings import Settings
from cotree.model.features import declare
from cotree.model.switches import Limit
from cotree.system.system import System
from cotree.transitions.transition import jump

Array = NDArray[np.float64]
AT_INSTANTS = "steps of one size do not locate the instants at which they act; use ct.simulate with contact='events'"
STEPPING = declare(
    "contact stepping",
    SwitchError,
    refuses={
        **dict.fromkeys(
            ("docks", "impulses", "breaking parts", "switched constraints", "switched forces", "timed devices"),
            AT_INSTANTS,
        ),
        "load-dependent friction": "give a constant torque, or use ct.simulate with contact='events'",
        "switching laws": AT_INSTANTS,
        "contacts by functions": "steps read contacts of shapes only; give shapes, or measure them",
    },
)
BY_STEPS = ("contacts", "brakes", "stops")  # features that only this method steps through
HALF_TURN = np.pi


def needs_steps(system: System) -> bool:
    """Whether a system has what only this method steps through."""
    return any(feature in system.features for feature in BY_STEPS)


def stepping_settings(asked: Settings, system: System) -> Settings:
    """Settings with the method that steps through contacts."""
    if asked.method not in ("auto", MOREAU_JEAN):
        raise ChoiceError(
            f"method {asked.method!r} does not step through contacts, brakes and limits; leave method out, which is then "
            f"{MOREAU_JEAN!r}"
        )
    if asked.step is None:
        raise ChoiceError("contact='stepping' takes steps of one size; give step= in seconds, such as step=1e-3")
    return replace(asked, method=MOREAU_JEAN, contact="stepping").resolved(system)


def settings_for(asked: Settings, system: System) -> Settings:
    """Settings of a stepper: those asked for, where there is nothing to touch, rub or hit."""
    return stepping_settings(asked, system) if needs_steps(system) else asked


def stepping_system(base: System, t: float, q: Array, v: Array) -> tuple[System, Array]:
    """The system with the locks that act from the start, and velocities with them in force."""
    STEPPING.admit(base.features)
    check_devices(base)
    _check_limits(base)
    changed = applied(base, first_topology(base), t, q, at_start(base, t))
    system = changed.topology.system(base, holds=False)
    if not changed.new:
        return system, v
    return system, jump(system, system, q, v, changed.new, t=t).v


def _check_limits(base: System) -> None:
    """Turns across cut joints are known up to whole ones."""
    for d in base.mechanism.devices.values():
        if not isinstance(d, Limit) or d.joint not in base.cut_joints:
            continue
        bounds = [x for x in (d.lower, d.upper) if np.isfinite(x)]
        if max(map(abs, bounds), default=0.0) >= HALF_TURN and not base.mechanism.joints[d.joint].joint.slides:
            raise SwitchError(
                f"limit {d.name!r} is {HALF_TURN:.3g} rad or more from the reference assembly, across joint {d.joint!r}, which "
                "is cut: steps do not count its turns; use ct.simulate with contact='events', or cut another joint"
            )


def is_stepping(settings: Settings) -> bool:
    """Whether a method steps through contacts."""
    return METHODS[settings.method].attach is not None
