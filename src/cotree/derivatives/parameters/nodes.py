"""Derivatives of the acceleration by state and parameters at many states, in one compiled call where there are closed forms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.constraints.units import length_of
from cotree.derivatives.columns import solve_lower_columns, solve_lower_transposed_columns, split_columns
from cotree.derivatives.compiled import changes_of_terms, linear_terms, room_of_changes
from cotree.derivatives.constrained import constrained_derivatives, solve_constrained
from cotree.derivatives.constraints import jets_of
from cotree.derivatives.forward import forward_dynamics_derivatives
from cotree.derivatives.functions import differenced
from cotree.derivatives.parameters.api import multipliers_of
from cotree.derivatives.parameters.changes import NO_ADDRESSES, NO_OWNERS, parameter_changes
from cotree.derivatives.parameters.directions import Directions
from cotree.derivatives.parameters.fields import put_parameter_changes
from cotree.dynamics.api import mass_matrix
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite, fill_rows
from cotree.formulations.careful import REGULAR
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


class Nodes(NamedTuple):
    """At K states: v_dot (K, nv), F (K, nv, 2 nv + P): its derivatives along displacements, by velocities and by parameters;
    of the constraints J and how J v changes along displacements (K, rows, nv), derivatives of J v and of the gaps by the
    parameters (K, rows, P), and their multipliers lam (K, rows)."""

    v_dot: Array
    F: Array
    J: Array
    turned: Array
    velocity: Array
    gap: Array
    lam: Array


@kernel
def _put_nodes(here, values, motions, Q, V, loops, length, known, owners, addresses, d, v_dot, F, J, turned, out, lam):
    """All arrays of `Nodes`, zeros before; out (K, nv + 3 rows, P). Returns how many states were done."""
    K, n = V.shape
    m, count = lam.shape[1], d.moves.size
    tau, pivot, A, L = np.zeros(n), np.empty(m, np.int64), np.empty((m, n)), np.empty((n, n))
    beta, D, by_q, by_v = np.empty(min(m, n)), np.empty((3, n, n)), np.empty((m, n)), np.empty((m, n))
    force_dq, motion, dlam = np.empty((n, n)), np.empty((m, 2 * n + count)), np.empty((m, 2 * n + count))
    room = np.empty(room_of_changes(n, open_tables(here).links.size))
    for k in range(K):
        q, v = Q[k], V[k]
        fill_rows(L, 0, n, 0.0)
        rank = linear_terms(
            here, values, motions[k], q, v, tau, loops, length, v_dot[k], lam[k], J[k], L, A, beta, pivot
        )
        if rank < 0 or (rank != m and rank != known):
            return k
        for x in range(3):
            fill_rows(D[x], 0, n, 0.0)
        fill_rows(by_q, 0, m, 0.0)
        fill_rows(by_v, 0, m, 0.0)
        fill_rows(force_dq, 0, n, 0.0)
        if changes_of_terms(
            here, values, q, v, v_dot[k], lam[k], owners, addresses, room, D, by_q, by_v, turned[k], force_dq
        ):
            return k
        put_parameter_changes(here, open_tables(here), values, q, v, v_dot[k], lam[k], owners, addresses, d, out[k])
        X = F[k]
        for i in range(n):
            for c in range(n):
                X[i, c], X[i, n + c] = -D[0, i, c] - force_dq[i, c], -D[1, i, c]
            for c in range(count):
                X[i, 2 * n + c] = -out[k, i, c]
        for r in range(m):
            for c in range(n):
                motion[r, c], motion[r, n + c] = -by_q[r, c], -by_v[r, c]
            for c in range(count):
                motion[r, 2 * n + c] = -out[k, n + r, c]
        fill_rows(dlam, 0, m, 0.0)
        solve_lower_columns(L, X)
        split_columns(A, beta, pivot, rank, motion, X, dlam)
        solve_lower_transposed_columns(L, X)
        if not all_finite(X.ravel()):
            return k
    return K


def nodes_along(system: System, t: Array, Q: Array, V: Array, d: Directions) -> Nodes:
    """Derivatives at the states of a run."""
    K, n, m, count = len(t), system.nv, system.n_constraints, len(d.moves)
    owners, addresses = jets_of(system) if m else (NO_OWNERS, NO_ADDRESSES)
    if addresses is None or differenced(system):
        return _one_by_one(system, t, Q, V, d)
    if system.extra_rows.motions:
        motions = np.array([motion_values(system, float(s), ACCELERATION) for s in t])
    else:
        motions = np.zeros((K, 0, 3))
    v_dot, F, lam = np.zeros((K, n)), np.zeros((K, n, 2 * n + count)), np.zeros((K, m))
    J, turned, out = np.zeros((K, m, n)), np.zeros((K, m, n)), np.zeros((K, n + 3 * m, count))
    length = system.cached("length", lambda: length_of(system)) if m else 1.0
    done = _put_nodes(
        system.here, system.elements.constants, motions, np.ascontiguousarray(Q), np.ascontiguousarray(V),
        m - len(system.extra_rows.names), length, max(system.cache.get(REGULAR, ()), default=-1), owners, addresses, d,
        v_dot, F, J, turned, out, lam,
    )  # fmt: skip
    if done < K:
        return _one_by_one(system, t, Q, V, d)
    return Nodes(v_dot, F, J, turned, out[:, n + m : n + 2 * m], out[:, n + 2 * m :], lam)


def _one_by_one(system: System, t: Array, Q: Array, V: Array, d: Directions) -> Nodes:
    """The same state by state: user functions and user rows, redundant rows, bodies that are very unlike."""
    states = zip(t.tolist(), np.ascontiguousarray(Q), np.ascontiguousarray(V), strict=True)
    made = [_at(system, s, q, v, d) for s, q, v in states]
    return Nodes(*(np.array(part) for part in zip(*made, strict=True)))


def _at(system: System, t: float, q: Array, v: Array, d: Directions) -> tuple[Array, ...]:
    n, m, zero = system.nv, system.n_constraints, np.zeros(system.nv)
    if not m:
        f = forward_dynamics_derivatives(system, q, v, zero, t)
        changes = parameter_changes(system, q, v, f.v_dot, np.zeros(0), t, d)
        by_p = -f.dtau @ changes.force
        none = np.zeros((0, n))
        return f.v_dot, np.hstack([f.dq, f.dv, by_p]), none, none, changes.velocity, changes.gap, np.zeros(0)
    c = constrained_derivatives(system, q, v, zero, t)
    lam = multipliers_of(system, c, q, v, zero, t)
    changes = parameter_changes(system, q, v, c.v_dot, lam, t, d)
    L = np.asarray(np.linalg.cholesky(mass_matrix(system, q)), dtype=np.float64)
    by_p, _ = solve_constrained(L, c.J[c.rows], -changes.force, -changes.acceleration[c.rows])
    F = np.hstack([c.dq, c.dv, by_p])
    return c.v_dot, F, c.J, c.changes.velocity_dq, changes.velocity, changes.gap, lam
