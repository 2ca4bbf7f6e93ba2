"""The compiled time loop: steps of any method, stabilization, output, events; returned in chunks."""

import numpy as np

from cotree.engine.entry import call, integers_at, matrix_at, vector_at
from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy
from cotree.formulations import problem as P
from cotree.formulations.acceleration import accelerate, narrowest
from cotree.formulations.problem import ask, handle_of, numbers_of
from cotree.integrate import state as S
from cotree.integrate.dense import between, work_between
from cotree.integrate.looks import changed, dips, looks
from cotree.integrate.munthe_kaas import put_errors, put_group_twist
from cotree.integrate.stabilize import NO_PARTITION, NOT_CLOSED, largest, project
from cotree.integrate.state import clock_of, counts_of, memory_of, options_of, slopes_of, state_of
from cotree.integrate.watches import ran_out
from cotree.kinematics.motion import group_element
from cotree.system.finite import all_finite
from cotree.system.handle import open_handle
from cotree.system.tables import GROUP

# How a chunk ends; a coordinate without inertia is -(1 + coordinate)
(
    DONE, CHUNK, STEP_TOO_SMALL, NOT_FINITE, OPEN_LOOPS, BAD_PARTITION, USER_ERROR, EVENT, NARROW, FULL, NOT_SOLVED,
) = range(11)  # fmt: skip
NO_SOLUTION = -(1 << 43)  # status of a step whose implicit equations did not converge
SMALLEST_STEP = 1e-13  # relative to the time
NEAR = 0.1  # size of the least direction, relative to the widest it has been, below which stages are projected
LAND = 1e-3  # and below which no step shall end: what is known of velocities there is the rounding error divided by it,
CLOSER = 0.1  # unless it comes from almost as close
TOUCHING = 1e-5  # where branches are hard to tell apart by the closed loops alone
BLUR, WIDE = 30.0, 0.1  # times the root of the gap of open loops, and what is never close
VANISHING, CLOSE, LEAVING = 1, 2, 4
NOISE = 1e-15
LOOSE = 1e-8  # what the projection takes away from a step next to a singular configuration may be as great as this
CAUTION = 3.0  # errors add up over a run: those of a step are held to a third of the tolerance
WAIT, GAIN = 12, 2.0  # implicit methods change their step by this at most, when it pays and not before so many steps


@kernel
def scaled_error(p, t):
    """Size of the errors against atol + rtol |value|, see `sizes`."""
    rtol, atol = options_of(p)[S.RTOL] / CAUTION, options_of(p)[S.ATOL] / CAUTION
    h = t - clock_of(p)[S.T_NOW]
    _, v, v_dot = state_of(p, S.TRIAL)
    atol += NOISE * (largest(v) + h * largest(v_dot))  # what rounding leaves of a sum is no error
    if p[P.ROWS] > 0:  # nor is what cannot be known next to a singular configuration
        noise = NOISE * numbers_of(p)[P.SPREAD]
        atol += max(1.0, largest(v)) * min(1e-7, noise / max(nearness(p), 1e-300))
    if numbers_of(p)[P.CAREFUL] == 0.0:
        return estimate(p, rtol, atol)
    whole = estimate(p, max(LOOSE, rtol), max(LOOSE, atol))
    if not whole <= 1.0 or call(p[S.TANGENT], p.ctypes.data, t, 0, 0, 0) < 0:
        return max(whole, 2.0)
    return max(whole, estimate(p, rtol, atol))


@kernel
def estimate(p, rtol, atol):
    err, (x, y) = matrix_at(p[S.ERR], 4, p[P.NV]), sizes(p)
    first = root_mean_square(err[0], err[1], x, y, rtol, atol)
    return combined(first, root_mean_square(err[2], err[3], x, y, rtol, atol))


@kernel
def root_mean_square(err_q, err_v, x, y, rtol, atol):
    s = 0.0
    for j in range(x.size):
        of_q, of_v = err_q[j] / (atol + rtol * x[j]), err_v[j] / (atol + rtol * y[j])
        s += of_q * of_q + of_v * of_v
    return np.sqrt(s / max(2.0 * x.size, 1.0))


