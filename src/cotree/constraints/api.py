"""Constraints of a system: residual g(q, t), J_c v = b, J_c v_dot = eta.

Rows: those of the cut joints, then the other constraints in the user's order, at last the user's own rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints import user_rows
from cotree.constraints.all_rows import (
    put_bias,
    put_gaps,
    put_jacobian,
    put_rates,
    put_speeds,
    put_velocities,
    put_wrenches,
    undefined_at,
)
from cotree.constraints.rows.loop import cut_gap
from cotree.constraints.time_functions import ACCELERATION, RATE, VALUE, motion_values
from cotree.engine.kernel import kernel
from cotree.engine.kernel_types import types_in
from cotree.engine.together import Job, job_for
from cotree.engine.vectors import all_finite
from cotree.errors import SingularError
from cotree.kinematics.coordinates import move_job
from cotree.kinematics.cut_joint import cut_frames
from cotree.kinematics.sweep import move_all, place_all
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist
from cotree.lie.vec3 import dot
from cotree.model.checks import flag
from cotree.system.arguments import coordinates, not_finite, of_systems, require_finite, velocities
from cotree.system.cuts import count_rows, put_all_rows
from cotree.system.families import Doors
from cotree.system.members import over_members
from cotree.system.per_thread import Own
from cotree.system.rows import all_kinds, all_rows
from cotree.system.system import System
from cotree.system.views import open_cuts, open_rows, open_tables

Array = NDArray[np.float64]


@kernel
def judged(status, rows):
    """A status that is not zero, -1 for rows with NaN or infinity, else 0."""
    return status if status != 0 or all_finite(rows) else -1


@kernel
def _residual(here, motions, q, g):
    place_all(open_tables(here), q)
    status = put_wrenches(here)
    put_gaps(here, q, motions, g)
    return judged(status, g) if all_finite(q) else -1


@kernel
def _jacobian(here, q, J):
    tables = open_tables(here)
    place_all(tables, q)
    status = put_wrenches(here)
    put_jacobian(open_rows(here), tables.links, tables.dof_work, J)
    return judged(status, J.ravel()) if all_finite(q) else -1


@kernel
def _rate(here, motions, b):
    put_speeds(open_rows(here), motions, b)
    return judged(0, b)


@kernel
def _velocity(here, q, v, out):
    tables = open_tables(here)
    move_all(tables, q, v)
    status = put_wrenches(here)
    put_velocities(open_rows(here), tables.work, v, out)
    return judged(status, out) if all_finite(q) and all_finite(v) else -1


@kernel
def put_bias_accelerations(links, work):
    """Accelerations of the links for v_dot = 0, from their own biases."""
    put_twist(work[0].a, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, links.size):
        put_twist(work[i].a, se3.plus(twist(work[links[i].parent].a), twist(work[i].a)))


@kernel
def _bias(here, motions, q, v, eta):
    tables = open_tables(here)
    move_all(tables, q, v)
    put_bias_accelerations(tables.links, tables.work)
    status = put_wrenches(here)
    put_rates(here)
    put_bias(open_rows(here), tables.work, motions, eta)
    return judged(status, eta) if all_finite(q) and all_finite(v) else -1


def first_jobs() -> list[Job | None]:
    """What has to be compiled before loops are closed for the first time, the longest first."""
    return [job_for(_residual, types_in("imvv")), job_for(_jacobian, types_in("ivm")), move_job()]


def with_rows(system: System, regularized: bool) -> tuple[int, int]:
    """Address of the tables, and number of rows: those kept, or all that the cut joints have; the others in either case."""
    if regularized is True or flag(regularized, "regularized"):
        return system.here, system.n_constraints
    own, rows = system.cached("all rows", lambda: _all_rows(system))
    return own.here, rows


def holonomic_rows(system: System, regularized: bool = True) -> NDArray[np.bool_]:
    """Which rows hold positions; loops do."""
    return np.append(
        np.ones(with_rows(system, regularized)[1] - len(system.extra_rows.names), bool), system.extra_rows.holonomic
    )


def _all_rows(system: System) -> tuple[Own, int]:
    """The tables with every row of the cut joints, and the number of rows."""
    cuts = system.cuts.copy()
    for row, name in zip(cuts, system.cut_joints, strict=True):
        put_all_rows(row, system.mechanism.joints[name].joint, system.coordinates == "absolute")
    count_rows(cuts)
    rows, pieces = all_rows(cuts, system.extra_rows)
    tables = {**system.tables, "cuts": cuts, "rows": rows, "pieces": pieces}
    kinds = all_kinds(cuts, system.extra_rows)
    own = Own(tables, kinds, system.elements, system.workspace)
    return own, int(cuts["kept"].sum()) + len(system.extra_rows.names)


@kernel
def _gaps(here, q, gaps, opposite):
    tables = open_tables(here)
    place_all(tables, q)
    cuts = open_cuts(here)
    for c in range(cuts.size):
        w, v = cut_gap(cuts[c], tables.work)
        gaps[c] = max(max(abs(w[0]), abs(w[1]), abs(w[2])), max(abs(v[0]), abs(v[1]), abs(v[2])))
        A, B = cut_frames(cuts[c], tables.work)
        opposite[c] = cuts[c].rotations == 1 and dot(w, w) > 9.0 and se3.compose(se3.inverse(A), B)[0][8] < 0.0


def cut_gaps(system: System, q: Any) -> tuple[Array, NDArray[np.bool_]]:
    """For each cut joint: largest component of its gap [m, rad], and whether its axes are antiparallel."""
    gaps, opposite = np.zeros(len(system.cuts)), np.zeros(len(system.cuts), dtype=np.bool_)
    _gaps(system.here, coordinates(system, q), gaps, opposite)
    return gaps, opposite


@of_systems(Doors("q"))
@over_members("q")
def constraint_residual(system: System, q: ArrayLike, t: float = 0.0, regularized: bool = True) -> Array:
    """Compute the error of the constraint equations at a configuration.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    t : float, optional
        Time [s], for drives and functions of time.
    regularized : bool, optional
        False gives the redundant equations of loops too.

    Returns
    -------
    ndarray of shape (n_constraints,)
        Errors [m or rad], zero where all constraints are satisfied, and for non-holonomic
        ones. [Geo (13)]

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.constraint_residual(system, system.q0) + 0.0
    array([0., 0.])
    """
    q = coordinates(system, q)
    here, rows = with_rows(system, regularized)
    g = np.zeros(rows)
    status = _residual(here, motion_values(system, t, VALUE), q, g)
    if status:
        _complain(system, status, q=q)
    user_rows.put_residual(system, q, t, g)
    return g


@of_systems(Doors("q"))
@over_members("q")
def constraint_jacobian(system: System, q: ArrayLike, t: float = 0.0, regularized: bool = True) -> Array:
    """Compute the Jacobian of the constraint equations.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    t : float, optional
        Time [s], for drives and functions of time.
    regularized : bool, optional
        False gives the redundant equations of loops too.

    Returns
    -------
    ndarray of shape (n_constraints, nv)
        J_c with J_c v = b for admissible velocities. [Geo (37), Reg (22)]

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.constraint_jacobian(system, system.q0).shape
    (2, 3)
    """
    q = coordinates(system, q)
    here, rows = with_rows(system, regularized)
    J = np.zeros((rows, system.nv))
    status = _jacobian(here, q, J)
    if status:
        _complain(system, status, q=q)
    user_rows.put_jacobian(system, q, t, J)
    return J


@of_systems(Doors("q"))
@over_members("q")
def constraint_rate(system: System, q: ArrayLike, t: float = 0.0, regularized: bool = True) -> Array:
    """Compute the right-hand side of the constraints at velocity level.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    t : float, optional
        Time [s], for drives and functions of time.
    regularized : bool, optional
        False gives the redundant equations of loops too.

    Returns
    -------
    ndarray of shape (n_constraints,)
        The values b with J_c v = b; zero without drives.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.theory.constraint_rate(system, system.q0) + 0.0
    array([0., 0.])
    """
    q = coordinates(system, q)
    here, rows = with_rows(system, regularized)
    b = np.zeros(rows)
    if system.extra_rows.motions and _rate(here, motion_values(system, t, RATE), b):
        not_finite(system, "constraint_rate", q=q)
    user_rows.put_rate(system, q, t, b)
    return b


def constraint_velocity(system: System, q: Any, v: Any, t: float = 0.0, regularized: bool = True) -> Array:
    """(n_constraints,): J_c v, without the matrix where no rows are the user's own."""
    q, v = coordinates(system, q), velocities(system, v)
    if system.extra_rows.user:
        rate: Array = constraint_jacobian(system, q, t, regularized) @ v
        if not np.isfinite(rate).all():
            not_finite(system, "constraint_velocity", q=q, v=v)
        return rate
    here, rows = with_rows(system, regularized)
    out = np.zeros(rows)
    status = _velocity(here, q, v, out)
    if status:
        _complain(system, status, q=q, v=v)
    return out


