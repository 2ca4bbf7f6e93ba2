"""Where a motion starts: values by name, what of a vector can be kept, and the start that a mechanism brings along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble, closed_with, consistent_velocity
from cotree.constraints.assembly_search import Problem
from cotree.constraints.beam_starts import led_with_beams
from cotree.constraints.least_strain import bends
from cotree.constraints.named_coordinates import held_values, named_numbers, way_to
from cotree.errors import AssemblyError, CotreeError, MotionError, SingularError
from cotree.kinematics.other_coordinates import carried_configuration, carried_velocity
from cotree.system.arguments import coordinates, velocities
from cotree.system.sizes import STEPWISE
from cotree.system.system import System
from cotree.system.tables import GROUP

Array = NDArray[np.float64]
DEFAULT = {"coordinates": "relative", "group": "SE3", "cut": None, "regularize": True, "tolerance": 1e-5}


def named_configuration(system: System, values: Mapping[str, Any], base: Array, t: float, restarts: int = 12) -> Array:
    """Closed configuration with exactly these values; the loops are led there from `base` by small steps."""
    if bends(system):
        return led_with_beams(system, values, (), base, t)
    held = held_values(system, values, base=base)
    free = np.delete(np.arange(system.nv), held.columns)
    if Problem.of(held.system, t, free).closed(held.q):
        return held.q
    there = _led(system, named_numbers(system, "q", values), base, t)
    return closed_with(held, t, restarts) if there is None else there


def _led(system: System, goal: Mapping[str, float], base: Array, t: float) -> Array | None:
    """The same by small steps; None where they lead nowhere."""
    try:
        q = assemble(system, base, t=t)
        way = way_to(system, goal, q)
        if not way or system.nv > STEPWISE:
            return None
        for ahead in way:
            q = closed_with(held_values(system, ahead, base=q), t, restarts=0)
        return q
    except AssemblyError:
        return None


def kept_configuration(system: System, q: Array, t: float) -> Array | None:
    """Closed configuration with what of q differs from the mechanism's start, or else from the reference assembly, as it is."""
    for reference in (own_start(system, t)[0], system.q0):
        values = {system.q_names[i]: float(q[i]) for i in _changed(system, q, reference)}
        if 0 < len(values) < system.nq:
            try:
                return named_configuration(system, values, reference, t, restarts=0)
            except AssemblyError:
                continue
    return None


def _changed(system: System, q: Array, reference: Array) -> list[int]:
    """Entries of q that differ; of a quaternion all four."""
    changed = q != reference
    for link in system.links:
        if link["kind"] == GROUP and link["rotations"] == 3:
            four = slice(int(link["iq"]), int(link["iq"]) + 4)
            changed[four] = changed[four].any()
    return np.flatnonzero(changed).tolist()


def kept_velocity(system: System, q: Array, v: Array, t: float) -> Array | None:
    """Admissible velocity with what of v is not zero as it is."""
    names = [system.v_names[i] for i in np.flatnonzero(v)]
    try:
        return consistent_velocity(system, q, v, t, fixed=names) if names else None
    except (AssemblyError, MotionError, SingularError):
        return None


def own_start(system: System, t: float = 0.0) -> tuple[Array, Array, str]:
    """(q, v, what is to be said): the start that the mechanism brings along, else the reference assembly at rest.

    The mechanism states it in the coordinates that `mech.compile()` gives; in others it is the same posture and motion.
    """
    q, v = system.start
    if q is None and v is None:
        return system.q0, np.zeros(system.nv), ""
    default = {**DEFAULT, "cut": list(system.mechanism.preferred_cut) or None}
    own = system if system.choices == default else system.mechanism.compiled()
    if (own.q_names, own.v_names, own.groups) == (system.q_names, system.v_names, system.groups):
        return (system.q0 if q is None else coordinates(system, q)), velocities(system, v), ""
    try:
        q = assemble(own, own.q0 if q is None else coordinates(own, q), t=t)
        v = consistent_velocity(own, q, velocities(own, v), t)
        x = carried_configuration(system, own, q)
        return x, carried_velocity(system, x, own, q, v), ""
    except CotreeError as error:
        return system.q0, np.zeros(system.nv), (
            f"the start of mechanism {system.name!r} could not be expressed in these coordinates ({error}); the run "
            f"starts at rest in the reference assembly"
        )  # fmt: skip
