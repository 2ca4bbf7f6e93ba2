"""Derivatives of forward dynamics with constraints in two compiled steps, between which user functions may be differenced.

The first finds v_dot and lam at a state, M = L L^T, the rows J L^-T factored with pivoting, and all derivatives of inverse
dynamics and of the rows there; the second solves for those of v_dot and lam, see `constrained`.
"""

import numpy as np

from cotree.constraints.all_rows import put_bias, put_gaps, put_jacobian, put_rates, put_wrenches
from cotree.constraints.rank import rank_tolerance
from cotree.derivatives.columns import solve_lower_columns, solve_lower_transposed_columns, split_columns
from cotree.derivatives.inverse import derivative_room, fill_derivatives
from cotree.derivatives.motion import RATES
from cotree.derivatives.row_changes import put_changes, room_of_rows
from cotree.derivatives.rows import block
from cotree.derivatives.tree import accelerate_all
from cotree.dynamics.composite import fill_mass_matrix
from cotree.dynamics.inverse import inverse_dynamics
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite, copy_rows, fill
from cotree.formulations.linalg import (
    apply_q,
    apply_q_transposed,
    cholesky,
    pivoted_qr,
    solve_lower,
    solve_lower_transposed,
    split_by_rows,
)
from cotree.system.views import open_rows, open_tables

NOT_FINITE, NO_INERTIA, UNLIKE, UNKNOWN = -1, -2, -3, -4  # status
UNLIKE_ROOTS = 1e4  # ratio of the roots of inertias beyond which another route is taken, as in forward dynamics


@kernel
def linear_terms(here, values, motions, q, v, tau, loops, length, v_dot, lam, J, L, A, beta, pivot):
    """v_dot and lam (zeros before), J (zeros before), L, and A, beta, pivot of `pivoted_qr`; returns the rank or a status.

    loops: number of rows of the cut joints, by whose gaps the rank is judged.
    """
    tables, rows, n = open_tables(here), open_rows(here), v.size
    own, m = np.zeros(2 * (n + lam.size)), lam.size
    f, zero, eta, g = own[:n], own[n : 2 * n], own[2 * n : 2 * n + m], own[2 * n + m :]
    inverse_dynamics(tables, values, q, v, zero, f)
    for j in range(n):
        f[j] = tau[j] - f[j]
    put_gaps(here, q, motions, g)
    if put_wrenches(here) != 0:
        return NOT_FINITE
    put_jacobian(rows, tables.links, tables.dof_work, J)
    put_rates(here)
    put_bias(rows, tables.work, motions, eta)
    fill_mass_matrix(tables.links, tables.dofs, tables.work, tables.dof_work, L)
    if cholesky(L) != 0:
        return NO_INERTIA
    least, most = L[0, 0], L[0, 0]
    for j in range(n):
        least, most = min(least, L[j, j]), max(most, L[j, j])
    if most > UNLIKE_ROOTS * least:
        return UNLIKE
    copy_rows(J, A)
    for r in range(lam.size):
        solve_lower(L, A[r])
    rank = pivoted_qr(A, beta, pivot, rank_tolerance(g[:loops], length))
    solve_lower(L, f)
    apply_q_transposed(A, beta, rank, f)
    split_by_rows(A, pivot, rank, eta, f, lam)
    apply_q(A, beta, rank, f)
    solve_lower_transposed(L, f)
    for j in range(n):
        v_dot[j] = f[j]
    return rank if all_finite(v_dot) and all_finite(lam) else NOT_FINITE


@kernel
def room_of_changes(n, links):
    """Numbers that `changes_of_terms` writes on its way."""
    return n * RATES + max(derivative_room(n, links), room_of_rows(n))


@kernel
def changes_of_terms(here, values, q, v, v_dot, lam, owners, addresses, room, D, by_q, by_v, velocity_dq, force_dq):
    """D (3, nv, nv): derivatives of inverse dynamics, and those of the rows, all into zeros; status as of `add_elements`. The
    wrenches of rows and their rates are those that `linear_terms` has measured."""
    tables, rates = open_tables(here), block(room, 0, v.size, RATES)
    accelerate_all(tables, q, v, v_dot)
    rest = room[v.size * RATES :]
    status = fill_derivatives(tables, values, q, v, v_dot, rates, rest, D[0], D[1], D[2])
    put_changes(here, tables, q, lam, owners, addresses, rates, rest, by_q, by_v, velocity_dq, force_dq)
    return status


@kernel
def solve_changes(L, A, beta, pivot, rank, D, force_dq, by_q, by_v, motion, X, lam):
    """X (nv, 3 nv): derivatives of v_dot by q, v and tau, side by side; motion, lam (rows, 3 nv), zeros before: those of
    J v_dot that the rows ask for, which is used up, and of lam."""
    n = L.shape[0]
    for i in range(n):
        fill(X[i], 0.0)
        for k in range(n):
            X[i, k] = -D[0, i, k] - force_dq[i, k]
            X[i, n + k] = -D[1, i, k]
        X[i, 2 * n + i] = 1.0
    for r in range(motion.shape[0]):
        for k in range(n):
            motion[r, k], motion[r, n + k] = -by_q[r, k], -by_v[r, k]
    solve_lower_columns(L, X)
    split_columns(A, beta, pivot, rank, motion, X, lam)
    solve_lower_transposed_columns(L, X)
    return all_finite(X.ravel()) and all_finite(lam.ravel())


@kernel
def all_at_once(here, values, motions, q, v, tau, loops, length, known, owners, addresses, W, pivot):
    """All three for systems without user functions: results in W in the order below; each array that Python passes costs time.
    known: a rank that is regular though rows depend. Returns (rank or status, status of elements)."""
    n, m = v.size, pivot.size
    X, dlam = block(W, 0, n, 3 * n), block(W, 3 * n * n, m, 3 * n)
    at = 3 * n * (n + m)
    J, by_q, by_v = block(W, at, m, n), block(W, at + m * n, m, n), block(W, at + 2 * m * n, m, n)
    velocity_dq, A = block(W, at + 3 * m * n, m, n), block(W, at + 4 * m * n, m, n)
    at += 5 * m * n
    force_dq, L = block(W, at, n, n), block(W, at + n * n, n, n)
    at += 2 * n * n
    v_dot, lam = W[at : at + n], W[at + n : at + n + m]
    at += n + m
    D, motion = W[at : at + 3 * n * n].reshape((3, n, n)), block(W, at + 3 * n * n, m, 3 * n)
    at += 3 * n * (n + m)
    beta, rest = W[at : at + m], W[at + m :]
    fill(W[: at + m], 0.0)
    rank = linear_terms(here, values, motions, q, v, tau, loops, length, v_dot, lam, J, L, A, beta, pivot)
    if rank < 0 or (rank != m and rank != known):
        return UNKNOWN, 0
    status = changes_of_terms(
        here, values, q, v, v_dot, lam, owners, addresses, rest, D, by_q, by_v, velocity_dq, force_dq
    )
    if status != 0:
        return rank, status
    finite = solve_changes(L, A, beta, pivot, rank, D, force_dq, by_q, by_v, motion, X, dlam)
    return (rank if finite else NOT_FINITE), 0


def room_at_once(n: int, m: int, links: int) -> int:
    """Entries of W for n velocities and m rows."""
    held = 6 * n * (n + m) + 5 * m * n + 2 * n * n + n + 2 * m
    return held + int(room_of_changes.py_func(n, links))
