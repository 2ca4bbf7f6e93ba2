"""The compiled part of a stepper: steps of one size, and the rows that they leave."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.entry import NOTHING, call
from cotree.engine.kernel import kernel
from cotree.engine.records import address_of, arrays, matrix, opener, put_array, record, vector
from cotree.engine.status import DONE, NO_SOLUTION, NOT_FINITE, outcome
from cotree.engine.vectors import copy, copy_into
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import power_of
from cotree.integrate.events.passages import nearness
from cotree.integrate.jumps import instant, is_due
from cotree.integrate.law_states import put_present_states, work_of
from cotree.integrate.loop import AT_END, AT_ONCE, NOWHERE, Plan, attempt, commit, ends_finite, located, move_on
from cotree.integrate.records import now, run_at, trial

Array = NDArray[np.float64]
rows_t = np.dtype([("count", "i8"), ("kept", "?"), ("rows", arrays("t", "q", "v", "work"))], align=True)
_rows_at = opener(rows_t)
FIRST_ROWS = 256
FAR = 0.2  # twice the nearness at which stages are projected


@kernel
def take_steps(here, rows_here, count, size, stale, brief):
    """Steps of this size from the present state; DONE, or how the first that failed did. stale: forces have changed since the
    acceleration of the present state was computed. brief: they will before the next step, so that the acceleration at the end
    of the last one is not computed; that of the next beginning is."""
    run, rows = run_at(here), _rows_at(rows_here)
    if stale:
        status = refresh(run)
        if status < 0:
            return outcome(status)
    jumps = run.problem.n_instants > 0 or run.problem.n_switches > 0
    for k in range(count):
        t = run.clock.t_now
        if jumps:
            status = in_parts(run, t + size)
            if status < 0:
                return outcome(status)
        else:
            plan = Plan((t + size) - t, size, 0.0, False, False)
            last = brief and k == count - 1
            status = attempt_briefly(run, plan.size) if last else attempt(run, plan.size)
            if status < 0 or not ends_finite(run):
                return outcome(status) if status < 0 else NOT_FINITE
            commit(run, plan, status)
        if rows.kept:
            put_row(run, rows)
    return DONE


@kernel
def attempt_briefly(run, size):
    """`attempt` without the acceleration at the end; with it next to singular configurations, where that decides something,
    and where the rank follows from it."""
    near, correction, watch = run.problem.near, run.correction, run.options.watch
    near.narrowest, near.careful = run.least[2, 0], False
    if (run.problem.rows > 0 and not run.options.stabilize) or (watch and nearness(run) < FAR):
        return attempt(run, size)
    position, velocity = correction.position, correction.velocity
    status = move_on(run, size)
    copy(now(run).v_dot, trial(run).v_dot)  # that of the end is found when the next step begins
    if watch and nearness(run) < FAR:
        correction.position, correction.velocity = position, velocity
        return attempt(run, size)
    return status


@kernel
def in_parts(run, end):
    """To a time, with the instants of sampled laws and the roots of switching functions on the way; 0 or a negative status."""
    clock = run.clock
    while clock.t_now < end:
        target = min(end, clock.t_jump) if clock.t_jump < end - instant(end) else end
        plan = Plan(target - clock.t_now, target - clock.t_now, target, True, False)
        before = run.correction.position, run.correction.velocity
        status = attempt(run, plan.size)
        if status < 0 or not ends_finite(run):
            return status if status < 0 else NO_SOLUTION
        where = NOWHERE
        if run.problem.n_switches > 0:
            plan, status, where = located(run, plan, status, before)
            if status < 0:
                return status
        if where != AT_ONCE:
            commit(run, plan, status)
        clock.pending = where == AT_END
        if clock.pending or is_due(run):
            status = call(run.entries.jump, run.problem.here, clock.t_now, NOTHING, NOTHING, NOTHING)
            if status < 0:
                return status
    return 0


@kernel
def refresh(run):
    """Acceleration and power of the present state anew."""
    here = now(run)
    put_present_states(run)
    status = accelerate(run.problem, run.clock.t_now, here.q, here.v, here.v_dot)
    if status >= 0:
        copy_into(power_of(run.problem), work_of(run)[3])
    return status


@kernel
def put_row(run, rows):
    here, k = now(run), rows.count
    vector(rows.rows.t)[k] = run.clock.t_now
    copy(here.q, matrix(rows.rows.q)[k])
    copy(here.v, matrix(rows.rows.v)[k])
    copy(work_of(run)[2], matrix(rows.rows.work)[k])
    rows.count += 1


@kernel
def refresh_at(here):
    """`refresh` of the run at an address."""
    return refresh(run_at(here))


class Rows:
    """Rows of the steps taken, in arrays that grow; kernels fill them by the record's address."""

    def __init__(self, nq: int, nv: int, width: int, kept: bool) -> None:
        """width: of the work, with the states of laws behind it."""
        self.record: Any = record(rows_t)
        self.here = address_of(self.record)
        self.record.kept = kept
        self._room(FIRST_ROWS if kept else 1, nq, nv, width)

    def _room(self, rows: int, nq: int, nv: int, width: int) -> None:
        made = np.empty(rows), np.empty((rows, nq)), np.empty((rows, nv)), np.empty((rows, width))
        self.arrays: tuple[Array, ...] = made
        for name, array in zip(("t", "q", "v", "work"), made, strict=True):
            put_array(self.record.rows[name], array)
        self.capacity = rows

    @property
    def count(self) -> int:
        return int(self.record["count"])

    def make_room(self, more: int) -> int:
        """Let there be room for so many more; returns how many there is room for."""
        n, old = self.count, self.arrays
        if n + more > self.capacity:
            self._room(max(2 * self.capacity, n + more), *(x.shape[1] for x in old[1:]))
            for new, before in zip(self.arrays, old, strict=True):
                new[:n] = before[:n]
        return self.capacity - n

    def add(self, t: float, q: Array, v: Array, work: Array) -> None:
        """One row from Python."""
        self.make_room(1)
        k, (times, positions, velocities, works) = self.count, self.arrays
        times[k], positions[k], velocities[k], works[k] = t, q, v, work
        self.record["count"] += 1

    def all(self) -> tuple[Array, ...]:
        """(t, q, v, work), copies."""
        return tuple(x[: self.count].copy() for x in self.arrays)