@kernel
def sizes(p):
    """(of displacements, of velocities) that errors of a step are relative to: the greater of both ends.

    Displacements are from the reference assembly, and one metre or radian at most: an error in a pose does not become
    smaller with each turn.
    """
    _, links, dofs, _, _, _, _ = open_handle(handle_of(p))
    q0, v0, _ = state_of(p, S.NOW)
    q1, v1, _ = state_of(p, S.TRIAL)
    x, y = np.zeros(v0.size), np.empty(v0.size)
    for j in range(v0.size):
        y[j] = max(abs(v0[j]), abs(v1[j]))
        if dofs[j].iq >= 0:
            x[j] = min(1.0, max(abs(q0[dofs[j].iq]), abs(q1[dofs[j].iq])))
    for k in range(links.size):
        if links[k].kind == GROUP:
            (a, d), (b, e) = displaced(links[k], q0), displaced(links[k], q1)
            a, d = min(1.0, max(a, b)), min(1.0, max(d, e))
            put_group_twist(links[k], ((a, a, a), (d, d, d)), x)
    return x, y


@kernel
def displaced(link, q):
    """(angle, distance) of a coordinate-free joint from its reference; the angle is right for small ones, and not above two."""
    i, (_, r) = link.iq, group_element(link, q)
    angle = abs(q[i]) if link.rotations == 1 else 0.0
    if link.rotations == 3:
        angle = 2.0 * np.sqrt(q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3])
    return angle, np.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])


@kernel
def nearness(p):
    """Least direction met since it was last set, relative to the widest it has been."""
    numbers = numbers_of(p)
    return numbers[P.NARROWEST] / numbers[P.WIDEST] if numbers[P.WIDEST] > 0.0 else np.inf


@kernel
def work_error(p, h):
    """Size of the errors of the work supplied and dissipated, in joules: where all is driven nothing else limits the step."""
    options, work, s = options_of(p), matrix_at(p[S.WORK], 4, 2), p[S.STAGES]
    _, _, _, kw = slopes_of(p)
    weights, power, worst = matrix_at(p[S.ERROR], 2, s + 1), vector_at(p[P.POWER], 2), 0.0
    for i in range(2):
        first, second = weights[0, s] * power[i], weights[1, s] * power[i]
        greatest = abs(power[i])
        for j in range(s):
            greatest = max(greatest, abs(kw[j, i]))
            first += weights[0, j] * kw[j, i]
            second += weights[1, j] * kw[j, i]
        size = options[S.ATOL] + options[S.RTOL] * max(abs(work[2, i]), h * greatest)
        worst = max(worst, combined(abs(h * first) / size, abs(h * second) / size))
    return worst


@kernel
def combined(first, second):
    """Error from two estimates of different order, if there are two (Hairer, Nørsett, Wanner)."""
    return first * first / np.sqrt(first * first + 0.01 * second * second) if second > 0.0 else first


@kernel
def attempt(p, size):
    """One step into TRIAL; with stages on the constraints where it comes close to a singular configuration."""
    numbers = numbers_of(p)
    options = options_of(p)
    watched = p[P.ROWS] > 0 and options[S.STABILIZE] != 0.0 and options[S.IMPLICIT] == 0.0
    numbers[P.NARROWEST] = matrix_at(p[S.LEAST], 3, 2)[2, 0]
    numbers[P.CAREFUL] = np.float64(watched and nearness(p) < NEAR)
    correction = vector_at(p[S.CORRECTION], 2)
    corrected = np.empty(2)
    copy(correction, corrected)
    status = try_step(p, size)
    if watched and numbers[P.CAREFUL] == 0.0 and nearness(p) < NEAR:
        numbers[P.CAREFUL] = 1.0
        copy(corrected, correction)
        status = try_step(p, size)
    return status


