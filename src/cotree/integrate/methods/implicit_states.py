"""States of laws at the end of an implicit step, by the trapezoidal rule: z+ = z + h/2 (rate + rate+), solved by Newton."""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.records import vector
from cotree.engine.status import NO_SOLUTION
from cotree.engine.vectors import all_finite
from cotree.formulations.linalg import lu, solve_lu
from cotree.formulations.problem import ASK_VALUES, ask, power_of
from cotree.integrate.law_states import OF_WORK, work_of

NUDGE, EXACT, ITERATIONS = 1e-7, 1e-14, 20


@kernel
def put_end_states(run, h, t, q, v):
    """Solve for the states of laws at a state tried; 0 or a negative status. Only laws are evaluated."""
    p = run.problem
    z = vector(p.arrays.z)
    if z.size == 0:
        return 0
    n, work = z.size, work_of(run)
    x, K, swaps = np.empty(n), np.empty((n, n)), np.empty(n, np.int64)
    for _ in range(ITERATIONS):
        status = _put_residual(run, h, t, q, v, x)
        if status < 0:
            return status
        if not all_finite(x):
            return NO_SOLUTION
        for j in range(n):
            there, moved = z[j], np.empty(n)
            nudge = NUDGE * max(1.0, abs(there))
            z[j] = there + nudge
            status = _put_residual(run, h, t, q, v, moved)
            z[j] = there
            if status < 0:
                return status
            for i in range(n):
                K[i, j] = (moved[i] - x[i]) / nudge
        if not (all_finite(K.ravel()) and lu(K, swaps)):
            return NO_SOLUTION
        solve_lu(K, swaps, x)
        size = 0.0
        for i in range(n):
            z[i] -= x[i]
            size = max(size, abs(x[i]) / max(1.0, abs(z[i]), abs(work[2, OF_WORK + i])))
        if size <= EXACT:
            return 0
    return 0 if size <= 1e3 * EXACT else NO_SOLUTION


@kernel
def _put_residual(run, h, t, q, v, out):
    status = ask(run.problem, ASK_VALUES, t, q, v)
    if status < 0:
        return status
    z, power, work = vector(run.problem.arrays.z), power_of(run.problem), work_of(run)
    for i in range(z.size):
        k = OF_WORK + i
        out[i] = z[i] - work[2, k] - 0.5 * h * (work[3, k] + power[k])
    return 0
