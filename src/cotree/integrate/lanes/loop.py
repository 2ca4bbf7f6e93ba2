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
from cotree.engine.records import array_t, at_t, matrix, opener, rows_at, vector
from cotree.engine.status import CHUNK, DONE, STEP_TOO_SMALL, outcome
from cotree.engine.vectors import all_finite
from cotree.formulations.pack import pack_t
from cotree.formulations.problem import power_of
from cotree.integrate.events.passages import nearness
from cotree.integrate.law_states import work_of
from cotree.integrate.loop import NEAR, Plan, attempt, decide, follow, plan_step
from cotree.integrate.methods.dense_output import work_within
from cotree.integrate.output import Output, is_due, is_inside, write_row
from cotree.integrate.records import State, errors_of, now, run_at, slopes_of, trial
from cotree.integrate.stabilization.projection import project
from cotree.kinematics.interpolation import between
from cotree.system.views import open_tables

seat_t = np.dtype(
    [
        ("run", at_t),  # by address
        ("going", "?"),
        ("alone", "?"),  # the next step is not tried on lanes
        ("arrives", "?"),
        ("ended", "i8"),  # how the last chunk of steps did
        ("size", "f8"),  # what is planned
        ("allowed", "f8"),
        ("position", "f8"),  # corrections up to it
        ("velocity", "f8"),
        ("target", "f8"),
        ("shared", "i8"),  # steps tried on lanes
        ("known", "?"),  # how the last one came out
        ("status", "i8"),
        ("waits", "?"),  # a row within the last steps is still to be computed
        ("row", "i8"),
        ("broken", "i8"),  # CHUNK, or how the run ends since it could not be
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
    """Advance all seats that are going through `times`, until one of them has something to say or `most` steps are tried; how
    many were."""
    p, seats, tried = _pack_at(here), _seats_at(seats_here, LANES), 0
    while tried < most and not ends_before(seats, times):
        tried += 1
        if step_all(p, seats, times):
            break
    write_waiting(p, seats, times)
    for k in range(LANES):
        if seats[k].going and seats[k].broken != CHUNK:
            seats[k].ended = seats[k].broken
    return tried


@kernel
def step_all(p, seats, times):
    """One step of all seats that are going; whether some of them has something to say."""
    tried, stop = gather(p, seats), False
    if tried:
        tried = call(p.entries.step, p.here, 0.0, NOTHING, NOTHING, NOTHING) >= 0
    for k in range(LANES):
        if seats[k].going:
            seats[k].known, seats[k].status = tried_by(p, run_at(seats[k].run), seats[k], k, tried)
    for k in range(LANES):
        if seats[k].going:
            seats[k].ended = conclude(p, seats, k, times)
            stop = stop or seats[k].ended != CHUNK or seats[k].broken != CHUNK
    return stop


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
def conclude(p, seats, k, times):
    """See to a step that was tried, on lanes or alone. CHUNK, or how the run ends. Rows within the step wait, until another one
    of the same run comes."""
    seat = seats[k]
    run, plan = run_at(seat.run), Plan(seat.size, seat.allowed, seat.target, seat.arrives, False)
    taken, ended = decide(run, plan, (seat.position, seat.velocity), seat.status, seat.known)
    if not taken:
        return ended
    row = run.clock.row
    while is_due(run, times):
        if is_inside(run, times):
            if seat.waits:
                write_waiting(p, seats, times)
            put_waiting(p, run, seat, k, times)
        else:
            write_row(run, times, output_of(seat))
    return follow(run, times, row, 0)


@kernel
def output_of(seat):
    return Output(vector(seat.t), matrix(seat.q), matrix(seat.v), matrix(seat.work))


@kernel
def put_waiting(p, run, seat, k, times):
    """The next row of a run, to be computed later: both ends of the step in which it lies."""
    clock, out, row = run.clock, output_of(seat), run.clock.row
    h = clock.t_now - clock.t_old
    theta, ends, where = (times[row] - clock.t_old) / h, matrix(p.arrays.ends), matrix(p.arrays.where)
    first, last = vector(run.arrays.old), vector(run.arrays.now)
    for i in range(first.size):
        ends[i, k], ends[first.size + i, k] = first[i], last[i]
    where[0, k], where[1, k] = h, theta
    out.t[row] = times[row]
    work_within(run, theta, out.work[row])
    seat.waits, seat.row, clock.row = True, row, row + 1


@kernel
def write_waiting(p, seats, times):
    """Compute the rows that wait: on lanes, and those that do not come out well alone."""
    found = False
    for k in range(LANES):
        found = found or (seats[k].going and seats[k].waits)
    if not found:
        return
    good = call(p.entries.between, p.here, 0.0, NOTHING, NOTHING, NOTHING) >= 0
    least = matrix(p.arrays.least)
    for k in range(LANES):
        seat = seats[k]
        if not (seat.going and seat.waits):
            continue
        out, seat.waits = output_of(seat), False
        q, v = out.q[seat.row], out.v[seat.row]
        get_lane(matrix(p.arrays.q), 0, k, q)
        get_lane(matrix(p.arrays.v), 0, k, v)
        if good and all_finite(q) and all_finite(v) and least[2, k] == least[2, k]:
            continue
        status = write_alone(p, run_at(seat.run), k, times[seat.row], q, v)
        if status < 0 and seat.broken == CHUNK:
            seat.broken, run_at(seat.run).clock.row = outcome(status), seat.row


@kernel
def write_alone(p, run, k, t, q, v):
    """A row that waits, as `write_row` writes it; 0 or a negative status."""
    n, nq = p.nv, p.nq
    first, last, where = np.empty(nq + 2 * n), np.empty(nq + 2 * n), matrix(p.arrays.where)
    get_lane(matrix(p.arrays.ends), 0, k, first)
    get_lane(matrix(p.arrays.ends), first.size, k, last)
    start = State(first[:nq], first[nq : nq + n], first[nq + n :])
    end = State(last[:nq], last[nq : nq + n], last[nq + n :])
    between(open_tables(run.problem.system), start, end, where[0, k], where[1, k], q, v)
    return min(0, project(run, t, 0.0, q, v)) if run.options.stabilize else 0


@kernel
def tried_by(p, run, seat, k, tried):
    """(whether the step of a seat came out on lanes, rank of its rows or a negative status); if not, it is tried alone."""
    seat.position, seat.velocity = run.correction.position, run.correction.velocity
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
