"""Steps shortened so that they end where a switching function of a law has just changed its sign."""

from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.integrate.jumps import flip, instant, margin_at_end, margin_now, mark_all, mark_passed
from cotree.integrate.loop import AT_END, AT_ONCE, NOWHERE, attempt
from cotree.integrate.records import run_t

ROOT_TRIES = 100


@entry(run_t)
def locate(run, size, q, v, w):
    """Look for the first change of sign in the step of this size that was tried, and try it with the size up to there. Leaves
    `where` and `size` in `run.jump`; returns the status of the step, or that of what failed. Signs that change at the beginning
    are given to the laws at once."""
    jump = run.jump
    jump.where = NOWHERE
    mark_all(run)
    failed, end = margin_at_end(run, size)
    if failed < 0 or end >= 0.0:
        return failed if failed < 0 else jump.status
    mark_passed(run)
    failed, begin = margin_now(run)
    if failed < 0:
        return failed
    if begin <= 0.0:
        jump.where = AT_ONCE
        return flip(run, True)
    return shortened(run, size, begin, end)


@kernel
def shortened(run, size, f_lo, f_hi):
    """Status of the step up to the root, by regula falsi after Illinois, from the values at both ends."""
    jump = run.jump
    t, lo, hi, tried, side, status = run.clock.t_now, 0.0, size, size, 0, jump.status
    close = instant(t)
    for _ in range(ROOT_TRIES):
        if hi - lo <= close:
            break
        x = lo + (hi - lo) * f_lo / (f_lo - f_hi)
        if not (lo < x < hi) or side > 3 or side < -3:
            x = 0.5 * (lo + hi)
        x = (t + min(max(x, lo + 0.4 * close), hi - 0.4 * close)) - t
        status, tried = again(run, x), x
        if status < 0:
            return status
        failed, f = margin_at_end(run, x)
        if failed < 0:
            return failed
        if f > 0.0:
            lo, f_lo, side = x, f, max(side, 0) + 1
            if side > 1:
                f_hi *= 0.5
        else:
            hi, f_hi, side = x, f, min(side, 0) - 1
            if side < -1:
                f_lo *= 0.5
    if tried != hi:
        status = again(run, hi)
    jump.where, jump.size = AT_END, hi
    return status


@kernel
def again(run, size):
    """Try the step with another size, with the corrections as they were."""
    run.correction.position, run.correction.velocity = run.jump.position, run.jump.velocity
    return attempt(run, size)
