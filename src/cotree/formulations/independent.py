"""Voronets equations for (q, v2) alone, as [Geo (54), (55)] has them: q_dot = F v2, and v2_dot.

The chart, which coordinates are dependent, stays as it is during a step. At each state the dependent velocities are computed
from the others, so that velocities fulfil the constraints whatever the step; only positions drift. Between the steps the
chart is exchanged for the best one [Geo (67)] where it has become much worse than that.
"""

import numpy as np

from cotree.engine.entry import NOTHING, call, entry
from cotree.engine.kernel import kernel
from cotree.engine.records import integers
from cotree.engine.status import NO_PARTITION
from cotree.engine.vectors import copy, inner
from cotree.formulations.acceleration import judged, note_directions, put_terms
from cotree.formulations.linalg import apply_q, cholesky, pivoted_qr, solve_lower, split_by_rows
from cotree.formulations.problem import problem_t, terms_of, weigh_rows
from cotree.formulations.solve import chosen_in_turn, constraint_parts, voronets
from cotree.judge import DEPENDENT

WORSE = 0.1  # of the squared length by which the best chart is determined: below, the chart is changed


@entry(problem_t)
def terms(p, t, q, v, _):
    """What `acceleration.terms` does, at the velocity with the dependent entries that belong to the independent ones, which
    are put into v."""
    status = put_dependent(p, t, q, v)
    return status if status < 0 else put_terms(p, t, q, v)


@kernel
def put_dependent(p, t, q, v):
    """Dependent entries of v from J v = b; NO_PARTITION where they do not follow."""
    status = call(p.entries.positions, p.here, t, q, NOTHING, NOTHING)
    if status < 0:
        return status
    e, dependent = terms_of(p), integers(p.arrays.dependent)
    copy(e.b, e.eta)
    weigh_rows(p)
    m, n, r = e.J.shape[0], v.size, 0
    places = np.empty(n, np.int64)
    for j in range(n):
        if dependent[j]:
            places[r] = j
            r += 1
    if r == 0:
        return 0
    A, rest = np.empty((m, r)), np.empty(m)
    for i in range(m):
        rest[i] = e.eta[i]
        for j in range(n):
            if not dependent[j]:
                rest[i] -= e.J[i, j] * v[j]
        for k in range(r):
            A[i, k] = e.J[i, places[k]]
    beta, pivot, x, unused = np.empty(min(m, r)), np.empty(m, np.int64), np.zeros(r), np.zeros(m)
    longest = 0.0
    for i in range(m):
        longest = max(longest, inner(e.J[i], e.J[i]))
    if pivoted_qr(A, beta, pivot, 0.0, -1) < r or not abs(A[r - 1, r - 1]) > DEPENDENT * np.sqrt(longest):
        return NO_PARTITION
    split_by_rows(A, pivot, r, rest, x, unused)
    apply_q(A, beta, r, x)
    for k in range(r):
        v[places[k]] = x[k]
    return 0


@entry(problem_t)
def by_chart(p, t, _, __, v_dot):
    """v_dot and lam by Voronets equations in the present chart; returns the rank."""
    M, J, f, eta, g, _, lam = terms_of(p)
    n, dependent = v_dot.size, integers(p.arrays.dependent)
    wanted, before = np.full(n, -1), dependent.copy()
    for j in range(n):
        if not dependent[j]:
            wanted[j] = 0
    rank = voronets(M, J, f, eta, judged(p, g), v_dot, lam, dependent, wanted, p.near.certified)
    same = True
    for j in range(n):
        same = same and dependent[j] == before[j]
        dependent[j] = before[j]
    if rank >= 0 and not same:
        return NO_PARTITION
    if rank >= 0 and p.near.certified < 0:
        note_directions(p.near, J, rank)
    return rank


@entry(problem_t)
def choose(p, t, q, _, __):
    """Exchange the chart for the best one at a configuration, where it is not almost as good; returns 1 where it was."""
    status = call(p.entries.positions, p.here, t, q, NOTHING, NOTHING)
    if status < 0:
        return status
    e, dependent = terms_of(p), integers(p.arrays.dependent)
    weigh_rows(p)
    m, n = e.J.shape
    L, A = e.M.copy(), e.J.copy()
    if cholesky(L):
        return 0
    for i in range(m):
        solve_lower(L, A[i])
    beta, pivot, order = np.empty(max(min(m, n), 1)), np.empty(m, np.int64), np.arange(n)
    rank = pivoted_qr(A, beta, pivot, judged(p, e.g), p.near.certified)
    parts, wanted, count = constraint_parts(e.M, L, A, beta, rank), np.full(n, -1), 0
    for j in range(n):
        count += dependent[j]
        if not dependent[j]:
            wanted[j] = 0
    present = chosen_in_turn(parts.copy(), rank, wanted, order) if count == rank else 0.0
    order = np.arange(n)
    best = chosen_in_turn(parts, rank, np.full(n, -1), order)
    if present >= WORSE * best:
        return 0
    for j in range(n):
        dependent[j] = 0
    for i in range(rank):
        dependent[order[i]] = 1
    return 1
