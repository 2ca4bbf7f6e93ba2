"""Newton iterations for the end of an implicit step: motion M v_dot + J^T lam = f, constraints g = 0, and J v = b where rows
hold velocities only. Unknown are the algorithmic acceleration y and lam.

Constraints are divided by beta h^2 (velocities by gamma h), which is the known remedy for small steps: all blocks of the
matrix [[c M + gamma h D + beta h^2 K, J^T], [J, 0]] then keep their size. It comes from differences along y, and is kept over
iterations and steps until convergence slows down. Rank: independent rows are chosen by QR with pivoting in the metric of M,
the multipliers of the others are zero; those rows are only watched, and chosen anew when they do not close by themselves.
Rows that nearly depend on others (next to a singular configuration) would turn rounding into acceleration; they too are left
out as long as they close by themselves.
"""

from typing import Any, NamedTuple

import numpy as np

from cotree.constraints.rank import PER_GAP
from cotree.engine.entry import NOTHING, call
from cotree.engine.kernel import kernel
from cotree.engine.records import integers, vector
from cotree.engine.status import NO_SOLUTION
from cotree.engine.vectors import all_finite, inner, largest
from cotree.formulations.linalg import cholesky, lu, pivoted_qr, solve_lower, solve_lu
from cotree.formulations.problem import terms_of
from cotree.integrate.methods.implicit_states import put_end_states
from cotree.integrate.records import now, slopes_of, trial
from cotree.judge import DIGITS, DOUBTFUL, REPORTED, SOLVED
from cotree.kinematics.configuration import move
from cotree.system.views import open_tables

NUDGE = (
    1e-8  # metre or radian: differences of stiff forces are exact to the same digits from rounding and from curvature
)
SLOW = 0.3  # contraction above which the matrix is made anew
EXACT = 1e-10  # of a velocity: what steps leave of their equations; more would show in the accelerations of stiff directions
LOST = 1e-5  # and beyond which even a singular configuration does not excuse it
ITERATIONS, MATRICES = 40, 12


class Newton(NamedTuple):
    """The matrix of a step: what it is for (step size, 0 for none; least direction kept), its factors, rows left out, and lam
    at the end of the last step."""

    notes: Any
    lam: Any
    factors: Any
    swaps: Any
    dropped: Any


@kernel
def newton_of(run):
    """`Newton` of the run."""
    m, N = run.problem.rows, run.problem.nv + run.problem.rows
    x, whole = vector(run.arrays.newton), integers(run.arrays.swaps)
    return Newton(x[:2], x[2 : 2 + m], x[2 + m :].reshape((N, N)), whole[:N], whole[N:])


@kernel
def coefficients(radius):
    """(alpha_m, alpha_f, gamma, beta) of generalized-alpha for a spectral radius at infinity."""
    alpha_m, alpha_f = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    gamma = 0.5 - alpha_m + alpha_f
    return alpha_m, alpha_f, gamma, 0.25 * (gamma + 0.5) ** 2


@kernel
def put_end(run, h, y):
    """The state tried for the algorithmic acceleration y at its end: q = q_n exp(h Delta q), v, and v_dot."""
    alpha_m, alpha_f, gamma, beta = coefficients(run.options.radius)
    tables, here, there = open_tables(run.problem.system), now(run), trial(run)
    Psi, slopes = vector(run.arrays.psi), slopes_of(run).v
    a_n, v_dot_n = slopes[0], slopes[1]
    for j in range(y.size):
        Psi[j] = h * (here.v[j] + h * ((0.5 - beta) * a_n[j] + beta * y[j]))
        there.v[j] = here.v[j] + h * ((1.0 - gamma) * a_n[j] + gamma * y[j])
        there.v_dot[j] = ((1.0 - alpha_m) * y[j] + alpha_m * a_n[j] - alpha_f * v_dot_n[j]) / (1.0 - alpha_f)
    move(tables.links, tables.dofs, here.q, Psi, there.q)


@kernel
def put_residual(run, h, y, lam, out):
    """M v_dot - f + J^T lam, then the constraints in the size of accelerations; status."""
    _, _, gamma, beta = coefficients(run.options.radius)
    put_end(run, h, y)
    p, (q, v, v_dot), t = run.problem, trial(run), run.clock.t_now + h
    if not (all_finite(q) and all_finite(v)):
        return NO_SOLUTION
    status = put_end_states(run, h, t, q, v)
    if status < 0:
        return status
    status = call(run.entries.equations, p.here, t, q, v, NOTHING)
    if status < 0:
        return status
    run.counts.evaluations += 1
    e, holonomic = terms_of(p), integers(p.arrays.holonomic)
    m, n = e.J.shape
    for i in range(n):
        out[i] = inner(e.M[i], v_dot) - e.f[i]
    for r in range(m):
        for i in range(n):
            out[i] += e.J[r, i] * lam[r]
        out[n + r] = e.g[r] / (beta * h * h) if holonomic[r] else (inner(e.J[r], v) - e.b[r]) / (gamma * h)
    return 0 if all_finite(out) else NO_SOLUTION


