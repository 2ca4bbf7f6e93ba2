"""Prescribed impulses, as of a hammer or a thruster: what they are, and the transition that they cause [VTM (28)]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.api import mass_matrix
from cotree.errors import ArgumentError, ShapeError, UnknownNameError
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.model.checks import array, floats, number, shown
from cotree.model.naming import nearest
from cotree.system.arguments import velocities
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Blow:
    """generalized (nv,): impulse along the velocity coordinates; on_bodies (n_bodies + 1, 6): the part of it that acts on
    bodies from outside, (moment, force) about the world's origin."""

    generalized: Array
    on_bodies: Array

    def free_velocity(self, system: System, q: Array) -> Array:
        """Jump of velocities that it would cause without constraints."""
        return np.asarray(np.linalg.solve(mass_matrix(system, q), self.generalized), dtype=np.float64)


def blow_of(system: System, q: Array, impulse: Any) -> Blow | None:
    """What `impulse=` of a transition says; None for none."""
    if impulse is None:
        return None
    on_bodies = np.zeros((len(system.bodies), 6))
    if not isinstance(impulse, Mapping):
        return Blow(array(velocities(system, impulse, "impulse"), (system.nv,), "impulse", "transition"), on_bodies)
    generalized = np.zeros(system.nv)
    for name, value in impulse.items():
        if isinstance(name, str) and name in system.coordinate_names:
            generalized[system.v_index(name)] += number(value, f"impulse of {name!r}", "transition")
        elif isinstance(name, str) and name in system.body_rows and name != "ground":
            wrench = _wrench(name, value)
            generalized += spatial_jacobian(system, q, name).T @ wrench
            on_bodies[system.row_of(name)] += wrench
        else:
            known = [*system.coordinate_names, *system.body_names]
            raise UnknownNameError(
                f"impulse: {shown(name)} is not a coordinate or a body of system {system.name!r}{nearest(name, known)}"
            )
    return Blow(generalized, on_bodies)


def _wrench(name: str, value: Any) -> Array:
    a = floats(value)
    if a is None or a.shape != (6,) or not np.isfinite(a).all():
        raise ShapeError(
            f"impulse on body {name!r} is {shown(value)}; give six numbers, the moment about the world's origin [N m s] "
            "and the force [N s]"
        )
    return a


def require_in_force(system: System, name: Any) -> None:
    """Raise unless a constraint or a cut joint of this name is in force."""
    named = isinstance(name, str)
    if named and (name in system.constraints or name in system.cut_joints):
        return
    if named and name in system.joint_names:
        raise ArgumentError(
            f"deactivate: joint {name!r} is part of the spanning tree of system {system.name!r} and cannot be let go; compile "
            f"with cut=[{name!r}], so that it is a constraint"
        )
    known = [*system.constraints, *system.cut_joints]
    raise UnknownNameError(
        f"deactivate: no constraint {shown(name)} is in force in system {system.name!r}{nearest(name, known)}"
    )
