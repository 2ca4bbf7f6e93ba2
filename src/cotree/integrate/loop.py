"""The compiled time loop: steps of any method, planned, tried, judged, accepted and looked at; returned in chunks."""

from typing import Any, NamedTuple

from cotree.engine.entry import NOTHING, call
from cotree.engine.kernel import kernel, released
from cotree.engine.records import integers, vector
from cotree.engine.status import (
    CHUNK,
    DONE,
    EVENT,
    FULL,
    NARROW,
    NOT_FINITE,
    STEP_TOO_SMALL,
    USER_ERROR,
    USER_FAILED,
    outcome,
)
from cotree.engine.vectors import all_finite, copy, copy_into
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import power_of
from cotree.integrate.control import judge, turn_limit
from cotree.integrate.events.passages import beside, narrowed, nearness, note_rank
from cotree.integrate.jumps import instant, is_due
from cotree.integrate.law_states import OF_WORK, work_of
from cotree.integrate.output import note_row, write
from cotree.integrate.records import memory_of, now, slopes_of, trial
from cotree.integrate.stabilization.projection import project
from cotree.system.views import open_tables

SMALLEST_STEP = 1e-13  # relative to the time
NEAR = 0.1  # size of the least direction, relative to the widest it has been, below which stages are projected
NOWHERE, AT_END, AT_ONCE = range(3)  # where in a step a switching function changes its sign
ELSEWHERE = 4  # times that a step is tried with another size because it would end next to a singular configuration


class Plan(NamedTuple):
    """The next step: its size, the size that errors would allow, the time to arrive at and whether it does."""

    size: Any
    allowed: Any
    target: Any
    arrives: Any
    done: Any


@released
def advance(run, times, out, most):
    """Advance through `times`, filling rows; each step is a row when `times` is empty. Returns how it ended."""
    run.counts.moved = 0
    for _ in range(most):
        if run.clock.pending or is_due(run):
            status = call(run.entries.jump, run.problem.here, run.clock.t_now, NOTHING, NOTHING, NOTHING)
            rewrite_row(run, out)
            if status < 0:
                return stuck(run, status)
        plan = plan_step(run, times)
        if plan.done:
            return DONE
        if not plan.size > 0.0:
            return STEP_TOO_SMALL
        before = run.correction.position, run.correction.velocity
        status = attempt(run, plan.size)
        ended = settle(run, plan, before, status, False, times, out)
        if ended != CHUNK:
            return ended
    return CHUNK


@kernel
def settle(run, plan, before, status, known, times, out):
    """What becomes of a step that was tried: taken, with its rows, or refused. CHUNK, or how the run ends."""
    accepted, ended = accepts(run, plan, before, status, known)
    if not accepted:
        return ended
    where = NOWHERE
    if run.problem.n_switches > 0:
        plan, status, where = located(run, plan, status, before)
        if status < 0:
            return stuck(run, status)
        if where == AT_ONCE:
            rewrite_row(run, out)
            return CHUNK
    row = run.clock.row
    commit(run, plan, status)
    ended = write(run, times, out)
    if where == AT_END:
        run.clock.pending = True
    return follow(run, times, row, ended)


@kernel
def decide(run, plan, before, status, known):
    """(whether a step that was tried is taken, CHUNK or how the run ends if not), where no laws switch."""
    accepted, ended = accepts(run, plan, before, status, known)
    if accepted:
        commit(run, plan, status)
    return accepted, ended


@kernel
def accepts(run, plan, before, status, known):
    """(whether a step that was tried is good enough, CHUNK or how the run ends if not). before: the corrections of positions
    and velocities up to it; known: its errors are estimated already."""
    finite = status >= 0 and ends_finite(run)
    if run.options.adaptive:
        error, factor = judge(run, plan.size, status, finite, known)
        accepted = error <= 1.0 and not moves_elsewhere(run, plan, status, error)
        if not accepted:
            run.correction.position, run.correction.velocity = before
            return False, CHUNK if error <= 1.0 else reject(run, plan, factor, status, finite)
        choose_next(run, plan, factor)
    elif not finite:
        return False, outcome(status) if status < 0 else NOT_FINITE
    return True, CHUNK


@kernel
def follow(run, times, row, ended):
    """After a step that was taken, and its rows from one on, which ended like this: CHUNK, or how the run ends."""
    if ended < 0:
        return outcome(ended)
    stop = look_back(run, times, row)
    if stop != CHUNK:
        return stop
    return FULL if ended == FULL else CHUNK


