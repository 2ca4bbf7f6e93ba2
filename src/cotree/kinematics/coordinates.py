"""Moving in configuration space, for users: rates of q for given velocities, and finite steps along them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.engine.kernel import kernel
from cotree.engine.kernel_types import types_in
from cotree.engine.together import Job, job_for
from cotree.engine.vectors import all_finite
from cotree.kinematics.configuration import move, rates
from cotree.system.arguments import coordinates, not_finite, of_systems, velocities
from cotree.system.families import Doors
from cotree.system.members import over_members
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@kernel
def _rates(here, q, v, out):
    tables = open_tables(here)
    rates(tables.links, tables.dofs, q, v, out)


@kernel
def _move(here, q, step, out):
    tables = open_tables(here)
    move(tables.links, tables.dofs, q, step, out)


def move_job() -> Job | None:
    """Compiles what `displace` needs."""
    return job_for(_move, types_in("ivvv"))


@of_systems(Doors("q", "v"))
@over_members("q", "v")
def coordinate_rates(system: System, q: ArrayLike, v: ArrayLike) -> Array:
    """(nq,): dq/dt. Equal to v but for quaternions and for translations measured in a turning frame."""
    q, v, out = coordinates(system, q), velocities(system, v), np.empty(system.nq)
    _rates(system.here, q, v, out)
    if not all_finite(out):
        not_finite(system, "coordinate_rates", q=q, v=v)
    return out


@of_systems(Doors("q", "step"))
@over_members("q", "step")
def displace(system: System, q: ArrayLike, step: ArrayLike) -> Array:
    """(nq,): q after moving with constant velocity coordinates `step` for unit time; stays on the group.

    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.displace(system, system.q0, [0.1, 0.2])
    array([0.1, 0.2])
    """
    q, step, out = coordinates(system, q), velocities(system, step, "step"), np.empty(system.nq)
    _move(system.here, q, step, out)
    if not all_finite(out):
        not_finite(system, "displace", q=q, step=step)
    return out


@of_systems(Doors("q"))
@over_members("q")
def normalize(system: System, q: ArrayLike) -> Array:
    """q with its quaternions scaled to unit length."""
    return displace(system, q, np.zeros(system.nv))
