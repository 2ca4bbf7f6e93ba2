"""Constraints of a system: residual g(q, t), J_c v = b, J_c v_dot = eta.

Rows: those of the cut joints, then the other constraints in the user's order, at last the user's own rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints import extra_rows, loops, user_rows
from cotree.constraints.contact import flat_disk
from cotree.constraints.row_velocities import put_loop_velocities, put_other_velocities
from cotree.constraints.time_functions import ACCELERATION, RATE, VALUE, motion_values
from cotree.engine.kernel import kernel
from cotree.engine.records import address_of, copied, put_array
from cotree.engine.vectors import all_finite
from cotree.errors import SingularError
from cotree.kinematics.cut_joint import cut_frames
from cotree.kinematics.sweep import move_all, place_all
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist
from cotree.lie.vec3 import dot
from cotree.model.checks import flag
from cotree.system.arguments import coordinates, not_finite, of_system, require_finite, velocities
from cotree.system.regularization import full_rows
from cotree.system.system import System
from cotree.system.views import open_cuts, open_rows, open_tables

Array = NDArray[np.float64]


# Rows of cut joints first; those of other constraints by kernels of their own, compiled where a system has such


@kernel
def judged(flat, rows):
    """1 + a disk that lies flat, -1 for rows with NaN or infinity, else 0."""
    return flat if flat != 0 or all_finite(rows) else -1


@kernel
def _loop_residual(here, q, g):
    tables = open_tables(here)
    place_all(tables, q)
    loops.put_residual(open_cuts(here), tables.work, g)
    return 0 if all_finite(q) and all_finite(g) else -1


@kernel
def _other_residual(here, motions, q, g):
    tables, others = open_tables(here), open_rows(here)
    extra_rows.put_residual(others, open_cuts(here), tables.work, q, motions, g)
    return judged(flat_disk(others.rollings, tables.work), g)


@kernel
def _loop_jacobian(here, q, J):
    tables = open_tables(here)
    place_all(tables, q)
    loops.put_jacobian(open_cuts(here), tables.links, tables.work, tables.dof_work, J)
    return 0 if all_finite(q) and all_finite(J.ravel()) else -1


@kernel
def _other_jacobian(here, J):
    tables = open_tables(here)
    others = open_rows(here)
    extra_rows.put_jacobian(others, open_cuts(here), tables.links, tables.work, tables.dof_work, J)
    return judged(flat_disk(others.rollings, tables.work), J.ravel())


@kernel
def _rate(here, motions, b):
    extra_rows.put_rate(open_rows(here), open_cuts(here), motions, b)
    return judged(0, b)


@kernel
def _loop_velocity(here, q, v, out):
    tables = open_tables(here)
    move_all(tables, q, v)
    put_loop_velocities(open_cuts(here), tables.work, out)
    return 0 if all_finite(q) and all_finite(v) and all_finite(out) else -1


@kernel
def _other_velocity(here, v, out):
    tables, others = open_tables(here), open_rows(here)
    put_other_velocities(others, open_cuts(here), tables.work, v, out)
    return judged(flat_disk(others.rollings, tables.work), out)


@kernel
def put_bias_accelerations(links, work):
    """Accelerations of the links for v_dot = 0, from their own biases."""
    put_twist(work[0].a, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, links.size):
        put_twist(work[i].a, se3.plus(twist(work[links[i].parent].a), twist(work[i].a)))


@kernel
def _loop_bias(here, q, v, eta):
    tables = open_tables(here)
    move_all(tables, q, v)
    put_bias_accelerations(tables.links, tables.work)
    loops.put_bias(open_cuts(here), tables.work, eta)
    return 0 if all_finite(q) and all_finite(v) and all_finite(eta) else -1


@kernel
def _other_bias(here, motions, eta):
    tables, others = open_tables(here), open_rows(here)
    extra_rows.put_bias(others, open_cuts(here), tables.work, motions, eta)
    return judged(flat_disk(others.rollings, tables.work), eta)


def with_rows(system: System, regularized: bool) -> tuple[int, int]:
    """Address of the tables, and number of rows: those kept, or all that the cut joints have; the others in either case."""
    if regularized is True or flag(regularized, "regularized"):
        return system.here, system.n_constraints
    made, cuts = system.cached("all rows", lambda: _all_rows(system))
    return address_of(made), int(cuts["kept"].sum()) + len(system.extra_rows.names)


def holonomic_rows(system: System, regularized: bool = True) -> NDArray[np.bool_]:
    """Which rows hold positions; loops do."""
    return np.append(
        np.ones(with_rows(system, regularized)[1] - len(system.extra_rows.names), bool), system.extra_rows.holonomic
    )


def _all_rows(system: System) -> tuple[Any, NDArray[np.void]]:
    """The record of the tables with every row of the cut joints, and that table."""
    cuts, first = system.cuts.copy(), 0
    for row, name in zip(cuts, system.cut_joints, strict=True):
        select = full_rows(system.mechanism.joints[name].joint)
        padded = np.zeros((6, 6))
        padded[: len(select), : select.shape[1]] = select
        row["select"], row["kept"], row["row"], row["on_a"] = padded.ravel(), len(select), first, 0
        first += len(select)
    made = copied(system.own.record)
    put_array(made.cuts, cuts)
    return made, cuts


@kernel
def _gaps(here, q, gaps, opposite):
    tables = open_tables(here)
    place_all(tables, q)
    cuts = open_cuts(here)
    for c in range(cuts.size):
        w, v = loops.cut_gap(cuts[c], tables.work)
        gaps[c] = max(max(abs(w[0]), abs(w[1]), abs(w[2])), max(abs(v[0]), abs(v[1]), abs(v[2])))
        A, B = cut_frames(cuts[c], tables.work)
        opposite[c] = cuts[c].rotations == 1 and dot(w, w) > 9.0 and se3.compose(se3.inverse(A), B)[0][8] < 0.0


def cut_gaps(system: System, q: Any) -> tuple[Array, NDArray[np.bool_]]:
    """For each cut joint: largest component of its gap [m, rad], and whether its axes are antiparallel."""
    gaps, opposite = np.zeros(len(system.cuts)), np.zeros(len(system.cuts), dtype=np.bool_)
    _gaps(system.here, coordinates(system, q), gaps, opposite)
    return gaps, opposite


@of_system
def constraint_residual(system: System, q: ArrayLike, t: float = 0.0, regularized: bool = True) -> Array:
    """(n_constraints,): g, zero when all holds; metres and radians [Geo (13)]; zero for non-holonomic rows."""
    q = coordinates(system, q)
    here, rows = with_rows(system, regularized)
    g = np.zeros(rows)
    status = _loop_residual(here, q, g)
    if not status and system.extra_rows.names:
        status = _other_residual(here, motion_values(system, t, VALUE), q, g)
    if status:
        _complain(system, status, q=q)
    user_rows.put_residual(system, q, t, g)
    return g


@of_system
def constraint_jacobian(system: System, q: ArrayLike, t: float = 0.0, regularized: bool = True) -> Array:
    """(n_constraints, nv): J_c with J_c v = b for admissible velocities [Geo (37), Reg (22)]."""
    q = coordinates(system, q)
    here, rows = with_rows(system, regularized)
    J = np.zeros((rows, system.nv))
    status = _loop_jacobian(here, q, J)
    if not status and system.extra_rows.names:
        status = _other_jacobian(here, J)
    if status:
        _complain(system, status, q=q)
    user_rows.put_jacobian(system, q, t, J)
    return J


@of_system
def constraint_rate(system: System, q: ArrayLike, t: float = 0.0, regularized: bool = True) -> Array:
    """(n_constraints,): b with J_c v = b for admissible velocities, b = -dg/dt at fixed q; zero without drivers."""
    q = coordinates(system, q)
    here, rows = with_rows(system, regularized)
    b = np.zeros(rows)
    if system.extra_rows.names and _rate(here, motion_values(system, t, RATE), b):
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
    status = _loop_velocity(here, q, v, out)
    if not status and system.extra_rows.names:
        status = _other_velocity(here, v, out)
    if status:
        _complain(system, status, q=q, v=v)
    return out


@of_system
def constraint_bias(system: System, q: ArrayLike, v: ArrayLike, t: float = 0.0, regularized: bool = True) -> Array:
    """(n_constraints,): eta with J_c v_dot = eta for admissible accelerations [Geo (38)]."""
    q, v = coordinates(system, q), velocities(system, v)
    here, rows = with_rows(system, regularized)
    eta = np.zeros(rows)
    status = _loop_bias(here, q, v, eta)
    if not status and system.extra_rows.names:
        status = _other_bias(here, motion_values(system, t, ACCELERATION), eta)
    if status:
        _complain(system, status, q=q, v=v)
    user_rows.put_bias(system, q, v, t, eta)
    return eta


def _complain(system: System, status: int, **arrays: Array) -> None:
    if status < 0:
        not_finite(system, "constraints", **arrays)
    require_finite(system, **arrays)
    name = system.extra_rows.owners[system.extra_rows.tables.rollings[status - 1]["row"]]
    raise SingularError(f"rolling {name!r}: the disk lies flat on its plane, where no point of it is the contact")
