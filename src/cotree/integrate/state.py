"""Arrays of a run in the making, behind the same array of addresses as the problem."""

from __future__ import annotations

import numpy as np

from cotree.engine.entry import integers_at, matrix_at, vector_at
from cotree.engine.kernel import kernel
from cotree.formulations import problem as P
from cotree.formulations.problem import Problem
from cotree.integrate.tableaux import Tableau

# Three states: the one before last, the last, the present; then the one tried; each (q, v, v_dot)
(
    OLDER, OLD, NOW, TRIAL, CLOCK, OPTIONS, COUNTS, STAGES, A, B, C, ERROR, KQ, KV, KX, KW, PSI, ERR, WORK,
    CORRECTION, WANTED, CORRECT, MEMORY, LEAST, PARTITION, PROJECT, EQUATIONS, NEWTON,
    SWAPS, TANGENT, LOOK, WATCHES, N_WATCHES,
) = range(P.FREE, P.FREE + 33)  # fmt: skip

# CLOCK: times of the three states, the size of the next step, the row to be written next
T_OLDER, T_OLD, T_NOW, H_NEXT, ROW, N_CLOCK = range(6)
# OPTIONS; ORDER is that of the local error, SPACING the longest time between looks at events
RTOL, ATOL, H_MAX, ORDER, ADAPTIVE, STABILIZE, ARRIVE, T_END, IMPLICIT, RADIUS, VECTORIAL, TURN, SPACING, N_OPTIONS = (
    range(14)
)
# COUNTS: totals; ranks of the three states, the greatest of all and the least; partitions changed; whether a direction of
# the rows may have vanished in the last two steps; steps since the size was changed last; trials moved
# away from a singular configuration
(
    STEPS, REJECTED, EVALUATIONS, RANK_OLDER, RANK_OLD, RANK_NOW, RANK_MOST, RANK_LEAST, PARTITIONS, NARROWED, SINCE, MOVED,
    N_COUNTS,
) = range(13)  # fmt: skip


class State(Problem):
    """A problem with the arrays of a run; `clock`, `counts` and the states are plain arrays on this side."""

    def allocate(self, tableau: Tableau) -> None:
        n, nq, s = self.system.nv, self.system.nq, len(tableau.b)
        size = nq + 2 * n
        self.older, self.old, self.now, self.trial = (
            self.hold(place, np.zeros(size)) for place in (OLDER, OLD, NOW, TRIAL)
        )
        self.clock, self.options = self.hold(CLOCK, np.zeros(N_CLOCK)), self.hold(OPTIONS, np.zeros(N_OPTIONS))
        self.counts = self.hold(COUNTS, np.zeros(N_COUNTS, dtype=np.int64))
        self.at[STAGES] = s
        for place, array in (
            (A, tableau.a),
            (B, tableau.b),
            (C, tableau.c),
            (ERROR, tableau.error),
        ):
            self.hold(place, np.ascontiguousarray(array))
        self.hold(KQ, np.zeros((s + 1, n)))
        self.hold(KV, np.zeros((s + 1, n)))
        self.hold(KX, np.zeros((s + 1, nq)))
        self.hold(KW, np.zeros((s + 1, 2)))
        self.hold(PSI, np.zeros(n))
        self.hold(ERR, np.zeros((4, n)))  # of positions and velocities, then those of lower order
        self.work = self.hold(WORK, np.zeros((4, 2)))  # work and power of the last state, then of the present one
        self.correction = self.hold(CORRECTION, np.zeros(3))  # totals of positions and velocities; weight of the next
        self.wanted = self.hold(WANTED, np.full((2, n), -1, dtype=np.int64))
        self.memory = self.hold(MEMORY, np.zeros((2, 3, n)))  # of implicit methods: present state, state tried
        self.least = self.hold(LEAST, np.zeros((3, 2)))
        self.hold(PARTITION, np.zeros(n, dtype=np.int64))
        if tableau.implicit:
            m = self.system.n_constraints
            self.hold(NEWTON, np.zeros(2 + m + (n + m) ** 2))
            self.hold(SWAPS, np.zeros(n + 2 * m, dtype=np.int64))

    def parts(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(q, v, v_dot) of one of the states."""
        nq, n = self.system.nq, self.system.nv
        return state[:nq], state[nq : nq + n], state[nq + n :]


@kernel
def state_of(p, place):
    """(q, v, v_dot) of one of the states."""
    nq, n = p[P.NQ], p[P.NV]
    x = vector_at(p[place], nq + 2 * n)
    return x[:nq], x[nq : nq + n], x[nq + n :]


@kernel
def clock_of(p):
    return vector_at(p[CLOCK], N_CLOCK)


@kernel
def options_of(p):
    return vector_at(p[OPTIONS], N_OPTIONS)


@kernel
def counts_of(p):
    return integers_at(p[COUNTS], N_COUNTS)


@kernel
def tableau_of(p):
    """(a, b, c) of the method."""
    s = p[STAGES]
    return matrix_at(p[A], s, s), vector_at(p[B], s), vector_at(p[C], s)


@kernel
def slopes_of(p):
    """(kq, kv, kx, kw): one row a stage, the last at the end of the step."""
    s = p[STAGES] + 1
    n = p[P.NV]
    return matrix_at(p[KQ], s, n), matrix_at(p[KV], s, n), matrix_at(p[KX], s, p[P.NQ]), matrix_at(p[KW], s, 2)


@kernel
def memory_of(p):
    """(of the present state, of the one tried), three rows each."""
    n = p[P.NV]
    rows = matrix_at(p[MEMORY], 6, n)
    return rows[:3], rows[3:]


@kernel
def coefficients(radius):
    """(alpha_m, alpha_f, gamma, beta) of generalized-alpha for a spectral radius at infinity."""
    alpha_m, alpha_f = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    gamma = 0.5 - alpha_m + alpha_f
    return alpha_m, alpha_f, gamma, 0.25 * (gamma + 0.5) ** 2
