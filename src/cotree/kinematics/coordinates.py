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
    """Compute the time derivatives of the coordinates.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,)
        Velocities.

    Returns
    -------
    ndarray of shape (nq,)
        The rates dq/dt. They equal v but for quaternions and for translations measured in a
        turning frame.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.theory.coordinate_rates(system, system.q0, [1.0, 2.0])
    array([1., 2.])
    """
    q, v, out = coordinates(system, q), velocities(system, v), np.empty(system.nq)
    _rates(system.here, q, v, out)
    if not all_finite(out):
        not_finite(system, "coordinate_rates", q=q, v=v)
    return out


@of_systems(Doors("q", "step"))
@over_members("q", "step")
def displace(system: System, q: ArrayLike, step: ArrayLike) -> Array:
    """Move a configuration along velocity coordinates; quaternions keep their unit length.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    step : array_like of shape (nv,)
        Velocities that act for unit time.

    Returns
    -------
    ndarray of shape (nq,)
        The configuration reached.

    Examples
    --------
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
    """Scale the quaternions in a configuration to unit length.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.

    Returns
    -------
    ndarray of shape (nq,)
        The configuration.

    Raises
    ------
    SingularError
        For a quaternion of zeros.

    Examples
    --------
    >>> mech = ct.Mechanism()
    >>> body = mech.body("b", mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
    >>> _ = mech.joint("ball", "ground", body, ct.Spherical())
    >>> ct.normalize(mech.compile(), [2.0, 0.0, 0.0, 0.0])
    array([1., 0., 0., 0.])
    """
    return displace(system, q, np.zeros(system.nv))
