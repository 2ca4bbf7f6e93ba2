"""Steps of one size for many members of one system: groups of them, one after the other, on the lanes of one pack.

A member is a record of a run like any other (`run_t`), with a state and values of its own; all other arrays are shared, since
one member is looked at at a time.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.entry import NOTHING, call
from cotree.engine.kernel import kernel, released
from cotree.engine.lane_type import LANES
from cotree.engine.records import as_row, matrix, opener, row_addresses, rows_at, vector
from cotree.engine.status import DONE, NOT_FINITE, outcome
from cotree.engine.vectors import all_finite
from cotree.formulations.pack import evaluate, pack_t
from cotree.integrate.lanes.loop import gather, get_lane, put_lane, seat_t, tried_by
from cotree.integrate.law_states import work_of
from cotree.integrate.loop import Plan, commit, ends_finite
from cotree.integrate.records import now, run_at, run_t
from cotree.integrate.stepper.stepping import refresh

_pack_at, _seats_at = opener(pack_t), rows_at(seat_t)
STRIDE = run_t.itemsize


@released
def take_batch_steps(here, seats_here, runs_here, status, count, size, stale):
    """So many steps of all members whose status is DONE; where one fails it stays at its last good state, with the status of
    the failure. stale: accelerations of the present states are to be computed anew."""
    p, seats = _pack_at(here), _seats_at(seats_here, LANES)
    for first in range(0, status.size, LANES):
        if take_seats(p, seats, runs_here, status, first):
            if stale:
                refresh_seats(p, seats, status, first)
            for _ in range(count):
                step_seats(p, seats, status, first, size)


@kernel
def take_seats(p, seats, runs_here, status, first):
    """Let members from one on sit down; whether there are any that go on."""
    found = False
    for k in range(LANES):
        i, seat = first + k, seats[k]
        seat.going = i < status.size and status[i] == DONE
        if seat.going:
            found = True
            seat.run = runs_here + i * STRIDE
            put_lane(vector(run_at(seat.run).problem.arrays.values), k, matrix(p.arrays.values))
    return found


@kernel
def refresh_seats(p, seats, status, first):
    """Accelerations and powers of the present states."""
    a = p.arrays
    for k in range(LANES):
        if seats[k].going:
            here = now(run_at(seats[k].run))
            put_lane(here.q, k, matrix(a.q))
            put_lane(here.v, k, matrix(a.v))
            matrix(a.least)[2, k] = 0.0
    good = evaluate(p) >= 0
    for k in range(LANES):
        if not seats[k].going:
            continue
        run = run_at(seats[k].run)
        here, sum_of_least = now(run), matrix(a.least)[2, k]
        get_lane(matrix(a.a), 0, k, here.v_dot)
        if good and all_finite(here.v_dot) and (p.rows == 0 or sum_of_least == sum_of_least):
            get_lane(matrix(a.power), 0, k, work_of(run)[3])
            continue
        found = refresh(run)
        if found < 0 or not all_finite(here.v_dot):
            status[first + k] = outcome(found) if found < 0 else NOT_FINITE
            seats[k].going = False


@kernel
def step_seats(p, seats, status, first, size):
    """One step of those who sit."""
    for k in range(LANES):
        if seats[k].going:
            t = run_at(seats[k].run).clock.t_now
            seats[k].size = (t + size) - t
    tried = gather(p, seats) and call(p.entries.step, p.here, 0.0, NOTHING, NOTHING, NOTHING) >= 0
    for k in range(LANES):
        seat = seats[k]
        if not seat.going:
            continue
        run = run_at(seat.run)
        _, found = tried_by(p, run, seat, k, tried)
        if found < 0 or not ends_finite(run):
            status[first + k] = outcome(found) if found < 0 else NOT_FINITE
            run.correction.position, run.correction.velocity = seat.position, seat.velocity
            seat.going = False
        else:
            commit(run, Plan(seat.size, size, 0.0, False, False), found)


def copies(template: Any, count: int, **own: NDArray[Any]) -> NDArray[np.void]:
    """So many records like this one, each of which knows its own address, and has its own of the arrays given by name."""
    runs = np.repeat(as_row(template), count)
    runs["problem"]["here"] = row_addresses(runs)
    for name, array in own.items():
        of = runs["arrays"] if name in (run_t["arrays"].names or ()) else runs["problem"]["arrays"]
        of[name]["at"] = row_addresses(array)
    return runs