@kernel
def try_step(p, size):
    """One step into TRIAL, back to the constraints, acceleration there; returns the rank or a negative status."""
    clock = clock_of(p)
    status = call(p[P.STEP], p.ctypes.data, size, 0, 0, 0)
    if status < 0:
        return status
    q, v, v_dot = state_of(p, S.TRIAL)
    if not (all_finite(q) and all_finite(v)):
        return status
    t = clock[S.T_NOW] + size
    if options_of(p)[S.STABILIZE] != 0.0:
        status = project(p, t, size, q, v)
        if status < 0:
            return status
    rank = status
    if options_of(p)[S.IMPLICIT] != 0.0:
        hold_still(p, q, v)
    status = accelerate(p, t, q, v, v_dot)
    if p[S.N_WATCHES] > 0:
        call(p[S.LOOK], p.ctypes.data, t, q.ctypes.data, v.ctypes.data, v_dot.ctypes.data)
    counts_of(p)[S.EVALUATIONS] += 1 if options_of(p)[S.IMPLICIT] != 0.0 else p[S.STAGES]
    if options_of(p)[S.STABILIZE] == 0.0 or status < 0:
        return status
    return rank


@kernel
def hold_still(p, q, v):
    """Coordinates that locks hold as they are at the start of the step; explicit methods leave them there by themselves."""
    _, links, dofs, _, _, _, _ = open_handle(handle_of(p))
    held, before = integers_at(p[P.HELD], p[P.N_HELD]), state_of(p, S.NOW)[0]
    for i in range(held.size):
        j = held[i]
        v[j] = 0.0
        k = dofs[j].link
        first, end = dofs[j].iq, dofs[j].iq + 1
        if first < 0:  # a quaternion and what goes with it: such a joint is held as a whole
            first, end = links[k].iq, links[k + 1].iq if k + 1 < links.size else q.size
        q[first:end] = before[first:end]


@kernel
def beside(p, size, rank, error):
    """Another step when this one would end next to a singular configuration: twice as long where the error allows it, else
    half, for the next one to leap over it; 0 when this one is fine."""
    if p[P.ROWS] == 0 or options_of(p)[S.STABILIZE] == 0.0 or rank < 0:
        return 0.0
    counts, numbers = counts_of(p), numbers_of(p)
    here = direction(counts[S.RANK_NOW], counts[S.RANK_MOST], matrix_at(p[S.LEAST], 3, 2)[2])
    there = narrowest(rank, counts[S.RANK_MOST], numbers)
    if there >= LAND * numbers[P.WIDEST] or there >= CLOSER * here:
        return 0.0
    return 2.0 * size if error * 2.0 ** options_of(p)[S.ORDER] < 0.5 else 0.5 * size


@kernel
def outcome(status):
    """How the loop ends for a negative status."""
    if status == P.USER_FAILED:
        return USER_ERROR
    if status == NOT_CLOSED:
        return OPEN_LOOPS
    if status == NO_PARTITION:
        return BAD_PARTITION
    if status == NO_SOLUTION:
        return NOT_SOLVED
    return status