@kernel
def stuck(run, status):
    """How a run ends where a law fails at an instant: no shorter step helps."""
    run.clock.h_next = 0.0
    return outcome(status)


@kernel
def least_step(t):
    """The shortest step that there can be at a time."""
    return SMALLEST_STEP * max(1.0, abs(t))


@kernel
def plan_step(run, times):
    """The next step as errors, turns, output and the end of the run allow it."""
    clock, options = run.clock, run.options
    t, h = clock.t_now, min(clock.h_next, options.h_max)
    if options.adaptive:
        h = min(h, turn_limit(run))
    arrive = options.arrive and clock.row < times.size
    target = min(times[clock.row], options.t_end) if arrive else options.t_end
    if run.problem.n_instants > 0 and clock.t_jump < target - instant(target):
        return towards(t, clock.t_jump, h, options.adaptive)
    left = target - t
    if not arrive and left <= least_step(t):
        return Plan(0.0, h, target, True, True)
    return towards(t, target, h, options.adaptive)


@kernel
def towards(t, target, h, adaptive):
    """A step of the size h at most that does not go beyond a time."""
    left = target - t
    if left - h <= max(1e-9 * left, least_step(t)):  # do not leave a remainder too small for a step
        whole = not adaptive and abs(left - h) <= least_step(t)  # but for the rounding of the clock
        return Plan((t + h) - t if whole else left, h, target, True, False)
    size = min(h, 0.5 * left) if adaptive else h
    return Plan((t + size) - t, h, target, False, False)  # as long as the clock can tell


@kernel
def rewrite_row(run, out):
    """Where the present state is the last row: with the states of laws as they are from now on."""
    row = run.clock.row - 1
    if row >= 0 and abs(out.t[row] - run.clock.t_now) <= instant(run.clock.t_now):
        copy(work_of(run)[2], out.work[row])


@kernel
def located(run, plan, status, before):
    """(plan, status, where): the step that was tried, shortened so that it ends where the first switching function of a law has
    just changed its sign; AT_ONCE where it does so at the beginning, and has been given its new sign there."""
    jump = run.jump
    jump.status, jump.position, jump.velocity = status, before[0], before[1]
    status = call(run.entries.locate, run.problem.here, plan.size, NOTHING, NOTHING, NOTHING)
    if jump.where == AT_END:
        plan = Plan(jump.size, plan.allowed, run.clock.t_now + jump.size, False, False)
    return plan, status, jump.where


@kernel
def attempt(run, size):
    """One step tried; with stages on the constraints where it comes close to a singular configuration. Leaves `careful` for
    the errors."""
    near, correction, watch = run.problem.near, run.correction, run.options.watch
    near.narrowest = run.least[2, 0]
    near.careful = watch and nearness(run) < NEAR
    position, velocity, status = correction.position, correction.velocity, 0
    for _ in range(2):  # a loop, since the step would be compiled twice otherwise
        status = try_step(run, size)
        if not watch or near.careful or not nearness(run) < NEAR:
            break
        near.careful = True
        correction.position, correction.velocity = position, velocity
    return status


@kernel
def try_step(run, size):
    """One step, back to the constraints, acceleration there; returns the rank or a negative status."""
    p, there = run.problem, trial(run)
    rank, t = move_on(run, size), run.clock.t_now + size
    if rank < 0 or not (all_finite(there.q) and all_finite(there.v)):
        return rank
    status = accelerate(p, t, there.q, there.v, there.v_dot)
    if run.n_watches > 0:
        call(run.entries.look, p.here, t, there.q, there.v, there.v_dot)
    run.counts.evaluations += 1
    return rank if run.options.stabilize and status >= 0 else status


@kernel
def move_on(run, size):
    """One step, back to the constraints; returns the rank or a negative status."""
    p, there = run.problem, trial(run)
    status = call(run.entries.step, p.here, size, NOTHING, NOTHING, NOTHING)
    if status < 0 or not (all_finite(there.q) and all_finite(there.v)):
        return status
    if run.options.stabilize:
        status = project(run, run.clock.t_now + size, size, there.q, there.v)
        if status < 0:
            return status
    hold_still(run, there)
    return status


