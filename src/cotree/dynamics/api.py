"""Dynamics of the tree: what a user calls. Everything is O(n) or, for matrices, O(n depth)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike, NDArray

from cotree.dynamics import composite, coriolis, energy_momentum, inverse
from cotree.dynamics.batches import (
    many_energies,
    many_inverse_dynamics,
    many_mass_centres,
    many_mass_matrices,
    many_momenta,
)
from cotree.dynamics.user_forces import put_element_values
from cotree.engine.fast_call import fast_matrix, fast_vector
from cotree.engine.kernel import kernel
from cotree.engine.together import Job, job_for
from cotree.engine.vectors import all_finite
from cotree.errors import ArgumentError, StudyWarning
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import ORIGIN, coordinates, not_finite, of_systems, velocities, world_point
from cotree.system.families import Doors, Systems
from cotree.system.fast_calls import call_bound
from cotree.system.members import Members, members_of, over_members
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]
Single = Callable[[int], Array]


@kernel
def _mass_matrix(here, q, M):
    tables = open_tables(here)
    composite.mass_matrix(tables, q, M)
    return all_finite(q) and all_finite(M.ravel())


@kernel
def _coriolis_matrix(here, q, v, C):
    tables = open_tables(here)
    coriolis.coriolis_matrix(tables, q, v, C)
    return all_finite(q) and all_finite(v) and all_finite(C.ravel())


@kernel
def _inverse_dynamics(here, values, q, v, v_dot, tau):
    tables = open_tables(here)
    inverse.inverse_dynamics(tables, values, q, v, v_dot, tau)
    return all_finite(tau)


@fast_matrix
def _fast_mass_matrix(here, values, q, v, w, out):
    return 0 if _mass_matrix(here, q, out) else 1


@fast_vector
def _fast_inverse_dynamics(here, values, q, v, w, out):
    return 0 if _inverse_dynamics(here, values, q, v, w, out[0]) else 1


_quick_mass_matrix, _quick_inverse_dynamics = _fast_mass_matrix.quick, _fast_inverse_dynamics.quick


@kernel
def _energy(here, q, v, out):
    tables = open_tables(here)
    energy_momentum.energy(tables, q, v, out)
    return all_finite(out)


@kernel
def _momentum(here, q, v, at, out):
    tables = open_tables(here)
    energy_momentum.momentum(tables, q, v, at, out)
    return all_finite(out)


@kernel
def _mass_centre(here, q, v, out):
    tables = open_tables(here)
    energy_momentum.mass_centre(tables, q, v, out)
    return all_finite(out)


def mass_matrix_job() -> Job | None:
    """Compiles what `mass_matrix` needs."""
    return job_for(_fast_mass_matrix)


def mass_matrix(system: Mechanism | System | Systems, q: ArrayLike) -> Array:
    """Compute the mass matrix of the tree.

    Parameters
    ----------
    system : System, Mechanism or Systems
        A mechanism is compiled with the default options.
    q : array_like of shape (..., nq)
        Coordinates of one state or of many.

    Returns
    -------
    ndarray of shape (..., nv, nv)
        M = K^T J K, by composite rigid bodies. [Geo (43), (51)]

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> M = ct.mass_matrix(system, system.q0)
    >>> bool((M == M.T).all())
    True
    """
    M = _quick_mass_matrix(system, q)
    return M if type(M) is ndarray else _mass_matrix_of(system, q)


def _mass_matrices(systems: Systems, many: Members, single: Single, _: Any) -> Array | None:
    return many_mass_matrices.of_systems(systems, many, (systems.nv, systems.nv), single)


@of_systems(Doors("q", lanes=_mass_matrices), mass_matrix)
def _mass_matrix_of(system: System, q: Any) -> Array:
    """The same for arguments that must be converted, or that something is wrong with, and for batches."""
    many = members_of(system, q=q)
    if many is not None:
        return many_mass_matrices(system, many, (system.nv, system.nv), lambda q: mass_matrix(system, q))
    q = coordinates(system, q)
    M = call_bound(_fast_mass_matrix, system, q, quick=True)
    if type(M) is not ndarray:
        not_finite(system, "mass_matrix", q=q)
    return M


@of_systems(Doors("q", "v"))
@over_members("q", "v")
def coriolis_matrix(system: System, q: ArrayLike, v: ArrayLike) -> Array:
    """Compute the Coriolis matrix of the tree.

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
    ndarray of shape (nv, nv)
        C with C_ab = Gamma_abc v^c; dM/dt - 2 C is skew. [Geo (49), (50)]

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.theory.coriolis_matrix(system, [0.3, 0.1], [0.0, 0.0]) + 0.0
    array([[0., 0.],
           [0., 0.]])
    """
    q, v = coordinates(system, q), velocities(system, v)
    C = np.empty((system.nv, system.nv))
    if not _coriolis_matrix(system.here, q, v, C):
        not_finite(system, "coriolis_matrix", q=q, v=v)
    return C


def inverse_dynamics(
    system: Mechanism | System | Systems,
    q: ArrayLike,
    v: ArrayLike | None = None,
    v_dot: ArrayLike | None = None,
    t: float = 0.0,
    *,
    a: ArrayLike | None = None,
    tree: bool = False,
) -> Array:
    """Compute the forces that give the tree an acceleration.

    With loops these are the forces of the tree that remains where they are cut: another one for
    other cuts, hence a warning. Forces of motors that move a mechanism with loops are those of
    `actuator_forces`.

    Parameters
    ----------
    system : System, Mechanism or Systems
        A mechanism is compiled with the default options.
    q : array_like of shape (..., nq)
        Coordinates of one state or of many.
    v : array_like of shape (..., nv), optional
        Velocities; zero by default.
    v_dot : array_like of shape (..., nv), optional
        Accelerations; zero by default.
    t : float, optional
        Time [s], for drives and functions of time.
    a : array_like, optional
        Another name of `v_dot`.
    tree : bool, optional
        True says that the forces of the opened tree are meant.

    Returns
    -------
    ndarray of shape (..., nv)
        Forces [N m or N] along the coordinates, added to all modelled ones.

    Warns
    -----
    StudyWarning
        If the mechanism has loops and `tree` is False.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> tau = ct.inverse_dynamics(system, [0.3, 0.1], [0.5, 0.0], [1.0, 0.0])
    >>> ct.forward_dynamics(system, [0.3, 0.1], [0.5, 0.0], tau).v_dot.round(9) + 0.0
    array([1., 0.])
    """
    if a is not None:
        if v_dot is not None:
            raise ArgumentError("accelerations are given twice; give either v_dot or a, which is another name for it")
        v_dot = a
    if not tree and (type(system) is not System or system.loops):
        system = _warn_of_loops(system)
    return tree_forces(system, q, v, v_dot, t)


def tree_forces(system: Any, q: Any, v: Any = None, v_dot: Any = None, t: float = 0.0) -> Array:
    """`inverse_dynamics` for callers that know what becomes of loops."""
    tau = _quick_inverse_dynamics(system, q, v, v_dot)
    return (
        tau
        if type(tau) is ndarray and type(t) is float and -inf < t < inf
        else _inverse_dynamics_of(system, q, v, v_dot, t)
    )


def _warn_of_loops(given: Any) -> Any:
    """Say it once for a system whose coordinates are those of joints; what was given, compiled where it was a mechanism."""
    given = given.compile() if isinstance(given, Mechanism) else given
    system = given[0] if isinstance(given, Systems) else given
    loops = isinstance(system, System) and system.coordinates == "relative" and system.loops
    if loops and not system.decisions.get("loops were told"):
        system.decisions["loops were told"] = True
        warnings.warn(
            f"inverse_dynamics of {system.name!r}: the loops are cut at {', '.join(map(repr, system.cut_joints))}, and "
            "these are the forces of the tree that is left, which depend on the cuts; ct.actuator_forces gives the forces "
            "of motors that move the loops, tree=True says that the tree is meant",
            StudyWarning,
            stacklevel=3,
        )
    return given


def _forces(systems: Systems, many: Members, single: Single, _: Any) -> Array | None:
    if systems.cached("functions", lambda: any(system.elements.functions for system in systems)):
        return None
    return many_inverse_dynamics.of_systems(systems, many, (systems.nv,), single)


@of_systems(Doors("q", "v", "v_dot", lanes=_forces), inverse_dynamics)
def _inverse_dynamics_of(system: System, q: Any, v: Any, v_dot: Any, t: float) -> Array:
    """The same for arguments that must be converted, or that something is wrong with, and for forces that are functions."""
    many = members_of(system, q=q, v=v, v_dot=v_dot)
    if many is not None:
        return _inverse_dynamics_many(system, many, t)
    q, v, v_dot = coordinates(system, q), velocities(system, v), velocities(system, v_dot, "v_dot")
    put_element_values(system, q, v, t)
    tau = call_bound(_fast_inverse_dynamics, system, q, v, v_dot, quick=not system.elements.functions)
    if type(tau) is not ndarray:
        not_finite(system, "inverse_dynamics", q=q, v=v, v_dot=v_dot)
    return tau


def _inverse_dynamics_many(system: System, many: Members, t: float) -> Array:
    def single(q: Array, v: Array, v_dot: Array) -> Array:
        return tree_forces(system, q, v, v_dot, t)

    if system.elements.functions:
        return many.one_by_one(single)
    return many_inverse_dynamics(system, many, (system.nv,), single)


@dataclass(frozen=True)
class Energy:
    """Joules; arrays of them where the state had leading axes."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        return self.kinetic + self.potential


