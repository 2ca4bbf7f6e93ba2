"""Constraints of a system: residual g(q, t), Jacobian J_c and right-hand side eta with J_c v_dot = eta."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree._kernel import kernel
from cotree.constraints import loops
from cotree.kinematics.sweep import move_all, place_all
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist
from cotree.lie.vec3 import dot
from cotree.system.arguments import coordinates, require_finite, velocities
from cotree.system.finite import all_finite
from cotree.system.handle import open_cuts, open_handle
from cotree.system.regularization import full_rows
from cotree.system.system import System

Array = NDArray[np.float64]


@kernel
def _residual(handle, q, g):
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    place_all(world, links, dofs, work, dof_work, q)
    loops.put_residual(open_cuts(handle), work, g)
    return all_finite(q)


@kernel
def _jacobian(handle, q, J):
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    place_all(world, links, dofs, work, dof_work, q)
    loops.put_jacobian(open_cuts(handle), links, work, dof_work, J)
    return all_finite(q)


@kernel
def put_bias_accelerations(links, work):
    """Accelerations of the links for v_dot = 0, from their own biases."""
    put_twist(work[0].a, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, links.size):
        put_twist(work[i].a, se3.plus(twist(work[links[i].parent].a), twist(work[i].a)))


@kernel
def _bias(handle, q, v, eta):
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    move_all(world, links, dofs, work, dof_work, q, v)
    put_bias_accelerations(links, work)
    loops.put_bias(open_cuts(handle), work, eta)
    return all_finite(q) and all_finite(v)


def _rows(system: System, regularized: bool) -> tuple[NDArray[np.int64], int]:
    """Handle and number of rows: those kept, or all that the cut joints have."""
    if regularized:
        return system.handle, system.n_constraints
    handle, cuts = system.cached("all rows", lambda: _all_rows(system))
    return handle, int(cuts["kept"].sum())


def _all_rows(system: System) -> tuple[NDArray[np.int64], NDArray[np.void]]:
    """The table of cut joints with every row, and a handle on it."""
    cuts, first = system.cuts.copy(), 0
    for row, name in zip(cuts, system.cut_joints, strict=True):
        select = full_rows(system.mechanism.joints[name].joint)
        padded = np.zeros((6, 6))
        padded[: len(select), : select.shape[1]] = select
        row["select"], row["kept"], row["row"], row["on_a"] = padded.ravel(), len(select), first, 0
        first += len(select)
    handle = system.handle.copy()
    handle[18] = cuts.ctypes.data
    return handle, cuts


@kernel
def _gaps(handle, q, gaps, opposite):
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    place_all(world, links, dofs, work, dof_work, q)
    cuts = open_cuts(handle)
    for c in range(cuts.size):
        w, v = loops.cut_gap(cuts[c], work)
        gaps[c] = max(max(abs(w[0]), abs(w[1]), abs(w[2])), max(abs(v[0]), abs(v[1]), abs(v[2])))
        A, B = loops.cut_frames(cuts[c], work)
        opposite[c] = cuts[c].rotations == 1 and dot(w, w) > 9.0 and se3.compose(se3.inverse(A), B)[0][8] < 0.0


def cut_gaps(system: System, q: Any) -> tuple[Array, NDArray[np.bool_]]:
    """For each cut joint: largest component of its gap [m, rad], and whether its axes are antiparallel."""
    gaps, opposite = np.zeros(len(system.cuts)), np.zeros(len(system.cuts), dtype=np.bool_)
    _gaps(system.handle, coordinates(system, q), gaps, opposite)
    return gaps, opposite


def constraint_residual(system: System, q: Any, t: float = 0.0, regularized: bool = True) -> Array:
    """(n_constraints,): g, zero when every loop is closed; metres and radians [Geo (13)]."""
    q = coordinates(system, q)
    handle, rows = _rows(system, regularized)
    g = np.zeros(rows)
    if not _residual(handle, q, g):
        require_finite(system, q=q)
    return g


def constraint_jacobian(system: System, q: Any, t: float = 0.0, regularized: bool = True) -> Array:
    """(n_constraints, nv): J_c with J_c v = 0 for admissible velocities [Geo (37), Reg (22)]."""
    q = coordinates(system, q)
    handle, rows = _rows(system, regularized)
    J = np.zeros((rows, system.nv))
    if not _jacobian(handle, q, J):
        require_finite(system, q=q)
    return J


def constraint_bias(system: System, q: Any, v: Any, t: float = 0.0, regularized: bool = True) -> Array:
    """(n_constraints,): eta with J_c v_dot = eta for admissible accelerations [Geo (38)]."""
    q, v = coordinates(system, q), velocities(system, v)
    handle, rows = _rows(system, regularized)
    eta = np.zeros(rows)
    if not _bias(handle, q, v, eta):
        require_finite(system, q=q, v=v)
    return eta