@kernel
def advance(p, times, out_t, out_q, out_v, out_work, most):
    """Advance through `times`, filling rows; each step is a row when `times` is empty. Returns how it ended."""
    clock, options, counts = clock_of(p), options_of(p), counts_of(p)
    adaptive, implicit = options[S.ADAPTIVE] != 0.0, options[S.IMPLICIT] != 0.0
    moved = 0
    correction, corrected = vector_at(p[S.CORRECTION], 2), np.zeros(2)
    for _ in range(most):
        t, h = clock[S.T_NOW], min(clock[S.H_NEXT], options[S.H_MAX])
        if adaptive:
            h = min(h, turn_limit(p))
        row = int(clock[S.ROW])
        arrive = options[S.ARRIVE] != 0.0 and row < times.size
        target = min(times[row], options[S.T_END]) if arrive else options[S.T_END]
        left = target - t
        if not arrive and left <= SMALLEST_STEP * max(1.0, abs(t)):
            return DONE
        arrives = left - h <= max(1e-9 * left, SMALLEST_STEP * max(1.0, abs(t)))  # nothing is left that is no step
        size = left if arrives else (h if h < 0.5 * left else 0.5 * left) if adaptive else h
        if not arrives:
            size = (t + size) - t  # as long as the clock can tell
        if not size > 0.0:
            return STEP_TOO_SMALL
        copy(correction, corrected)
        status = attempt(p, size)  # leaves CAREFUL for the errors
        q, v, v_dot = state_of(p, S.TRIAL)
        finite = status >= 0 and all_finite(q) and all_finite(v) and all_finite(v_dot)
        if adaptive:
            e = 1e9
            if finite:
                if not implicit:
                    put_errors(p, size)
                e = scaled_error(p, t + size)
                if not implicit:
                    e = max(e, work_error(p, size))
            least = 0.7 if nearness(p) < LAND else 0.2  # other stages, not steps that come closer and closer
            factor = min(5.0, max(least, 0.9 * max(e, 1e-10) ** (-1.0 / options[S.ORDER]))) if e == e else 0.2
            if implicit:
                factor = 0.5 if status == NO_SOLUTION else factor
                factor = seldom(p, factor, e <= 1.0)
            if not e <= 1.0:
                counts[S.REJECTED] += 1
                copy(corrected, correction)
                clock[S.H_NEXT] = size * factor
                if status == P.USER_FAILED:
                    return USER_ERROR
                if clock[S.H_NEXT] < SMALLEST_STEP * max(1.0, abs(t)):
                    return outcome(status) if status < 0 else STEP_TOO_SMALL if finite else NOT_FINITE
                continue
            elsewhere = beside(p, size, status, e)
            if elsewhere > 0.0 and moved < 4 and not implicit:
                copy(corrected, correction)
                clock[S.H_NEXT] = elsewhere
                moved += 1
                continue
            moved = 0
            shortened = size < h and (arrives or implicit)  # for the sake of the time to arrive at, not of errors
            clock[S.H_NEXT] = max(size * factor, h) if shortened else size * factor
        elif not finite:
            return outcome(status) if status < 0 else NOT_FINITE
        numbers_of(p)[P.CAREFUL] = 0.0
        commit(p, target if arrives else t + size, size, status)
        ended = write(p, times, out_t, out_q, out_v, out_work)
        if ended < 0:
            return outcome(ended)
        if p[S.N_WATCHES] > 0 and clock[S.ROW] > row:
            note_row(p, times)
        counts[S.NARROWED] = narrowed(p) if p[P.ROWS] > 0 else 0
        if p[P.N_EVENTS] > 0:
            met = has_event(p)
            if met != 0:
                return USER_ERROR if met < 0 else EVENT
        if counts[S.NARROWED] != 0:
            return NARROW
        if ended == FULL:
            return FULL
    return CHUNK


@kernel
def seldom(p, factor, good):
    """Factor for the next step of an implicit method: each change costs a matrix, and many stir up what is too fast for it."""
    counts = counts_of(p)
    counts[S.SINCE] += 1
    if good and (factor < 1.4 or counts[S.SINCE] < WAIT):
        return 1.0
    counts[S.SINCE] = 0
    return min(GAIN, factor)


@kernel
def turn_limit(p):
    """Longest step in which no rotation exceeds the option TURN; unlimited for open chains of plain coordinates."""
    _, links, dofs, _, _, _, _ = open_handle(handle_of(p))
    _, v, _ = state_of(p, S.NOW)
    fastest = 0.0
    for j in range(v.size):
        Y = dofs[j].Y
        if (p[P.ROWS] > 0 or links[dofs[j].link].kind == GROUP) and Y[0] * Y[0] + Y[1] * Y[1] + Y[2] * Y[2] > 0.0:
            fastest = max(fastest, abs(v[j]))
    return options_of(p)[S.TURN] / fastest if fastest > 0.0 else np.inf


