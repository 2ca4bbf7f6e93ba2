"""The compiled time loop: fixed or adaptive steps, projection, output at given times, returned in chunks."""

import numpy as np

from cotree._kernel import kernel
from cotree.integrate.munthe_kaas import step
from cotree.integrate.stabilize import project
from cotree.system.finite import all_finite

DONE, CHUNK, STEP_TOO_SMALL, NOT_FINITE, NO_INERTIA = range(5)


@kernel
def scaled_error(err_q, err_v, q_step, v, rtol, atol):
    """Root mean square of the error against atol + rtol |value|; positions count from one (metre, radian)."""
    s = 0.0
    for j in range(v.size):
        x = err_q[j] / (atol + rtol * (1.0 + abs(q_step[j])))
        y = err_v[j] / (atol + rtol * max(1.0, abs(v[j])))
        s += x * x + y * y
    return np.sqrt(s / (2.0 * v.size))


@kernel
def advance(handle, values, motions, holonomic, formulation, length, a, b, error, order, stabilize, rtol, atol,
            h_max, state, q, v, times, out_q, out_v, counts, most):  # fmt: skip
    """Advance (q, v) through `times`, filling rows of out; state = (t, h, next row); counts = (steps, rejected, evaluations,
    smallest rank, greatest rank). Returns a status; CHUNK after `most` steps."""
    adaptive, m = error.size > 0, holonomic.size
    q_new, v_new = np.empty(q.size), np.empty(v.size)
    err_q, err_v, lam = np.empty(v.size), np.empty(v.size), np.empty(m)
    row = int(state[2])
    for _ in range(most):
        if row >= times.size:
            break
        t, h = state[0], min(state[1], h_max)
        left = times[row] - t
        arrives = h >= left * (1.0 - 1e-12)
        size = left if arrives else (h if h < 0.5 * left else 0.5 * left) if adaptive else h
        rank = step(
            handle, values, motions, formulation, length, a, b, error, size, q, v, q_new, v_new, err_q, err_v, lam
        )
        counts[2] += b.size
        if rank < 0:
            return NO_INERTIA
        finite = all_finite(q_new) and all_finite(v_new)
        if adaptive:
            e = scaled_error(err_q, err_v, err_q, v_new, rtol, atol) if finite else 1e9
            factor = min(5.0, max(0.2, 0.9 * max(e, 1e-10) ** (-1.0 / order)))
            if e > 1.0:
                counts[1] += 1
                state[1] = size * factor
                if state[1] < 1e-13 * max(1.0, abs(t)):
                    return STEP_TOO_SMALL if finite else NOT_FINITE
                continue
            state[1] = max(size * factor, h) if arrives and size < h else size * factor
        elif not finite:
            return NOT_FINITE
        if stabilize and m > 0:
            rank = project(handle, motions, holonomic, length, q_new, v_new)
        q[:], v[:] = q_new, v_new
        counts[0] += 1
        counts[3], counts[4] = min(counts[3], rank), max(counts[4], rank)
        state[0] = times[row] if arrives else t + size
        if arrives:
            out_q[row], out_v[row] = q, v
            row += 1
            state[2] = row
    return DONE if row >= times.size else CHUNK
