"""Blows in a run: prescribed impulses with the constraints that are in force, before anything else closes [VTM (28)]."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian, constraint_rate
from cotree.dynamics.api import energy, mass_matrix
from cotree.judge import LEAVES_AT
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.kinematics.poses import poses
from cotree.model.switches import Impulse, JointImpulse
from cotree.system.switched import switched
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.blow import Blow
from cotree.transitions.impact import impact
from cotree.transitions.resting import gauges, owners_of
from cotree.transitions.transition import jump

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Struck:
    """Velocities after blows; impulses by device: (moment about the world's origin, force) on a body, or the size along a
    coordinate; the energy that constraints took and drivers supplied, and the work of the blows; stops that were left."""

    v: Array
    impulses: dict[str, Array]
    energy_loss: float
    supplied: float
    work: float
    left: tuple[str, ...] = ()


def blows_of(system: System, q: Array, names: Sequence[str]) -> tuple[Blow, dict[str, Array]]:
    """All blows at an instant as one, and by name."""
    on_bodies, generalized = np.zeros((len(system.bodies), 6)), np.zeros(system.nv)
    by_name: dict[str, Array] = {}
    for name in names:
        device = system.mechanism.devices[name]
        if isinstance(device, Impulse):
            wrench = wrench_of(system, q, device)
            on_bodies[system.row_of(device.body)] += wrench
            generalized += spatial_jacobian(system, q, device.body).T @ wrench
            by_name[name] = wrench
        elif isinstance(device, JointImpulse):
            generalized += device.impulse * _row(system, q, name)
            by_name[name] = np.array([device.impulse])
    return Blow(generalized, on_bodies), by_name


def wrench_of(system: System, q: Array, blow: Impulse) -> Array:
    """(moment, force) of a blow on a body, world axes, about the world's origin."""
    C = poses(system, q)[system.row_of(blow.body)]
    force, moment = (C[:3, :3] @ x if blow.frame == "body" else x for x in (blow.force, blow.moment))
    return np.concatenate([moment + np.cross(C[:3, :3] @ blow.point + C[:3, 3], force), force])


def _row(system: System, q: Array, name: str) -> Array:
    """The rate of a coordinate by the velocities, (nv,); across a cut joint too."""
    read = switched(system, gauges(system, [name]))
    return np.asarray(constraint_jacobian(read, q)[owners_of(read).index(name)], dtype=np.float64)


def strike(
    base: System, topology: ActiveSet, t: float, q: Array, v: Array, names: Sequence[str], new: Collection[str] = ()
) -> Struck | None:
    """Velocities after blows, before the constraints `new` close; None where there are no blows. Brakes have no part in it,
    and stops that are leant on only push."""
    if not names:
        return None
    blow, by_name = blows_of(base, q, names)
    system = topology.system(base, holds=False, more=gauges(base, topology.leaning))
    free = v + blow.free_velocity(base, q)
    if not new and not topology.leaning:
        found = jump(system, system, q, free, (), t=t)
        after, supplied, left = found.v, found.supplied, tuple[str, ...]()
    else:
        after, supplied, left = _with_stops(base, topology, system, t, q, free, new)
    work = 0.5 * float(blow.generalized @ (v + after))
    loss = energy(base, q, v).kinetic - energy(base, q, after).kinetic + work + supplied
    return Struck(after, by_name, loss, supplied, work, left)


def _with_stops(
    base: System, topology: ActiveSet, system: System, t: float, q: Array, free: Array, new: Collection[str]
) -> tuple[Array, float, tuple[str, ...]]:
    """(velocities, work of drivers, stops left) from the velocities that a blow would give without constraints."""
    owners, stops = owners_of(system), list(topology.leaning)
    rows = [k for k, name in enumerate(owners) if name not in stops and name not in new]
    J, b = constraint_jacobian(system, q, t), constraint_rate(system, q, t)
    R = -np.array([topology.leaning[n] for n in stops], dtype=float)[:, None] * J[[owners.index(n) for n in stops]]
    done = impact(mass_matrix(base, q), J[rows], b[rows], free, R, np.zeros(len(stops)))
    left = tuple(n for n, u in zip(stops, R @ done.v, strict=True) if u > LEAVES_AT)
    return done.v, 0.0 - float(done.Lam @ b[rows]), left