@kernel
def commit(p, t, size, rank):
    """Make the state tried the present one, with its work, ranks and least directions."""
    clock, counts = clock_of(p), counts_of(p)
    n = p[P.NQ] + 2 * p[P.NV]
    older, old, now, trial = (
        vector_at(p[S.OLDER], n), vector_at(p[S.OLD], n), vector_at(p[S.NOW], n), vector_at(p[S.TRIAL], n),
    )  # fmt: skip
    copy(old, older)
    copy(now, old)
    copy(trial, now)
    clock[S.T_OLDER], clock[S.T_OLD], clock[S.T_NOW] = clock[S.T_OLD], clock[S.T_NOW], t
    book(p, size)
    memory = memory_of(p)
    for i in range(3):
        copy(memory[1][i], memory[0][i])
    if p[P.ROWS] > 0:
        note_rank(p, rank)
        changed = integers_at(p[S.PARTITION], p[P.NV])
        dependent, different = integers_at(p[P.DEPENDENT], p[P.NV]), False
        for j in range(p[P.NV]):
            different = different or changed[j] != dependent[j]
            changed[j] = dependent[j]
        if different and counts[S.STEPS] > 0:
            counts[S.PARTITIONS] += 1
    counts[S.STEPS] += 1


@kernel
def book(p, h):
    """Work supplied and dissipated during the step, by the weights of the method."""
    work = matrix_at(p[S.WORK], 4, 2)
    _, _, _, kw = slopes_of(p)
    b, power = vector_at(p[S.B], p[S.STAGES]), vector_at(p[P.POWER], 2)
    copy(work[2], work[0])
    copy(work[3], work[1])
    copy(power, kw[b.size])
    for i in range(2):
        s = 0.0
        for j in range(b.size):
            s += b[j] * kw[j, i]
        work[2, i] += h * s
    copy(power, work[3])


@kernel
def note_rank(p, rank):
    """Ranks and least directions of the last three states."""
    counts, least = counts_of(p), matrix_at(p[S.LEAST], 3, 2)
    numbers = numbers_of(p)
    counts[S.RANK_OLDER], counts[S.RANK_OLD], counts[S.RANK_NOW] = counts[S.RANK_OLD], counts[S.RANK_NOW], rank
    if rank > counts[S.RANK_MOST]:
        numbers[P.WIDEST] = 0.0
    counts[S.RANK_MOST], counts[S.RANK_LEAST] = max(counts[S.RANK_MOST], rank), min(counts[S.RANK_LEAST], rank)
    copy(least[1], least[0])
    copy(least[2], least[1])
    least[2, 0], least[2, 1] = numbers[P.SMALLEST], numbers[P.DROPPED]
    if rank >= counts[S.RANK_MOST]:
        numbers[P.WIDEST] = max(numbers[P.WIDEST], numbers[P.SMALLEST])
    if options_of(p)[S.STABILIZE] != 0.0:
        numbers[P.CERTIFIED] = rank


@kernel
def direction(rank, most, least):
    """Size of the direction that decides whether the rank is the greatest one."""
    return least[0] if rank >= most else least[1] if rank == most - 1 else 0.0


@kernel
def narrowed(p):
    """What a step has to do with singular configurations: VANISHING, one within the last two steps; CLOSE, it ends next to
    one; LEAVING, it began next to one."""
    counts, least = counts_of(p), matrix_at(p[S.LEAST], 3, 2)
    close, most = max(TOUCHING, blurred(p)) * numbers_of(p)[P.WIDEST], counts[S.RANK_MOST]
    found = VANISHING if is_narrow(p) else 0
    if direction(counts[S.RANK_NOW], most, least[2]) < close:
        found += CLOSE
    elif direction(counts[S.RANK_OLD], most, least[1]) < close:
        found += LEAVING
    return found


@kernel
def blurred(p):
    """Least direction that loops which are open may hide: branches that meet are about the root of the gap apart."""
    if options_of(p)[S.STABILIZE] != 0.0 or p[P.RESIDUAL] == 0:
        return 0.0
    gap = largest(vector_at(p[P.RESIDUAL], p[P.ROWS])) / numbers_of(p)[P.LENGTH]
    return min(WIDE, BLUR * np.sqrt(gap))


@kernel
def is_narrow(p):
    """Whether a direction of the rows may have vanished in the last two steps: a sharp least in the middle of three."""
    clock, counts, least = clock_of(p), counts_of(p), matrix_at(p[S.LEAST], 3, 2)
    if counts[S.STEPS] < 2:
        return False
    most = counts[S.RANK_MOST]
    a = direction(counts[S.RANK_OLDER], most, least[0])
    b = direction(counts[S.RANK_OLD], most, least[1])
    c = direction(counts[S.RANK_NOW], most, least[2])
    if not (b < a and b <= c):
        return False
    first, second = clock[S.T_OLD] - clock[S.T_OLDER], clock[S.T_NOW] - clock[S.T_OLD]
    slope = max((a - b) / first, (c - b) / second)
    return b <= 1.5 * slope * max(first, second)


