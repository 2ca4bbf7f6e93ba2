"""The least size of a direction of the rows within the last two steps, where it may have vanished.

A direction that vanishes changes its sign, so that its size has the shape |t - t0| times something smooth: a corner. The search
is one compiled call.
"""

from typing import Any, NamedTuple

import numpy as np

from cotree.engine.kernel import kernel
from cotree.formulations.acceleration import narrowest
from cotree.integrate.methods.dense_output import within
from cotree.integrate.records import run_at
from cotree.integrate.stabilization.projection import project

ROUNDS = 20
PATIENCE = 4  # rounds that may fail to halve the least before it counts as rounded, not as a corner


class Bracket(NamedTuple):
    """Three times, the middle one with the least value, and the values."""

    a: Any
    fa: Any
    m: Any
    fm: Any
    b: Any
    fb: Any


@kernel
def guesses(x):
    """Where the corner may lie, one time before the middle and one behind it.

    The straight line through a and m leads there when m lies before t0, the one through m and b when it lies behind; both are
    tried, which is the secant method on either side.
    """
    back, ahead = 0.5 * (x.a + x.m), 0.5 * (x.m + x.b)
    if x.fb > x.fm:
        back = max(back, x.m - (x.b - x.m) * x.fm / (x.fb - x.fm))
    if x.fa > x.fm:
        ahead = min(ahead, x.m + (x.m - x.a) * x.fm / (x.fa - x.fm))
    return back, ahead


@kernel
def closer(x, back, f_back, ahead, f_ahead):
    """The bracket about the least of what is known."""
    if f_back <= x.fm and f_back <= f_ahead:
        return Bracket(x.a, x.fa, back, f_back, x.m, x.fm)
    if x.fm <= f_ahead:
        return Bracket(back, f_back, x.m, x.fm, ahead, f_ahead)
    return Bracket(x.m, x.fm, ahead, f_ahead, x.b, x.fb)


@kernel
def is_found(x):
    """Whether there is nothing left to search."""
    return x.fm == 0.0 or x.b - x.a < 1e-12 * max(1.0, abs(x.m))


@kernel
def least_within(here, hidden, q, v):
    """(time, size) of the least direction within the last two steps of a run; q, v receive the state there.

    Each round at least halves the size at a corner. Where some do not, and the size is well above `hidden`, below which it
    counts as vanished, the least is a rounded one and is not searched further.
    """
    run = run_at(here)
    older, old, now, waited = run.clock.t_older, run.clock.t_old, run.clock.t_now, 0
    x = Bracket(
        older, size_at(run, older, q, v), old, size_at(run, old, q, v), now, size_at(run, now, q, v)
    )  # fmt: skip
    for _ in range(ROUNDS):
        if is_found(x) or waited == PATIENCE:
            break
        back, ahead = guesses(x)
        f_ahead, f_back = size_at(run, ahead, q, v), size_at(run, back, q, v)
        y = closer(x, back, f_back, ahead, f_ahead)
        waited = waited + 1 if y.fm > max(0.5 * x.fm, 2.0 * hidden) else 0
        x = y
    return x.m, size_at(run, x.m, q, v)


@kernel
def size_at(run, t, q, v):
    """Size of the least direction at a time within the last two steps; q, v receive the state."""
    clock, near = run.clock, run.problem.near
    before, after = clock.t_old - clock.t_older, clock.t_now - clock.t_old
    within(run, (t - clock.t_old) / (before if t < clock.t_old else after), q, v)
    near.dependent_rows = True  # by pivoting in any case, so that all sizes are of one kind
    rank = project(run, t, 0.0, q, v)
    return narrowest(rank, run.counts.rank_most, near) if rank >= 0 else np.inf
