"""What in the input of a run looks like a mistake: nothing can move, degrees for radians, coordinates in other places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly_search import turns
from cotree.constraints.measured_rank import nearly_free, rank
from cotree.constraints.mobility_words import nearly
from cotree.errors import RunWarning
from cotree.integrate.checks.mass_ratios import far_apart
from cotree.integrate.checks.run_warnings import warning
from cotree.model.joints import Revolute
from cotree.model.switches import Breaking, Limit
from cotree.system.sizes import DECOMPOSED
from cotree.system.system import System

Array = NDArray[np.float64]
LARGE, FULL = 4.0 * np.pi, 360.0  # rad: whole numbers of fives between them are taken for degrees


def doubts(system: System, given: Any, q: Array, t: float, formulation: str) -> list[RunWarning]:
    """Warnings about a run that starts at q; given: q as the user gave it, or None; formulation: the one that is used."""
    rigid = [warning("freedom", text) for text in _without_freedom(system, q, t)]
    rigid += [warning("accuracy", text) for text in far_apart(system, formulation)]
    return rigid + mistaken(system, given) + [warning("input", text) for text in (*system.doubts, *_feeding(system))]


def mistaken(system: System, given: Any) -> list[RunWarning]:
    """Warnings about q as the user gave it, or None."""
    return [warning("input", text) for text in _degrees(system, given)]


def _without_freedom(system: System, q: Array, t: float) -> Iterator[str]:
    """Whether nothing can move: for mechanisms that are driven, or whose constraints come and go, that is as it should be."""
    if system.nv and not system.n_constraints:
        return
    breaks = any(isinstance(d, Breaking) for d in system.mechanism.devices.values())
    if (
        system.nv > DECOMPOSED
        or system.mechanism.actions
        or breaks
        or any(c.drives for c in system.constraints.values())
    ):
        return
    if system.nv - rank(system, q, t) == 0:
        extra, size = nearly_free(system, q, t)
        doubt = f"; {nearly(extra, size)}" if extra else ""
        yield (
            f"nothing can move: {system.name or 'the mechanism'} has 0 degrees of freedom at the start ({system.nv} "
            f"coordinates, all fixed by loops and constraints){doubt}; check axes and dimensions, and see ct.mobility"
        )


def _degrees(system: System, given: Any) -> Iterator[str]:
    """Angles of revolute joints that look like degrees, of the start and of limits; geared ones turn often."""
    geared = {term.joint for c in system.constraints.values() for term in c.terms}
    for name, x in _start_angles(system, given):
        if name not in geared and _in_degrees(x):
            yield f"q of {name!r} is {x:g} rad at the start, which looks like degrees; np.radians({x:g}) is {np.radians(x):.4g}"
    for device in system.mechanism.devices.values():
        if isinstance(device, Limit) and device.joint not in geared and _revolute(system, device.joint):
            ends = [x for x in (device.lower, device.upper) if np.isfinite(x) and x != 0.0]
            if ends and all(map(_in_degrees, ends)):
                yield (
                    f"limit {device.name!r} is at {' and '.join(f'{x:g}' for x in ends)} rad, which looks like degrees; "
                    f"np.radians({ends[0]:g}) is {np.radians(ends[0]):.4g}"
                )


def _feeding(system: System) -> Iterator[str]:
    """Dampers that supply energy, and springs that push away."""
    mech = system.mechanism
    found = [("spring", name, s.damping) for name, s in mech.springs.items()]
    found += [("joint damper", name, f.damping) for name, f in mech.joint_forces.items()]
    for word, name, damping in found:
        if damping < 0.0:
            yield f"{word} {name!r} has the damping {damping:g}, which supplies energy instead of taking it"
    stiff = [("spring", name, s.stiffness) for name, s in mech.springs.items()]
    stiff += [("joint spring", name, f.stiffness) for name, f in mech.joint_forces.items()]
    for word, name, stiffness in stiff:
        if stiffness < 0.0:
            yield f"{word} {name!r} has the stiffness {stiffness:g}, which pushes away from its rest position"


def _start_angles(system: System, given: Any) -> Iterator[tuple[str, float]]:
    """Names and values of angles that the user gave."""
    if isinstance(given, Mapping):
        yield from ((n, float(x)) for n, x in given.items() if np.ndim(x) == 0 and _revolute(system, n))
    elif given is not None:
        values = np.asarray(given, dtype=float).ravel()
        angles = system.cached("plain angles", lambda: np.array([i for i in range(system.nv) if turns(system, i)], int))
        own = system.dofs["iq"][angles]
        large = np.abs(values[own]) > LARGE  # smaller ones do not look like degrees
        yield from ((system.v_names[i], float(values[k])) for i, k in zip(angles[large], own[large], strict=True))


def _in_degrees(x: float) -> bool:
    return LARGE < abs(x) <= FULL and abs(x / 5.0 - round(x / 5.0)) < 1e-9


def _revolute(system: System, joint: str) -> bool:
    connection = system.mechanism.joints.get(joint)
    return connection is not None and isinstance(connection.joint, Revolute)
