"""States of laws along a run: they are carried beside the work that is supplied and dissipated, whose rates the methods
integrate with the same stages and weights."""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.formulations.problem import power_of

OF_WORK = 2  # numbers in front of the states: work supplied and dissipated


@kernel
def work_of(run):
    """(4, 2 + n): work, then states of laws, at the last state, their rates there, and both at the present one."""
    return matrix(run.arrays.work)


@kernel
def put_stage_states(run, h, weights, count):
    """States of laws at a stage: those of the present state and h sum of weights times the first slopes."""
    z = vector(run.problem.arrays.z)
    if z.size == 0:
        return
    work, kw = work_of(run), matrix(run.arrays.kw)
    for i in range(z.size):
        s = 0.0
        for l in range(count):
            s += weights[l] * kw[l, OF_WORK + i]
        z[i] = work[2, OF_WORK + i] + h * s


@kernel
def put_present_states(run):
    """States of laws of the present state."""
    z, work = vector(run.problem.arrays.z), work_of(run)
    for i in range(z.size):
        z[i] = work[2, OF_WORK + i]


@kernel
def put_states_within(run, theta):
    """States of laws at a fraction of the last step: the cubic through values and rates at its ends. What is held is the same
    at both until the next step begins."""
    z = vector(run.problem.arrays.z)
    if z.size == 0:
        return
    work, h = work_of(run), run.clock.t_now - run.clock.t_old
    for i in range(z.size):
        k = OF_WORK + i
        a, b, da, db = work[0, k], work[2, k], h * work[1, k], h * work[3, k]
        z[i] = a + theta * (da + theta * (3.0 * (b - a) - 2.0 * da - db + theta * (2.0 * (a - b) + da + db)))


@kernel
def trapezoid_error(run, h):
    """Errors of states by the trapezoidal rule, h^3 / 12 of their third derivative, against the tolerances."""
    work, power, options, clock = work_of(run), power_of(run.problem), run.options, run.clock
    before, worst = clock.t_now - clock.t_old, 0.0
    if not before > 0.0 or run.counts.restarted:
        return 0.0
    for i in range(OF_WORK, power.size):
        third = 2.0 * ((power[i] - work[3, i]) / h - (work[3, i] - work[1, i]) / before) / (h + before)
        size = options.atol + options.rtol * abs(work[2, i])
        worst = max(worst, np.abs(h * h * h / 12.0 * third) / size)
    return worst
