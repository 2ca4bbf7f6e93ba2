"""States between the ends of a step, and the work up to there.

Of sixth order in positions whatever the method, continuous with the projected states, and no stage is needed.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy, largest
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import power_of
from cotree.integrate.law_states import put_states_within, work_of
from cotree.integrate.records import now, old, older
from cotree.kinematics.interpolation import between
from cotree.system.views import open_tables

GAUSS = np.sqrt(0.15)


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
    """Work supplied and dissipated, and states of laws, at a fraction of the last step: their rates on the way, by Gauss's rule
    of three points."""
    p = run.problem
    add_work_within(run, theta, np.empty(p.nq), np.empty(p.nv), np.empty(p.nv), out)


@kernel
def add_work_within(run, theta, q, v, v_dot, out):
    """The same, with room for a state."""
    p, work, power, clock = run.problem, work_of(run), power_of(run.problem), run.clock
    h = clock.t_now - clock.t_old
    copy(work[0], out)
    if largest(work[1]) + largest(work[2]) + largest(work[3]) == 0.0:
        return
    for k in range(3):
        x = theta * (0.5 + GAUSS * (k - 1))
        within(run, x, q, v)
        put_states_within(run, x)
        if accelerate(p, clock.t_old + x * h, q, v, v_dot) >= 0:
            weight = h * theta * (4.0 if k == 1 else 2.5) / 9.0
            for i in range(power.size):
                out[i] += weight * power[i]