def _energies(systems: Systems, many: Members, single: Callable[[int], Energy], _: Any) -> Energy | None:
    def both(i: int) -> Array:
        found = single(i)
        return np.array([found.kinetic, found.potential])

    each: Any = many_energies.of_systems(systems, many, (2,), both)
    return None if each is None else Energy(each[..., 0], each[..., 1])


@of_systems(Doors("q", "v", lanes=_energies))
def energy(system: System, q: ArrayLike, v: ArrayLike | None = None) -> Energy:
    """Compute kinetic and potential energy.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (..., nq)
        Coordinates of one state or of many.
    v : array_like of shape (..., nv), optional
        Velocities; zero by default.

    Returns
    -------
    Energy
        `.kinetic`, `.potential` (gravity, zero at the world's origin, and springs),
        `.total` [J].

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> energy = ct.energy(system, system.q0)
    >>> energy.kinetic, round(energy.potential, 3)
    (0.0, 32.373)
    """
    many = members_of(system, q=q, v=v)
    if many is not None:
        each: Any = many_energies(system, many, (2,), lambda q, v: np.array(_both_energies(system, q, v)))
        return Energy(each[..., 0], each[..., 1])
    return Energy(*_both_energies(system, q, v))


def _both_energies(system: System, q: Any, v: Any) -> tuple[float, float]:
    q, v = coordinates(system, q), velocities(system, v)
    out = np.empty(2)
    if not _energy(system.here, q, v, out):
        not_finite(system, "energy", q=q, v=v)
    return float(out[0]), float(out[1])


