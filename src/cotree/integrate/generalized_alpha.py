"""Generalized-alpha on the configuration group for constrained systems of index 3 (Bruels, Cardona and Arnold 2012):

q+ = q exp(h Delta q), Delta q = v + h ((1/2 - beta) a + beta a+), v+ = v + h ((1 - gamma) a + gamma a+),
(1 - alpha_m) a+ + alpha_m a = (1 - alpha_f) v_dot+ + alpha_f v_dot, with motion and constraints fulfilled at the end.

Second order in q, v and lam for any stiffness. The algorithmic acceleration a is v_dot at t + (alpha_m - alpha_f) h to second
order; it starts there, and is shifted along v_ddot when the step changes. The spectral radius says what part of a motion too
fast for the step is left after each step.
"""

import numpy as np

from cotree.engine.entry import entry, integers_at, matrix_at, vector_at
from cotree.engine.kernel import kernel
from cotree.formulations import problem as P
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import handle_of, matrices_of
from cotree.integrate import state as S
from cotree.integrate.implicit import newton_of, put_end, solve_step, solve_with_matrix
from cotree.integrate.stabilize import largest
from cotree.integrate.state import clock_of, coefficients, counts_of, memory_of, options_of, slopes_of, state_of
from cotree.kinematics.coordinates import move
from cotree.system.handle import open_handle

AHEAD = 1e-2  # of the first step: where v_ddot at the start is measured
SMOOTH = 0.1  # part of v_dot by which it may change in the first step for a to start shifted


@entry
def step(problem, h, _, __, ___):
    """From the present state to one tried, h later; errors in ERR, what the next step needs in the memory."""
    p = integers_at(problem, P.SIZE)
    n, m = p[P.NV], p[P.ROWS]
    alpha_m, alpha_f, _, _ = coefficients(options_of(p)[S.RADIUS])
    status = put_start(p, h)
    if status < 0:
        return status
    slopes, kw = slopes_of(p)[1], slopes_of(p)[3]
    a, v_dot, v_ddot = slopes[0], slopes[1], slopes[2]
    y, lam, kept = np.empty(n), np.empty(m), newton_of(p)[0][2:]
    lam[:] = vector_at(p[P.LAMBDA], m) if counts_of(p)[S.STEPS] == 0 else kept
    for j in range(n):  # for v_dot going on along v_ddot
        y[j] = (v_dot[j] + (1.0 - alpha_f) * h * v_ddot[j] - alpha_m * a[j]) / (1.0 - alpha_m)
    status = solve_step(p, h, y, lam)
    if status < 0:
        return status
    kept[:] = lam
    put_end(p, h, y)
    end = state_of(p, S.TRIAL)[2]
    memory = memory_of(p)[1]
    memory[0], memory[1] = y, end
    for j in range(n):
        memory[2, j] = (end[j] - v_dot[j]) / h
    kw[0], kw[1] = matrix_at(p[S.WORK], 4, 2)[3], vector_at(p[P.POWER], 2)
    kw[1, 0] -= np.dot(lam, vector_at(p[P.RATE], m))
    if options_of(p)[S.ADAPTIVE] != 0.0:
        put_errors(p, h, v_ddot)
    return 0


@kernel
def put_start(p, h):
    """a, v_dot and v_ddot at the start of a step, in the slopes; status."""
    memory, slopes = memory_of(p)[0], slopes_of(p)[1]
    a, v_dot, v_ddot = slopes[0], slopes[1], slopes[2]
    if counts_of(p)[S.STEPS] == 0:
        return _put_first(p, h, a, v_dot, v_ddot)
    clock = clock_of(p)
    ratio = h / (clock[S.T_NOW] - clock[S.T_OLD])
    v_dot[:], v_ddot[:] = memory[1], memory[2]
    for j in range(a.size):
        a[j] = v_dot[j] + ratio * (memory[0, j] - v_dot[j])
    return 0


@kernel
def _put_first(p, h, a, v_dot, v_ddot):
    """The same at the first step, v_ddot from a second evaluation; a = v_dot where that is no smooth motion."""
    alpha_m, alpha_f, _, _ = coefficients(options_of(p)[S.RADIUS])
    _, links, dofs, _, _, _, _ = open_handle(handle_of(p))
    q, v, now = state_of(p, S.NOW)
    ahead, s = np.empty(q.size), AHEAD * h
    move(links, dofs, q, s * v, ahead)
    status = accelerate(p, clock_of(p)[S.T_NOW] + s, ahead, v + s * now, v_ddot)
    if status < 0:
        return status
    v_dot[:] = now
    for j in range(a.size):
        v_ddot[j] = (v_ddot[j] - now[j]) / s
    smooth = h * largest(v_ddot) <= SMOOTH * (1.0 + largest(now))
    for j in range(a.size):
        a[j] = now[j] + ((alpha_m - alpha_f) * h * v_ddot[j] if smooth else 0.0)
    return 0


@kernel
def put_errors(p, h, v_ddot):
    """Local errors (1/12 + d^2/4) h^3 v_ddot of positions, (1/12 + d^2/2) h^3 v_dddot of velocities, d = alpha_f - alpha_m.

    Both pass through the matrix of the step, c M in, which takes out what the constraints hold and what is too stiff to move.
    """
    alpha_m, alpha_f, _, _ = coefficients(options_of(p)[S.RADIUS])
    d, clock = alpha_f - alpha_m, clock_of(p)
    M, err, memory = matrices_of(p)[0], matrix_at(p[S.ERR], 4, p[P.NV]), memory_of(p)[1]
    before = clock[S.T_NOW] - clock[S.T_OLD] if counts_of(p)[S.STEPS] > 0 else 0.0
    slope, e, x = memory[2], np.empty(p[P.NV]), np.zeros(p[P.NV] + p[P.ROWS])
    for level in range(2):
        for j in range(e.size):
            if level == 0:
                e[j] = (1.0 + 3.0 * d * d) / 12.0 * h**3 * slope[j]
            else:
                e[j] = (1.0 + 6.0 * d * d) / 6.0 * h**3 * (slope[j] - v_ddot[j]) / (h + before)
        x[:] = 0.0
        for j in range(e.size):
            x[j] = (1.0 - alpha_m) / (1.0 - alpha_f) * np.dot(M[j], e)
        solve_with_matrix(p, x)
        err[level] = x[: e.size]
