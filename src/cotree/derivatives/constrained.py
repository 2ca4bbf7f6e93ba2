"""Derivatives of forward dynamics with constraints, by implicit differentiation.

With h = J v_dot - eta the equations tau = ID(q, v, v_dot) + J^T lam, h = 0 give, for each column x of q, v and tau,
    M dv_dot + J^T dlam = dtau - d(ID + J^T lam),    J dv_dot = -dh,
the right-hand sides for v_dot and lam held fixed. Of rows that depend on each other an independent choice is taken, with zero
multipliers of the others; along the configurations that the constraints allow the acceleration is that of all of them.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.constraints.units import length_of
from cotree.derivatives.compiled import UNKNOWN, all_at_once, room_at_once
from cotree.derivatives.constraints import ConstraintChanges, constraint_changes, jets_of
from cotree.derivatives.duals import by_state
from cotree.derivatives.functions import differenced
from cotree.derivatives.inverse import BRACKETS, DUAL, complain, inverse_dynamics_derivatives
from cotree.dynamics.api import tree_forces
from cotree.dynamics.charts import require_regular_charts
from cotree.errors import SingularError, SingularWarning
from cotree.formulations.careful import REGULAR
from cotree.formulations.forward import forward_dynamics
from cotree.formulations.linalg import pivoted_qr
from cotree.system.arguments import not_finite, require_finite
from cotree.system.system import System

Array = NDArray[np.float64]


class ConstrainedDerivatives(NamedTuple):
    """v_dot and the multipliers lam with their derivatives by q, v and tau; J, the rows chosen and how constraints change."""

    v_dot: Array
    dq: Array
    dv: Array
    dtau: Array
    lam_dq: Array
    lam_dv: Array
    lam_dtau: Array
    J: Array
    rows: NDArray[np.intp]
    changes: ConstraintChanges


def constrained_derivatives(system: System, q: Array, v: Array, tau: Array, t: float) -> ConstrainedDerivatives:
    """All of them at a state, for a system with constraints: compiled where all rows and forces have closed forms, bodies are
    not very unlike and the rows are known to be regular."""
    owners, addresses = jets_of(system)
    if addresses is not None and not differenced(system):
        found = _quickly(system, q, v, tau, t, owners, addresses)
        if found is not None:
            return found
    return carefully(system, q, v, tau, t)


def _quickly(
    system: System, q: Array, v: Array, tau: Array, t: float, owners: NDArray[np.int64], addresses: NDArray[np.int64]
) -> ConstrainedDerivatives | None:
    """In one compiled call; None where the careful way has to be taken."""
    n, m = system.nv, system.n_constraints
    known = max(system.cache.get(REGULAR, ()), default=-1)
    motions, loops = motion_values(system, t, ACCELERATION), m - len(system.extra_rows.names)
    length = system.cached("length", lambda: length_of(system))
    W, pivot = np.empty(room_at_once(n, m, len(system.links))), np.empty(m, np.int64)
    rank, status = all_at_once(
        system.here, system.elements.constants, motions, q, v, tau, loops, length, known, owners, addresses, W, pivot
    )
    if rank == UNKNOWN:
        return None
    if status:
        complain(system, status, q=q, v=v)
    if rank < 0:
        not_finite(system, "derivatives of the dynamics", q=q, v=v, tau=tau)
    require_regular_charts(system, q)
    at, mn = 3 * n * (n + m), m * n
    X, dlam = W[: 3 * n * n].reshape(n, 3 * n), W[3 * n * n : at].reshape(m, 3 * n)
    J, by_q, by_v, velocity_dq = W[at : at + 4 * mn].reshape(4, m, n)
    force_dq, v_dot = W[at + 5 * mn : at + 5 * mn + n * n].reshape(n, n), W[at + 5 * mn + 2 * n * n :][:n]
    changes = ConstraintChanges(force_dq, by_q, by_v, velocity_dq)
    parts = (X[:, :n], X[:, n : 2 * n], X[:, 2 * n :], dlam[:, :n], dlam[:, n : 2 * n], dlam[:, 2 * n :])
    return ConstrainedDerivatives(v_dot, *parts, J, np.sort(pivot[:rank]), changes)


def carefully(
    system: System, q: Array, v: Array, tau: Array, t: float, method: str = BRACKETS
) -> ConstrainedDerivatives:
    """The same step by step, by what `forward_dynamics` finds."""
    require_finite(system, q=q, v=v, tau=tau)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularWarning)
        found = forward_dynamics(system, q, v, tau, t=t)
    if found.singular or found.doubt:
        raise SingularError(
            found.doubt
            or f"system {system.name!r}: constraints lose rank at this configuration, so that accelerations have no "
            "derivatives here; look at a state next to it"
        )
    n, J, v_dot = system.nv, constraint_jacobian(system, q, t), found.v_dot
    tree = inverse_dynamics_derivatives(system, q, v, v_dot, t, method=method)
    L = np.asarray(np.linalg.cholesky(tree.da), dtype=np.float64)
    rows = independent_rows(J, L, getattr(found, "rank", len(J)))
    lam = np.zeros(len(J))
    lam[rows] = _multipliers(J[rows], L, tau - tree_forces(system, q, v, v_dot, t))
    by_duals = method == DUAL and not system.extra_rows.user
    changes = (changes_by_duals if by_duals else constraint_changes)(system, q, v, v_dot, lam, t)
    force = np.hstack([-(tree.dq + changes.force_dq), -tree.dv, np.eye(n)])
    motion = -np.hstack([changes.by_q[rows], changes.by_v[rows], np.zeros((len(rows), n))])
    dx, dlam = solve_constrained(L, J[rows], force, motion)
    everywhere = np.zeros((len(J), 3 * n))
    everywhere[rows] = dlam
    (dq, dv, dtau), (lam_dq, lam_dv, lam_dtau) = np.hsplit(dx, 3), np.hsplit(everywhere, 3)
    return ConstrainedDerivatives(v_dot, dq, dv, dtau, lam_dq, lam_dv, lam_dtau, J, rows, changes)


def changes_by_duals(system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float) -> ConstraintChanges:
    """What `constraint_changes` gives, by dual numbers."""
    (by_q, by_v, _), none = by_state(system, q, v, v_dot, lam, t), np.zeros(len(lam))
    alone, _, _ = by_state(system, q, v, v_dot, none, t)
    return ConstraintChanges(by_q.force - alone.force, by_q.motion, by_v.motion, by_q.speed)


def independent_rows(J: Array, L: Array, rank: int) -> NDArray[np.intp]:
    """As many rows of J, the most independent ones in the metric of the mass matrix L L^T."""
    A = np.ascontiguousarray(np.linalg.solve(L, J.T).T)
    pivot, beta = np.empty(len(A), np.int64), np.empty(max(min(A.shape), 1))
    pivoted_qr(A, beta, pivot, 0.0)
    return np.sort(pivot[:rank])


def solve_constrained(L: Array, J: Array, force: Array, motion: Array) -> tuple[Array, Array]:
    """(x, lam) with M x + J^T lam = force and J x = motion, for M = L L^T and independent rows; one column after another."""
    A, X = np.linalg.solve(L, J.T), np.linalg.solve(L, force)
    Q, R = np.linalg.qr(A)
    known = np.linalg.solve(R.T, motion)
    along = Q.T @ X
    return np.linalg.solve(L.T, X + Q @ (known - along)), np.linalg.solve(R, along - known)


def _multipliers(J: Array, L: Array, force: Array) -> Array:
    """lam with J^T lam = force, for a force that the rows can take."""
    Q, R = np.linalg.qr(np.linalg.solve(L, J.T))
    return np.asarray(np.linalg.solve(R, Q.T @ np.linalg.solve(L, force)), dtype=np.float64)
