"""The time loop of several runs at once: each is planned, judged and written as when it is alone, with a step size of its own;
only the steps are tried together, on lanes.

A run whose step cannot be tried on lanes (next to a singular configuration, with rows that depend on each other, where anything
comes out that is not a finite number) tries it alone by `attempt`, and comes back for the next one. What a run does therefore
never depends on its neighbours.
"""

import numpy as np

from cotree.engine.entry import NOTHING, call
from cotree.engine.kernel import kernel, released
from cotree.engine.lane_type import LANES
from cotree.engine.records import array_t, matrix, opener, rows_at, vector
from cotree.engine.status import CHUNK, DONE, STEP_TOO_SMALL
from cotree.engine.vectors import all_finite
from cotree.formulations.pack import pack_t
from cotree.formulations.problem import power_of
from cotree.integrate.events.passages import nearness
from cotree.integrate.law_states import work_of
from cotree.integrate.loop import NEAR, Plan, attempt, plan_step, settle
from cotree.integrate.output import Output
from cotree.integrate.records import errors_of, now, run_at, slopes_of, trial

seat_t = np.dtype(
    [
        ("run", "i8"),  # by address
        ("going", "?"),
        ("alone", "?"),  # the next step is not tried on lanes
        ("arrives", "?"),
        ("ended", "i8"),  # how the last chunk of steps did
        ("size", "f8"),  # what is planned
        ("allowed", "f8"),
        ("target", "f8"),
        ("shared", "i8"),  # steps tried on lanes
        ("t", array_t),  # the output
        ("q", array_t),
        ("v", array_t),
        ("work", array_t),
    ],
    align=True,
)
_pack_at, _seats_at = opener(pack_t), rows_at(seat_t)


@released
def advance_together(here, seats_here, times, most):
    """Advance all seats that are going through `times`, until one of them has something to say or `most` steps are tried."""
    p, seats = _pack_at(here), _seats_at(seats_here, LANES)
    for _ in range(most):
        if ends_before(seats, times):
            return
        status = -1
        if gather(p, seats):
            status = call(p.entries.step, p.here, 0.0, NOTHING, NOTHING, NOTHING)
        stop = False
        for k in range(LANES):
            if seats[k].going:
                seats[k].ended = conclude(p, seats[k], k, status >= 0, times)
                stop = stop or seats[k].ended != CHUNK
        if stop:
            return


@kernel
def ends_before(seats, times):
    """Plan the next steps; whether some seat has none."""
    stop = False
    for k in range(LANES):
        seat = seats[k]
        if not seat.going:
            continue
        plan = plan_step(run_at(seat.run), times)
        seat.size, seat.allowed, seat.target, seat.arrives = plan.size, plan.allowed, plan.target, plan.arrives
        seat.ended = DONE if plan.done else STEP_TOO_SMALL if not plan.size > 0.0 else CHUNK
        stop = stop or seat.ended != CHUNK
    return stop


@kernel
def gather(p, seats):
    """States and step sizes of the seats whose next step can be tried on lanes; whether there are any. The other lanes go on
    with what they had."""
    found, a = False, p.arrays
    size, least = matrix(a.size), matrix(a.least)
    for k in range(LANES):
        seat = seats[k]
        least[2, k] = 0.0
        if not seat.going:
            continue
        run = run_at(seat.run)
        near = run.problem.near
        near.narrowest = run.least[2, 0]
        seat.alone = near.dependent_rows or (run.options.watch and nearness(run) < NEAR)
        if seat.alone:
            continue
        found, here = True, now(run)
        put_lane(here.q, k, matrix(a.q_now))
        put_lane(here.v, k, matrix(a.v_now))
        put_lane(here.v_dot, k, matrix(a.a_now))
        put_lane(work_of(run)[3], k, matrix(a.power_now))
        size[0, k], least[1, k] = seat.size, run.least[2, 0]
    return found


@kernel
def put_lane(x, k, lanes):
    for i in range(x.size):
        lanes[i, k] = x[i]


@kernel
def get_lane(lanes, first, k, x):
    for i in range(x.size):
        x[i] = lanes[first + i, k]


@kernel
def conclude(p, seat, k, tried, times):
    """See to the step of one seat: as it came out on lanes, or tried alone. CHUNK, or how the run ends."""
    run = run_at(seat.run)
    plan = Plan(seat.size, seat.allowed, seat.target, seat.arrives, False)
    before = run.correction.position, run.correction.velocity
    known, status = tried_by(p, run, seat, k, tried)
    out = Output(vector(seat.t), matrix(seat.q), matrix(seat.v), matrix(seat.work))
    return settle(run, plan, before, status, known, out.t[:0], times, out)  # runs whose laws switch go alone


@kernel
def tried_by(p, run, seat, k, tried):
    """(whether the step of a seat came out on lanes, rank of its rows or a negative status); if not, it is tried alone."""
    if tried and not seat.alone and took(p, run, k):
        seat.shared += 1
        return True, p.rows
    return False, attempt(run, seat.size)


@kernel
def took(p, run, k):
    """Whether a lane came to a state that counts; then it is the one tried by the run, as after `attempt`."""
    a, there, s = p.arrays, trial(run), p.stages
    least, near = matrix(a.least), run.problem.near
    get_lane(matrix(a.q), 0, k, there.q)
    get_lane(matrix(a.v), 0, k, there.v)
    get_lane(matrix(a.a), 0, k, there.v_dot)
    good = all_finite(there.q) and all_finite(there.v) and all_finite(there.v_dot)
    if not good or not (p.rows == 0 or least[2, k] == least[2, k]):
        return False
    if p.rows > 0:
        near.smallest, near.dropped, near.narrowest, near.careful = least[0, k], 0.0, least[1, k], False
        if run.options.watch and nearness(run) < NEAR:
            return False
        get_lane(matrix(a.g), 0, k, vector(run.problem.arrays.g))
    get_lane(matrix(a.power), 0, k, power_of(run.problem))
    err, kw = errors_of(run), slopes_of(run).w
    for i in range(4):
        get_lane(matrix(a.err), i * p.nv, k, err[i])
    for j in range(s):
        get_lane(matrix(a.kw), 2 * j, k, kw[j])
    run.counts.evaluations += s
    if p.stabilize:
        corrections = matrix(a.corrections)
        run.correction.position += corrections[0, k]
        run.correction.velocity += corrections[1, k]
        run.counts.corrected += 1
    return True