@of_systems(Doors("q", "v"))
@over_members("q", "v")
def constraint_bias(system: System, q: ArrayLike, v: ArrayLike, t: float = 0.0, regularized: bool = True) -> Array:
    """Compute the right-hand side of the constraints at acceleration level.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,)
        Velocities.
    t : float, optional
        Time [s], for drives and functions of time.
    regularized : bool, optional
        False gives the redundant equations of loops too.

    Returns
    -------
    ndarray of shape (n_constraints,)
        The values eta with J_c v_dot = eta. [Geo (38)]

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> v = ct.consistent_velocity(system, system.q0, {"A": 1.0})
    >>> J, eta = ct.constraint_jacobian(system, system.q0), ct.constraint_bias(system, system.q0, v)
    >>> v_dot = ct.forward_dynamics(system, system.q0, v).v_dot
    >>> float(abs(J @ v_dot - eta).max()) < 1e-12
    True
    """
    q, v = coordinates(system, q), velocities(system, v)
    here, rows = with_rows(system, regularized)
    eta = np.zeros(rows)
    status = _bias(here, motion_values(system, t, ACCELERATION), q, v, eta)
    if status:
        _complain(system, status, q=q, v=v)
    user_rows.put_bias(system, q, v, t, eta)
    return eta


def _complain(system: System, status: int, **arrays: Array) -> None:
    if status < 0:
        not_finite(system, "constraints", **arrays)
    require_finite(system, **arrays)
    which, place = undefined_at(status)
    kind, table, _ = all_kinds(system.cuts, system.extra_rows)[which]
    c = system.constraints[system.extra_rows.owners[int(table[place]["row"])]]
    raise SingularError(f"{c.word} {c.name!r}: {kind.undefined}")