@kernel
def hold_still(run, there):
    """Coordinates that locks hold as they are at the start of the step."""
    tables, held, before = open_tables(run.problem.system), integers(run.problem.arrays.held), now(run).q
    for i in range(held.size):
        j = held[i]
        there.v[j] = 0.0
        k = tables.dofs[j].link
        first, end = tables.dofs[j].iq, tables.dofs[j].iq + 1
        if first < 0:  # a quaternion and what goes with it: such a joint is held as a whole
            first, end = tables.links[k].iq, tables.links[k + 1].iq if k + 1 < tables.links.size else before.size
        for m in range(first, end):
            there.q[m] = before[m]


@kernel
def ends_finite(run):
    there = trial(run)
    return all_finite(there.q) and all_finite(there.v) and all_finite(there.v_dot)


@kernel
def reject(run, plan, factor, status, finite):
    """A shorter step next time; CHUNK, or how the run ends when there is none."""
    clock = run.clock
    run.counts.rejected += 1
    clock.h_next = plan.size * factor
    if status == USER_FAILED:
        return USER_ERROR
    if clock.h_next >= least_step(clock.t_now):
        return CHUNK
    return outcome(status) if status < 0 else STEP_TOO_SMALL if finite else NOT_FINITE


@kernel
def moves_elsewhere(run, plan, status, error):
    """Whether the step is tried once more with another size, because it would end next to a singular configuration."""
    size = beside(run, plan.size, status, error)
    if size > 0.0 and run.counts.moved < ELSEWHERE:
        run.clock.h_next = size
        run.counts.moved += 1
        return True
    run.counts.moved = 0
    return False


@kernel
def choose_next(run, plan, factor):
    """The size of the next step; one that was shortened for the sake of the time to arrive at says nothing about errors."""
    shortened = plan.size < plan.allowed and (plan.arrives or run.options.seldom)
    h = plan.size * factor
    run.clock.h_next = max(h, plan.allowed) if shortened else h


@kernel
def commit(run, plan, rank):
    """Make the state tried the present one, with its work, ranks and least directions."""
    clock, counts, arrays = run.clock, run.counts, run.arrays
    run.problem.near.careful = False
    copy(vector(arrays.old), vector(arrays.older))
    copy(vector(arrays.now), vector(arrays.old))
    copy(vector(arrays.trial), vector(arrays.now))
    t = plan.target if plan.arrives else clock.t_now + plan.size
    clock.t_older, clock.t_old, clock.t_now = clock.t_old, clock.t_now, t
    book(run, plan.size)
    memory = memory_of(run)
    for i in range(3):
        copy(memory[1][i], memory[0][i])
    if run.problem.rows > 0:
        note_rank(run, rank)
        if run.entries.chart != 0:
            call(run.entries.chart, run.problem.here, t, now(run).q, NOTHING, NOTHING)
        note_partition(run)
    counts.steps += 1
    counts.restarted = False


@kernel
def note_partition(run):
    """Count how often the partition into dependent and independent coordinates changes."""
    before, dependent, different = integers(run.arrays.partition), integers(run.problem.arrays.dependent), False
    for j in range(before.size):
        different = different or before[j] != dependent[j]
        before[j] = dependent[j]
    if different and run.counts.steps > 0:
        run.counts.partitions += 1


@kernel
def book(run, h):
    """Work supplied and dissipated during the step, and states of laws after it, by the weights of the method."""
    work, kw, b, power = work_of(run), slopes_of(run).w, vector(run.arrays.weights), power_of(run.problem)
    copy(work[2], work[0])
    copy(work[3], work[1])
    copy(power, kw[b.size])
    if not run.options.weigh_work:  # implicit methods: the power at the end is that of the state as it was kept
        for i in range(OF_WORK):
            kw[b.size - 1, i] = power[i]
    for i in range(power.size):
        s = 0.0
        for j in range(b.size):
            s += b[j] * kw[j, i]
        work[2, i] += h * s
    copy_into(power, work[3])


@kernel
def look_back(run, times, row):
    """What the step accepted shows: EVENT, NARROW, USER_ERROR, or CHUNK to go on; `row` was the one to be written next."""
    if run.n_watches > 0 and run.clock.row > row:
        note_row(run, times)
    run.counts.narrowed = narrowed(run) if run.problem.rows > 0 else 0
    if run.problem.n_events > 0:
        met = call(run.entries.events, run.problem.here, run.clock.t_now, NOTHING, NOTHING, NOTHING)
        if met != 0:
            return USER_ERROR if met < 0 else EVENT
    return NARROW if run.counts.narrowed != 0 else CHUNK
