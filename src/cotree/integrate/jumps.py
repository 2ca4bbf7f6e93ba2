"""Instants at which forces of laws jump: those of sampled laws, to which steps go, and the roots of switching functions, to
which the step that has passed one is shortened (`locating`). Only runs with such laws have this compiled.

A root is found by trying the step with other sizes, so that the state there is as good as the end of any step. The signs of
switching functions are held during a step, so that a law that takes them is smooth along it.
"""

import numpy as np

from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import integers, vector
from cotree.engine.status import CHATTER
from cotree.engine.vectors import copy_into, fill
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import ASK_SAMPLES, ASK_SWITCHES, ask, power_of
from cotree.integrate.law_states import OF_WORK, put_present_states, work_of
from cotree.integrate.records import now, run_t, trial
from cotree.judge import INSTANT, SOON

MOST_AT_ONCE = 24


@kernel
def instant(t):
    """Longest time that counts as none."""
    return INSTANT * max(1.0, abs(t))


@kernel
def is_due(run):
    """Whether an instant has come at which laws are sampled or have a kink."""
    return run.problem.n_instants > 0 and run.clock.t_jump <= run.clock.t_now + instant(run.clock.t_now)


@kernel
def sample(run):
    """Let the sampled laws that are due give what is held from now on; a negative status where a function failed."""
    p, here = run.problem, now(run)
    put_present_states(run)
    status = ask(p, ASK_SAMPLES, run.clock.t_now, here.q, here.v)
    if status < 0:
        return status
    plan_jump(run)
    return keep_states(run)


@kernel
def plan_jump(run):
    """The next instant of any law."""
    instants, first = vector(run.problem.arrays.instants), np.inf
    for k in range(instants.size):
        first = min(first, instants[k])
    run.clock.t_jump = first


@kernel
def keep_states(run):
    """The states of laws, changed at an instant, as those of the present state, with the accelerations that follow."""
    p, here, work, z = run.problem, now(run), work_of(run), vector(run.problem.arrays.z)
    for i in range(z.size):
        work[2, OF_WORK + i] = z[i]
    status = accelerate(p, run.clock.t_now, here.q, here.v, here.v_dot)
    copy_into(power_of(p), work[3])
    run.counts.restarted = True
    return status


@kernel
def margin(run, t, q, v):
    """(status, least switching function of those marked, each times its sign that is held) at a state whose states of laws are
    in place."""
    p = run.problem
    status = ask(p, ASK_SWITCHES, t, q, v)
    if status < 0:
        return status, 0.0
    values, signs, z, least = vector(p.arrays.switches), integers(p.arrays.signs), vector(p.arrays.z), np.inf
    marks = vector(p.arrays.marks)
    for k in range(signs.size):
        if marks[k] > 0.0:
            least = min(least, values[k] * z[signs[k]])
    return 0, least


@kernel
def margin_at_end(run, size):
    """The same at the end of the step that is tried."""
    there = trial(run)
    return margin(run, run.clock.t_now + size, there.q, there.v)


@kernel
def mark_all(run):
    """Mark all switching functions."""
    fill(vector(run.problem.arrays.marks), 1.0)


@kernel
def mark_passed(run):
    """Mark the switching functions that had the other sign when they were last evaluated, and no others."""
    p = run.problem
    values, signs, z = vector(p.arrays.switches), integers(p.arrays.signs), vector(p.arrays.z)
    marks = vector(p.arrays.marks)
    for k in range(signs.size):
        marks[k] = 1.0 if values[k] * z[signs[k]] < 0.0 else 0.0


@kernel
def margin_now(run):
    """The same at the present state."""
    put_present_states(run)
    here = now(run)
    return margin(run, run.clock.t_now, here.q, here.v)


@kernel
def flip(run, zero_too):
    """Give the marked switching functions that have passed zero at the present state their new signs, where asked for also
    those that are zero there; a negative status where a function failed, or where signs change again and again at once."""
    p, clock, counts = run.problem, run.clock, run.counts
    status, _ = margin_now(run)
    if status < 0:
        return status
    values, signs, z = vector(p.arrays.switches), integers(p.arrays.signs), vector(p.arrays.z)
    marks, flipped = vector(p.arrays.marks), 0
    for k in range(signs.size):
        x = values[k] * z[signs[k]]
        if marks[k] > 0.0 and (x < 0.0 or (zero_too and x == 0.0)):
            z[signs[k]] = -z[signs[k]]
            flipped += 1
    if flipped == 0:  # exactly at zero: the next step shows where it goes
        return 0
    soon = clock.t_now - clock.t_flip <= SOON * max(1.0, abs(clock.t_now))
    counts.flips_at_once = counts.flips_at_once + 1 if soon else 0
    counts.flips += flipped
    clock.t_flip = clock.t_now
    if counts.flips_at_once > MOST_AT_ONCE:
        return CHATTER
    return keep_states(run)


@entry(run_t)
def jump(run, t, q, v, w):
    """What is to change at the present state: the signs of switching functions that have passed zero, and what sampled laws
    give whose instant has come. A negative status where that failed."""
    status = 0
    if run.clock.pending:
        run.clock.pending = False
        mark_all(run)
        status = flip(run, False)
    if status >= 0 and is_due(run):
        status = sample(run)
    return status
