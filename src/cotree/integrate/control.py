"""How long a step may be: the size of its errors against the tolerances, and the size of the next one."""

import numpy as np

from cotree.engine.entry import NOTHING, call
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.engine.status import NO_SOLUTION
from cotree.engine.vectors import largest
from cotree.formulations.problem import power_of
from cotree.integrate.events.passages import LAND, nearness
from cotree.integrate.law_states import OF_WORK, trapezoid_error, work_of
from cotree.integrate.records import errors_of, now, slopes_of, trial
from cotree.judge import DIGITS
from cotree.kinematics.configuration import put_group_twist
from cotree.kinematics.motion import group_element
from cotree.system.tables import GROUP
from cotree.system.views import open_tables

LOOSE = 1e-8  # what the projection takes away from a step next to a singular configuration may be as great as this
CAUTION = 3.0  # errors add up over a run: those of a step are held to a third of the tolerance
FAILED = 1e9  # error of a step that did not end in a state
WAIT, GAIN = 12, 2.0  # where changes are costly steps change by this at most, when it pays and not before so many steps


@kernel
def judge(run, size, status, finite, known):
    """(error of the step tried, relative to what is allowed; factor by which the next one differs); known: the estimates are
    there already."""
    error = FAILED
    if finite:
        if run.entries.errors != 0 and not known:
            call(run.entries.errors, run.problem.here, size, NOTHING, NOTHING, NOTHING)
        error = scaled_error(run, run.clock.t_now + size)
        if run.options.weigh_work:
            error = max(error, work_error(run, size))
        else:
            error = max(error, CAUTION * trapezoid_error(run, size))
    least = 0.7 if nearness(run) < LAND else 0.2  # other stages, not steps that come closer and closer
    factor = 0.2
    if error == error:
        factor = min(5.0, max(least, 0.9 * max(error, 1e-10) ** (-1.0 / run.options.order)))
    if status == NO_SOLUTION:
        factor = 0.5
    return error, seldom(run, factor, error <= 1.0) if run.options.seldom else factor


@kernel
def seldom(run, factor, good):
    """The factor where each change costs a matrix, and many stir up what is too fast for the step."""
    counts = run.counts
    counts.since += 1
    if good and (factor < 1.4 or counts.since < WAIT):
        return 1.0
    counts.since = 0
    return min(GAIN, factor)


@kernel
def scaled_error(run, t):
    """Size of the errors against atol + rtol |value|, see `sizes`."""
    p, rtol, atol = run.problem, run.options.rtol / CAUTION, run.options.atol / CAUTION
    h, there = t - run.clock.t_now, trial(run)
    atol += DIGITS * (
        largest(there.v) + h * largest(there.v_dot)
    )  # the rounding error of a sum is not an error of the step
    if p.rows > 0:  # nor is what cannot be known next to a singular configuration
        atol += max(1.0, largest(there.v)) * min(1e-7, DIGITS * p.near.spread / max(nearness(run), 1e-300))
    if not p.near.careful:
        return estimate(run, rtol, atol, 0.0)
    whole = estimate(run, max(LOOSE, rtol), atol, LOOSE)
    if not whole <= 1.0 or call(run.entries.tangent, p.here, t, NOTHING, NOTHING, NOTHING) < 0:
        return max(whole, 2.0)
    return max(whole, estimate(run, rtol, atol, 0.0))


@kernel
def estimate(run, rtol, atol, least):
    """Size of the errors; least: of absolute tolerances, to which what coordinates have of their own is added."""
    err, (x, y) = errors_of(run), sizes(run)
    own = vector(run.arrays.tolerances)
    first = root_mean_square(err[0], err[1], x, y, rtol, atol, own, least)
    return combined(first, root_mean_square(err[2], err[3], x, y, rtol, atol, own, least))


@kernel
def root_mean_square(err_q, err_v, x, y, rtol, atol, own, least):
    s = 0.0
    for j in range(x.size):
        a = max(least, atol + own[j] / CAUTION)
        of_q, of_v = err_q[j] / (a + rtol * x[j]), err_v[j] / (a + rtol * y[j])
        s += of_q * of_q + of_v * of_v
    return np.sqrt(s / max(2.0 * x.size, 1.0))


@kernel
def combined(first, second):
    """Error from two estimates of different order, if there are two (Hairer, Nørsett, Wanner)."""
    return first * first / np.sqrt(first * first + 0.01 * second * second) if second > 0.0 else first


@kernel
def sizes(run):
    """(of displacements, of velocities) that errors of a step are relative to: the greater of both ends.

    Displacements are from the reference assembly, and one metre or radian at most: an error in a pose does not become
    smaller with each turn.
    """
    tables, here, there = open_tables(run.problem.system), now(run), trial(run)
    x, y = np.zeros(here.v.size), np.empty(here.v.size)
    for j in range(y.size):
        y[j] = max(abs(here.v[j]), abs(there.v[j]))
        i = tables.dofs[j].iq
        if i >= 0:
            x[j] = min(1.0, max(abs(here.q[i]), abs(there.q[i])))
    for k in range(tables.links.size):
        link = tables.links[k]
        if link.kind == GROUP:
            (a, d), (b, e) = displaced(link, here.q), displaced(link, there.q)
            a, d = min(1.0, max(a, b)), min(1.0, max(d, e))
            put_group_twist(link, ((a, a, a), (d, d, d)), x)
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
def work_error(run, h):
    """Size of the errors of the work supplied and dissipated, in joules: where all is driven nothing else limits the step;
    and of those of the states of laws, as those of velocities."""
    options, s, kw = run.options, run.stages, slopes_of(run).w
    weights, power, worst, work = matrix(run.arrays.error), power_of(run.problem), 0.0, work_of(run)
    for i in range(power.size):
        first, second = weights[0, s] * power[i], weights[1, s] * power[i]
        greatest = abs(power[i])
        for j in range(s):
            greatest = max(greatest, abs(kw[j, i]))
            first += weights[0, j] * kw[j, i]
            second += weights[1, j] * kw[j, i]
        size = options.atol + options.rtol * max(abs(work[2, i]), h * greatest)
        if i >= OF_WORK:
            size /= CAUTION
        worst = max(worst, combined(abs(h * first) / size, abs(h * second) / size))
    return worst


@kernel
def turn_limit(run):
    """Longest step in which no rotation exceeds the option `turn`; unlimited for open chains of plain coordinates."""
    tables, v, fastest = open_tables(run.problem.system), now(run).v, 0.0
    for j in range(v.size):
        Y, closed = tables.dofs[j].Y, run.problem.rows > 0
        turns = Y[0] * Y[0] + Y[1] * Y[1] + Y[2] * Y[2] > 0.0
        if turns and (closed or tables.links[tables.dofs[j].link].kind == GROUP):
            fastest = max(fastest, abs(v[j]))
    return run.options.turn / fastest if fastest > 0.0 else np.inf
