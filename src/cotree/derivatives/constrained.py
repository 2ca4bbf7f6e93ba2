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
from cotree.derivatives.compiled import changes_of_terms, linear_terms, solve_changes
from cotree.derivatives.constraints import ConstraintChanges, constraint_changes, jets_of
from cotree.derivatives.functions import add_function_derivatives, differenced
from cotree.derivatives.inverse import complain, inverse_dynamics_derivatives
from cotree.dynamics.api import inverse_dynamics
from cotree.dynamics.charts import require_regular_charts
from cotree.dynamics.user_forces import element_values
from cotree.errors import SingularError, SingularWarning
from cotree.formulations.careful import known_regular
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
    """All of them at a state, for a system with constraints: compiled where all rows have closed forms, bodies are not very
    unlike and the rows are known to be regular."""
    owners, addresses = jets_of(system)
    if addresses is not None:
        found = _quickly(system, q, v, tau, t, owners, addresses)
        if found is not None:
            return found
    return carefully(system, q, v, tau, t)


def _quickly(
    system: System, q: Array, v: Array, tau: Array, t: float, owners: NDArray[np.int64], addresses: NDArray[np.int64]
) -> ConstrainedDerivatives | None:
    n, m, elements = system.nv, system.n_constraints, system.elements
    values = element_values(system, q, v, t) if elements.functions else elements.constants
    motions, loops = motion_values(system, t, ACCELERATION), m - len(system.extra_rows.names)
    v_dot, lam, J, L = np.empty(n), np.zeros(m), np.zeros((m, n)), np.empty((n, n))
    A, beta, pivot = np.empty((m, n)), np.empty(min(m, n)), np.empty(m, np.int64)
    length = system.cached("length", lambda: length_of(system))
    rank = linear_terms(system.here, values, motions, q, v, tau, loops, length, v_dot, lam, J, L, A, beta, pivot)
    if rank < 0 or not known_regular(system, rank):
        return None
    D, by_q, by_v, velocity_dq = np.zeros((3, n, n)), np.zeros((m, n)), np.zeros((m, n)), np.zeros((m, n))
    force_dq, X, dlam = np.zeros((n, n)), np.empty((n, 3 * n)), np.zeros((m, 3 * n))
    status = changes_of_terms(
        system.here, values, q, v, v_dot, lam, owners, addresses, D, by_q, by_v, velocity_dq, force_dq
    )
    if status:
        complain(system, status, q=q, v=v)
    if differenced(system):
        add_function_derivatives(system, q, v, t, D[0], D[1])
    if not solve_changes(L, A, beta, pivot, rank, D, force_dq, by_q, by_v, X, dlam):
        not_finite(system, "derivatives of the dynamics", q=q, v=v, tau=tau)
    require_regular_charts(system, q)
    changes = ConstraintChanges(force_dq, by_q, by_v, velocity_dq)
    parts = (X[:, :n], X[:, n : 2 * n], X[:, 2 * n :], dlam[:, :n], dlam[:, n : 2 * n], dlam[:, 2 * n :])
    return ConstrainedDerivatives(v_dot, *parts, J, np.sort(pivot[:rank]), changes)


def carefully(system: System, q: Array, v: Array, tau: Array, t: float) -> ConstrainedDerivatives:
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
    tree = inverse_dynamics_derivatives(system, q, v, v_dot, t)
    L = np.asarray(np.linalg.cholesky(tree.da), dtype=np.float64)
    rows = independent_rows(J, L, getattr(found, "rank", len(J)))
    lam = np.zeros(len(J))
    lam[rows] = _multipliers(J[rows], L, tau - inverse_dynamics(system, q, v, v_dot, t))
    changes = constraint_changes(system, q, v, v_dot, lam, t)
    force = np.hstack([-(tree.dq + changes.force_dq), -tree.dv, np.eye(n)])
    motion = -np.hstack([changes.by_q[rows], changes.by_v[rows], np.zeros((len(rows), n))])
    dx, dlam = solve_constrained(L, J[rows], force, motion)
    everywhere = np.zeros((len(J), 3 * n))
    everywhere[rows] = dlam
    (dq, dv, dtau), (lam_dq, lam_dv, lam_dtau) = np.hsplit(dx, 3), np.hsplit(everywhere, 3)
    return ConstrainedDerivatives(v_dot, dq, dv, dtau, lam_dq, lam_dv, lam_dtau, J, rows, changes)


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
