"""Rows of the output, and what events and watches show of a step."""

from typing import Any, NamedTuple

import numpy as np

from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix
from cotree.engine.status import FULL
from cotree.engine.vectors import copy
from cotree.formulations.problem import ASK_EVENTS, ask
from cotree.integrate.events.conditions import ran_out
from cotree.integrate.events.sampling import changed, dips, looks
from cotree.integrate.law_states import work_of
from cotree.integrate.methods.dense_output import within, work_within
from cotree.integrate.records import now, run_t
from cotree.integrate.stabilization.projection import project


class Output(NamedTuple):
    """Rows of times, states and work."""

    t: Any
    q: Any
    v: Any
    work: Any


@kernel
def put_row(run, row, out):
    """The present state as a row."""
    here = now(run)
    copy(here.q, out.q[row])
    copy(here.v, out.v[row])
    copy(work_of(run)[2], out.work[row])


@kernel
def write(run, times, out):
    """Rows that the last step has reached, each step when `times` is empty; 0, FULL, or a negative status."""
    clock = run.clock
    if times.size == 0:
        out.t[clock.row] = clock.t_now
        put_row(run, clock.row, out)
        clock.row += 1
        return FULL if clock.row >= out.q.shape[0] else 0
    while is_due(run, times):
        status = write_row(run, times, out)
        if status < 0:
            return status
    return 0


@kernel
def is_due(run, times):
    """Whether the last step has reached the next row."""
    clock = run.clock
    return clock.row < times.size and times[clock.row] <= clock.t_now + 1e-12 * (clock.t_now - clock.t_old)


@kernel
def is_inside(run, times):
    """Whether the next row lies between the ends of the last step."""
    clock = run.clock
    return times[clock.row] < clock.t_now - 1e-12 * (clock.t_now - clock.t_old)


@kernel
def write_row(run, times, out):
    """The next row; 0 or a negative status."""
    clock, row = run.clock, run.clock.row
    out.t[row] = times[row]
    if is_inside(run, times):
        theta = (times[row] - clock.t_old) / (clock.t_now - clock.t_old)
        within(run, theta, out.q[row], out.v[row])
        work_within(run, theta, out.work[row])
        if run.options.stabilize:
            status = project(run, times[row], 0.0, out.q[row], out.v[row])
            if status < 0:
                return status
    else:
        put_row(run, row, out)
    clock.row = row + 1
    return 0


@kernel
def note_row(run, times):
    """Keep what the watches show about the last row: turns across cut joints are counted on from there."""
    values, clock = matrix(run.problem.arrays.events), run.clock
    back = clock.t_now - times[clock.row - 1] if times.size > 0 else 0.0
    for k in range(values.shape[1]):
        values[4, k] = values[1, k] - back * values[3, k]


@entry(run_t)
def look_for_events(run, t, q, v, w):
    """1 when an event function may have changed its sign in the last step or a watch has run out, negative when a function
    failed; else values become those before."""
    values, clock = matrix(run.problem.arrays.events), run.clock
    n = values.shape[1] - run.n_watches
    met = sampled(run, n) if n > 0 else 0
    if met != 0:
        return met
    h = clock.t_now - clock.t_old
    for k in range(n, values.shape[1]):
        if ran_out(values[0, k], values[1, k], h * values[2, k], h * values[3, k]):
            return 1
    copy(values[1], values[0])
    copy(values[3], values[2])
    return 0


@kernel
def sampled(run, n):
    """The same for the n event functions, looked at several times within the step; values end as those at its end."""
    p = run.problem
    return looked_at(run, n, np.empty(p.nq), np.empty(p.nv), np.zeros(n), np.empty(n))


@kernel
def looked_at(run, n, q, v, older, old):
    """The same, with room for a state and for values."""
    p, clock = run.problem, run.clock
    values, begin, end = matrix(p.arrays.events), clock.t_old, clock.t_now
    copy(values[0, :n], old)
    met, m = 0, looks(end - begin, run.options.spacing)
    for i in range(1, m + 1):
        if i < m:
            within(run, i / m, q, v)
            status = ask(p, ASK_EVENTS, begin + (end - begin) * i / m, q, v)
        else:
            status = ask(p, ASK_EVENTS, end, now(run).q, now(run).v)
        if status < 0:
            return status
        for k in range(n):
            if changed(old[k], values[1, k]) or (i > 1 and dips(older[k], old[k], values[1, k])):
                met = 1
        copy(old, older)
        copy(values[1, :n], old)
    return met