@kernel
def choose_rows(p, dropped, floor):
    """Mark the rows that depend on the others, in the metric of M; returns the least direction kept, or a negative status."""
    M, J, _, _, g, _, _ = terms_of(p)
    m, n = J.shape
    dropped[:] = 1
    if m == 0:
        return 1.0
    L, A = M.copy(), J.copy()
    status = cholesky(L)
    if status:
        return -1.0 * status
    for r in range(m):
        solve_lower(L, A[r])
    beta, pivot = np.empty(min(m, n)), np.empty(m, np.int64)
    gap = largest(g) / p.near.length
    rank = pivoted_qr(A, beta, pivot, min(1e-2, max(floor, PER_GAP * gap)))
    for i in range(rank):
        dropped[pivot[i]] = 0
    return abs(A[rank - 1, rank - 1] / A[0, 0]) if rank > 0 else 1.0


@kernel
def make_matrix(run, h, y, lam, residual, floor):
    """The factors of the matrix at an iterate, whose residual is known; multipliers of rows left out become zero there."""
    notes, _, K, swaps, dropped = newton_of(run)
    notes[0] = 0.0
    least = choose_rows(run.problem, dropped, floor)
    if least < 0.0:
        return int(least)
    J = terms_of(run.problem).J.copy()
    m, n = J.shape
    K[:] = 0.0
    for r in range(m):
        if dropped[r]:
            residual[:n] -= J[r] * lam[r]
            lam[r] = 0.0
            K[n + r, n + r] = 1.0
        else:
            K[:n, n + r] = J[r]
    nudge = NUDGE / (coefficients(run.options.radius)[3] * h * h)
    nudged, moved = y.copy(), np.empty(residual.size)
    for j in range(n):
        nudged[j] = y[j] + nudge
        status = put_residual(run, h, nudged, lam, moved)
        nudged[j] = y[j]
        if status < 0:
            return status
        for i in range(n + m):
            if i < n or not dropped[i - n]:
                K[i, j] = (moved[i] - residual[i]) / nudge
    if not (all_finite(K.ravel()) and lu(K, swaps)):
        return NO_SOLUTION
    notes[0], notes[1] = h, least
    return 0


@kernel
def solve_with_matrix(run, x):
    """x := K^-1 x, zero for rows left out."""
    _, _, K, swaps, dropped = newton_of(run)
    for r in range(dropped.size):
        if dropped[r]:
            x[run.problem.nv + r] = 0.0
    solve_lu(K, swaps, x)


@kernel
def _size(run, h, dy):
    """Largest change of a velocity (of a position for long steps), relative to those above one."""
    _, _, gamma, beta = coefficients(run.options.radius)
    v, s = trial(run).v, 0.0
    for j in range(v.size):
        s = max(s, abs(dy[j]) / max(1.0, abs(v[j])))
    return s * max(gamma * h, beta * h * h)


@kernel
def _tolerance(run, h):
    """Size below which an iterate is good, and not less than rounding leaves; for small motions `atol` is small."""
    exact = EXACT * min(1.0, 1e8 * run.options.atol_least)
    q, length = trial(run).q, run.problem.near.length
    return max(exact, DIGITS * (length + largest(q)) / (h * newton_of(run).notes[1]))


@kernel
def _left_open(run):
    """Gap, relative to the length, of the rows left out, as far as it exceeds that of the others."""
    g, dropped = terms_of(run.problem).g, newton_of(run).dropped
    out, kept = 0.0, 0.0
    for r in range(g.size):
        if dropped[r]:
            out = max(out, abs(g[r]))
        else:
            kept = max(kept, abs(g[r]))
    return (out - PER_GAP * kept) / run.problem.near.length


@kernel
def solve_step(run, h, y, lam):
    """Newton from the guess y, lam, in place; 0, NO_SOLUTION, or what went wrong in an evaluation."""
    n, m = run.problem.nv, run.problem.rows
    notes, _, _, _, dropped = newton_of(run)
    guess, multipliers, x = y.copy(), lam.copy(), np.empty(n + m)
    stale, fresh, watched, made, before = abs(h - notes[0]) > 1e-6 * h, False, False, 0, 0.0
    for r in range(m):
        if not stale and dropped[r]:
            lam[r] = 0.0
    for _ in range(ITERATIONS):
        status = put_residual(run, h, y, lam, x)
        if status < 0:
            return status
        left_open = _left_open(run)
        if stale:
            made += 1
            floor = REPORTED if watched else DOUBTFUL
            status = NO_SOLUTION if made > MATRICES else make_matrix(run, h, y, lam, x, floor)
            if status < 0:
                return status
            stale, fresh, before = False, True, 0.0
        solve_with_matrix(run, x)
        for i in range(n):
            y[i] -= x[i]
        for r in range(m):
            lam[r] -= x[n + r]
        size, tolerance = _size(run, h, x), _tolerance(run, h)
        rate = size / before if before > 0.0 else 1.0
        if size <= 0.1 * tolerance or (rate < 1.0 and size * rate / (1.0 - rate) <= tolerance):
            if left_open <= SOLVED or (watched and left_open <= LOST):
                return 0
            watched, stale = True, True  # the rows left out do not follow from the others: choose again, closer by
        elif before > 0.0 and rate > SLOW:
            stale = True
            if rate > 1.0 and fresh:  # not taken: in stiff directions a matrix holds nearby only
                y += x[:n]
                lam += x[n:]
            elif rate > 1.0:
                y[:], lam[:] = guess, multipliers
        before = size
    return NO_SOLUTION