@kernel
def has_event(p):
    """1 when an event function may have changed its sign in the last step or a watch has run out, negative when a function
    failed; else values become those before."""
    values, n = matrix_at(p[P.EVENTS], 4, p[P.N_EVENTS]), p[P.N_EVENTS] - p[S.N_WATCHES]
    met = sampled(p, n) if n > 0 else 0
    if met != 0:
        return met
    clock = clock_of(p)
    h = clock[S.T_NOW] - clock[S.T_OLD]
    for k in range(n, p[P.N_EVENTS]):
        if ran_out(values[0, k], values[1, k], h * values[2, k], h * values[3, k]):
            return 1
    copy(values[1], values[0])
    copy(values[3], values[2])
    return 0


@kernel
def sampled(p, n):
    """The same for the n event functions, looked at several times within the step; values end as those at its end."""
    values, clock = matrix_at(p[P.EVENTS], 4, p[P.N_EVENTS]), clock_of(p)
    begin, end = clock[S.T_OLD], clock[S.T_NOW]
    q, v = np.empty(p[P.NQ]), np.empty(p[P.NV])
    older, old = np.zeros(n), values[0, :n].copy()
    met, m = 0, looks(end - begin, options_of(p)[S.SPACING])
    for i in range(1, m + 1):
        if i < m:
            between(p, S.OLD, S.NOW, end - begin, i / m, q, v)
            status = ask(p, P.ASK_EVENTS, begin + (end - begin) * i / m, q, v)
        else:
            status = ask(p, P.ASK_EVENTS, end, state_of(p, S.NOW)[0], state_of(p, S.NOW)[1])
        if status < 0:
            return status
        for k in range(n):
            if changed(old[k], values[1, k]) or (i > 1 and dips(older[k], old[k], values[1, k])):
                met = 1
        copy(old, older)
        copy(values[1, :n], old)
    return met


@kernel
def note_row(p, times):
    """Keep what the watches show about the last row: turns across cut joints are counted on from there."""
    values, clock = matrix_at(p[P.EVENTS], 5, p[P.N_EVENTS]), clock_of(p)
    back = clock[S.T_NOW] - times[int(clock[S.ROW]) - 1] if times.size > 0 else 0.0
    for k in range(p[P.N_EVENTS]):
        values[4, k] = values[1, k] - back * values[3, k]


@kernel
def put_row(q, v, work, out_q, out_v, out_work):
    copy(q, out_q)
    copy(v, out_v)
    copy(work, out_work)


@kernel
def write(p, times, out_t, out_q, out_v, out_work):
    """Rows of the output that the last step has reached; 0, FULL, or a negative status."""
    clock, options = clock_of(p), options_of(p)
    q, v, _ = state_of(p, S.NOW)
    work = matrix_at(p[S.WORK], 4, 2)
    row, t = int(clock[S.ROW]), clock[S.T_NOW]
    if times.size == 0:
        out_t[row] = t
        put_row(q, v, work[2], out_q[row], out_v[row], out_work[row])
        clock[S.ROW] = row + 1
        return FULL if row + 1 >= out_q.shape[0] else 0
    h = t - clock[S.T_OLD]
    while row < times.size and times[row] <= t + 1e-12 * h:
        out_t[row] = times[row]
        if times[row] >= t - 1e-12 * h:
            put_row(q, v, work[2], out_q[row], out_v[row], out_work[row])
        else:
            theta = (times[row] - clock[S.T_OLD]) / h
            between(p, S.OLD, S.NOW, h, theta, out_q[row], out_v[row])
            work_between(p, h, theta, out_work[row])
            if options[S.STABILIZE] != 0.0:
                status = project(p, times[row], 0.0, out_q[row], out_v[row])
                if status < 0:
                    return status
        row += 1
        clock[S.ROW] = row
    return 0