@of_systems(Doors("q", "v"))
def momentum(system: System, q: ArrayLike, v: ArrayLike, point: ArrayLike = ORIGIN) -> Array:
    """Compute the momentum of all bodies.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (..., nq)
        Coordinates of one state or of many.
    v : array_like of shape (..., nv)
        Velocities.
    point : array_like of shape (3,), optional
        World point of the angular momentum.

    Returns
    -------
    ndarray of shape (..., 6)
        Angular momentum about the point, then linear momentum.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(1).compile()
    >>> ct.momentum(system, system.q0, [0.0])
    array([0., 0., 0., 0., 0., 0.])
    """
    many = members_of(system, q=q, v=v)
    if many is not None:
        about = world_point(point)
        return many_momenta(system, many, (6,), lambda q, v: momentum(system, q, v, about), about.reshape(1, 3))
    q, v = coordinates(system, q), velocities(system, v)
    out = np.empty(6)
    if not _momentum(system.here, q, v, world_point(point), out):
        not_finite(system, "momentum", q=q, v=v)
    return out


@dataclass(frozen=True)
class MassCentre:
    """mass [kg], position [m], velocity [m/s] of all that moves; with the leading axes of the state, if it had any."""

    mass: float
    position: Array
    velocity: Array


@of_systems(Doors("q", "v"))
def center_of_mass(system: System, q: ArrayLike, v: ArrayLike | None = None) -> MassCentre:
    """Compute the common mass centre of the bodies that are not fixed to ground.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.

    Returns
    -------
    MassCentre
        `.mass`, `.position`, `.velocity`.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.center_of_mass(system, system.q0).position
    array([1.4375, 0.825 , 0.    ])
    """
    many = members_of(system, q=q, v=v)
    if many is not None:
        each: Any = many_mass_centres(system, many, (7,), lambda q, v: _mass_centre_row(system, q, v))
        return MassCentre(each[..., 0], each[..., 1:4], each[..., 4:])
    out = _mass_centre_row(system, q, v)
    return MassCentre(float(out[0]), out[1:4], out[4:])


def _mass_centre_row(system: System, q: Any, v: Any) -> Array:
    q, v = coordinates(system, q), velocities(system, v)
    out = np.empty(7)
    if not _mass_centre(system.here, q, v, out):
        not_finite(system, "center_of_mass", q=q, v=v)
    return out
