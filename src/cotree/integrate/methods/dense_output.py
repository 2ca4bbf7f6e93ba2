"""States between the ends of a step, and the work up to there.

Of sixth order in positions whatever the method, continuous with the projected states, and no stage is needed.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.records import matrix
from cotree.engine.vectors import copy, copy_into, fill, largest
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import power_of
from cotree.integrate.law_states import put_states_within, work_of
from cotree.integrate.records import now, old, older
from cotree.kinematics.interpolation import between
from cotree.system.views import open_tables

GAUSS = np.sqrt(0.15)
NODES = (0.0, 0.5 - GAUSS, 0.5, 0.5 + GAUSS, 1.0)


def _integrals() -> tuple[tuple[float, ...], ...]:
    """For each node the coefficients of theta, theta^2, ... of the integral of its Lagrange polynomial."""
    found = np.linalg.inv(np.vander(NODES, increasing=True)).T / np.arange(1.0, 6.0)
    return tuple(tuple(map(float, row)) for row in found)


INTEGRALS = _integrals()


@kernel
def within(run, theta, q_out, v_out):
    """State at a fraction theta of the last step; of the one before for theta from -1 to 0."""
    tables, clock = open_tables(run.problem.system), run.clock
    if theta >= 0.0:
        between(tables, old(run), now(run), clock.t_now - clock.t_old, theta, q_out, v_out)
    else:
        between(tables, older(run), old(run), clock.t_old - clock.t_older, 1.0 + theta, q_out, v_out)


@kernel
def work_within(run, theta, out):
    """Work supplied and dissipated, and states of laws, at a fraction of the last step: integrals of the polynomials through
    their rates at both ends and at Gauss's three points, which all rows of a step share."""
    p = run.problem
    add_work_within(run, theta, np.empty(p.nq), np.empty(p.nv), np.empty(p.nv), out)


@kernel
def add_work_within(run, theta, q, v, v_dot, out):
    """The same, with room for a state."""
    work, clock, inner = work_of(run), run.clock, matrix(run.arrays.inner)
    h = clock.t_now - clock.t_old
    copy(work[0], out)
    if largest(work[1]) + largest(work[2]) + largest(work[3]) == 0.0:
        return
    if inner[3, 0] != clock.t_old or inner[3, 1] != clock.t_now:
        put_inner(run, q, v, v_dot)
    for i in range(out.size):
        rates = (work[1, i], inner[0, i], inner[1, i], inner[2, i], work[3, i])
        total = 0.0
        for k in range(5):
            total += share(k, theta) * rates[k]
        out[i] += h * total


@kernel
def put_inner(run, q, v, v_dot):
    """Rates of work and states at Gauss's points of the last step, zero where forces cannot be evaluated, and behind them the
    times of its ends."""
    p, power, clock, inner = run.problem, power_of(run.problem), run.clock, matrix(run.arrays.inner)
    inner[3, 0], inner[3, 1] = clock.t_old, clock.t_now
    for k in range(3):
        x = 0.5 + GAUSS * (k - 1)
        within(run, x, q, v)
        put_states_within(run, x)
        if accelerate(p, clock.t_old + x * (clock.t_now - clock.t_old), q, v, v_dot) >= 0:
            copy_into(power, inner[k])
        else:
            fill(inner[k], 0.0)


@kernel
def share(k, theta):
    """Integral from 0 to theta of the polynomial that is 1 at node k and 0 at the others."""
    c, s = INTEGRALS[k], 0.0
    for i in range(5):
        s = (s + c[4 - i]) * theta
    return s
