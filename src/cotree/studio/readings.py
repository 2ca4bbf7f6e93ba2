"""Sensors of a run by labels that a person can choose from a list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cotree.errors import UnknownNameError
from cotree.integrate.results.run import Run
from cotree.model.checks import shown
from cotree.model.joints import Joint
from cotree.model.naming import nearest
from cotree.system.system import System

Array = NDArray[np.float64]
Reader = Callable[[Run], Array]


def sensors(system: System) -> dict[str, Reader]:
    """What can be plotted of a run of this system: label with unit, and how it is read, (T,)."""
    mech, out = system.mechanism, dict(ENERGIES)
    if system.n_constraints:
        out["closure [m, rad]"] = lambda run: run.violation
    for name in system.joint_names:
        out |= _joint(name, mech.joints[name].joint)
    for name in system.body_names:
        out |= _body(name)
    for name in (*mech.springs, *mech.joint_forces, *mech.elements, *mech.loads):
        out |= _element(name)
    return out


ENERGIES: dict[str, Reader] = {
    "energy: kinetic [J]": lambda run: run.energy.kinetic,
    "energy: potential [J]": lambda run: run.energy.potential,
    "energy: total [J]": lambda run: run.energy.total,
    "energy: balance error [J]": lambda run: run.energy.balance,
}


def _joint(name: str, joint: Joint) -> dict[str, Reader]:
    out: dict[str, Reader] = {}
    if joint.dof == 1:
        what, unit = ("angle", "rad") if joint.turns_along(None) else ("position", "m")
        out[f"joint {name}: {what} [{unit}]"] = lambda run: run.joint(name).angle
        out[f"joint {name}: rate [{unit}/s]"] = lambda run: run.joint(name).rate
        out[f"joint {name}: acceleration [{unit}/s^2]"] = lambda run: run.joint(name).acceleration
    out[f"joint {name}: reaction force [N]"] = lambda run: _one(run.reaction(name).force)
    out[f"joint {name}: reaction moment [N m]"] = lambda run: _one(run.reaction(name).moment)
    return out


def _body(name: str) -> dict[str, Reader]:
    return {
        f"body {name}: x [m]": lambda run: run.point(name).position[:, 0],
        f"body {name}: y [m]": lambda run: run.point(name).position[:, 1],
        f"body {name}: z [m]": lambda run: run.point(name).position[:, 2],
        f"body {name}: speed [m/s]": lambda run: _one(run.point(name).velocity),
    }


def _element(name: str) -> dict[str, Reader]:
    return {
        f"element {name}: force [N, N m]": lambda run: _one(run.element(name).force),
        f"element {name}: power [W]": lambda run: run.element(name).power,
        f"element {name}: work [J]": lambda run: run.element(name).work,
    }


def _one(force: Array) -> Array:
    """What is along a line as it is, a vector as its size."""
    return force if force.ndim == 1 else np.asarray(np.linalg.norm(force, axis=1))


def read(run: Run, label: str) -> Array:
    """One sensor of a run by its label."""
    known = sensors(run.system)
    if label not in known:
        raise UnknownNameError(f"this run has no sensor {shown(label)}{nearest(label, known)}")
    return np.asarray(known[label](run), dtype=float)
