"""Generalized-alpha on the configuration group for constrained systems of index 3 (Bruels, Cardona and Arnold 2012):

q+ = q exp(h Delta q), Delta q = v + h ((1/2 - beta) a + beta a+), v+ = v + h ((1 - gamma) a + gamma a+),
(1 - alpha_m) a+ + alpha_m a = (1 - alpha_f) v_dot+ + alpha_f v_dot, with motion and constraints fulfilled at the end.

Second order in q, v and lam for any stiffness. The algorithmic acceleration a is v_dot at t + (alpha_m - alpha_f) h to second
order; it starts there, and is shifted along v_ddot when the step changes. The spectral radius says what part of a motion too
fast for the step is left after each step.
"""

import numpy as np

from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import vector
from cotree.engine.vectors import copy, inner, largest
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import power_of, terms_of
from cotree.integrate.law_states import put_stage_states, work_of
from cotree.integrate.methods.contract import METHODS, Method
from cotree.integrate.methods.implicit import coefficients, newton_of, put_end, solve_step, solve_with_matrix
from cotree.integrate.records import errors_of, memory_of, now, run_t, slopes_of, trial
from cotree.kinematics.configuration import move
from cotree.system.views import open_tables

AHEAD = 1e-2  # of the first step: where v_ddot at the start is measured
FIRST = np.ones(1)  # weights of an Euler step
SMOOTH = 0.1  # part of v_dot by which it may change in the first step for a to start shifted


@entry(run_t)
def step(run, h, _, __, ___):
    """From the present state to one tried, h later; what the next step needs in the memory."""
    p = run.problem
    alpha_m, alpha_f, _, _ = coefficients(run.options.radius)
    status = put_start(run, h)
    if status < 0:
        return status
    slopes, kw = slopes_of(run).v, slopes_of(run).w
    a, v_dot, v_ddot = slopes[0], slopes[1], slopes[2]
    y, lam, kept = np.empty(p.nv), np.empty(p.rows), newton_of(run).lam
    lam[:] = vector(p.arrays.lam) if run.counts.steps == 0 or run.counts.restarted else kept
    for j in range(p.nv):  # for v_dot going on along v_ddot
        y[j] = (v_dot[j] + (1.0 - alpha_f) * h * v_ddot[j] - alpha_m * a[j]) / (1.0 - alpha_m)
    status = solve_step(run, h, y, lam)
    if status < 0:
        return status
    kept[:] = lam
    put_end(run, h, y)
    end, memory = trial(run).v_dot, memory_of(run)[1]
    memory[0], memory[1] = y, end
    for j in range(p.nv):
        memory[2, j] = (end[j] - v_dot[j]) / h
    kw[0], kw[1] = work_of(run)[3], power_of(p)
    kw[1, 0] -= inner(lam, vector(p.arrays.b))
    if run.options.adaptive:  # here, while the matrix M of the step is at hand
        _put_errors(run, h, v_ddot)
    return 0


@kernel
def put_start(run, h):
    """a, v_dot and v_ddot at the start of a step, in the slopes; status."""
    memory, slopes, clock = memory_of(run)[0], slopes_of(run).v, run.clock
    a, v_dot, v_ddot = slopes[0], slopes[1], slopes[2]
    if run.counts.steps == 0 or run.counts.restarted:
        return _put_first(run, h, a, v_dot, v_ddot)
    ratio = h / (clock.t_now - clock.t_old)
    v_dot[:], v_ddot[:] = memory[1], memory[2]
    for j in range(a.size):
        a[j] = v_dot[j] + ratio * (memory[0, j] - v_dot[j])
    return 0


@kernel
def _put_first(run, h, a, v_dot, v_ddot):
    """The same at the first step, v_ddot from a second evaluation; a = v_dot if the motion is not smooth."""
    alpha_m, alpha_f, _, _ = coefficients(run.options.radius)
    tables, here = open_tables(run.problem.system), now(run)
    ahead, s = np.empty(here.q.size), AHEAD * h
    move(tables.links, tables.dofs, here.q, s * here.v, ahead)
    copy(work_of(run)[3], slopes_of(run).w[0])
    put_stage_states(run, s, FIRST, 1)
    status = accelerate(run.problem, run.clock.t_now + s, ahead, here.v + s * here.v_dot, v_ddot)
    if status < 0:
        return status
    v_dot[:] = here.v_dot
    for j in range(a.size):
        v_ddot[j] = (v_ddot[j] - v_dot[j]) / s
    smooth = h * largest(v_ddot) <= SMOOTH * (1.0 + largest(v_dot))
    for j in range(a.size):
        a[j] = v_dot[j] + ((alpha_m - alpha_f) * h * v_ddot[j] if smooth else 0.0)
    return 0


@kernel
def _put_errors(run, h, v_ddot):
    """Local errors (1/12 + d^2/4) h^3 v_ddot of positions, (1/12 + d^2/2) h^3 v_dddot of velocities, d = alpha_f - alpha_m.

    Both pass through the matrix of the step, c M in, which takes out what the constraints hold and what is too stiff to move.
    """
    alpha_m, alpha_f, _, _ = coefficients(run.options.radius)
    d, clock, p = alpha_f - alpha_m, run.clock, run.problem
    M, err, memory = terms_of(p).M, errors_of(run), memory_of(run)[1]
    before = clock.t_now - clock.t_old if run.counts.steps > 0 else 0.0
    slope, e, x = memory[2], np.empty(p.nv), np.zeros(p.nv + p.rows)
    for level in range(2):
        for j in range(e.size):
            if level == 0:
                e[j] = (1.0 + 3.0 * d * d) / 12.0 * h**3 * slope[j]
            else:
                e[j] = (1.0 + 6.0 * d * d) / 6.0 * h**3 * (slope[j] - v_ddot[j]) / (h + before)
        x[:] = 0.0
        for j in range(e.size):
            x[j] = (1.0 - alpha_m) / (1.0 - alpha_f) * inner(M[j], e)
        solve_with_matrix(run, x)
        err[level] = x[: e.size]


# of second order, local errors of third; b books work
METHODS["generalized-alpha"] = Method(
    a=np.zeros((2, 2)), b=np.array([0.5, 0.5]), c=np.array([0.0, 1.0]), order=3, error=np.zeros((2, 3)),
    step=step, errors=None, implicit=True, projects_stages=False, weighs_work=False,
    reads=("atol", "spectral_radius"),
)  # fmt: skip
