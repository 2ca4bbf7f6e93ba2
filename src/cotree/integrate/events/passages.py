"""Singular configurations as the time loop sees them: how near a step comes to one, and whether it passes one.

Of the last three states the ranks of the rows are kept, with the sizes of the least direction and of the next one.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.records import vector
from cotree.engine.vectors import copy, largest
from cotree.formulations.acceleration import narrowest
from cotree.judge import TOUCHING

LAND = 1e-3  # size of the least direction, relative to the widest it has been, below which no step shall end: what is known
CLOSER = 0.1  # of velocities there is the rounding error divided by it, unless the step comes from almost as close
BLUR, WIDE = 30.0, 0.1  # times the root of the gap of open loops, and what is never close
VANISHING, CLOSE, LEAVING = 1, 2, 4  # what a step has to do with singular configurations


@kernel
def nearness(run):
    """Least direction met since it was last set, relative to the widest it has been."""
    near = run.problem.near
    return near.narrowest / near.widest if near.widest > 0.0 else np.inf


@kernel
def direction(rank, most, least):
    """Size of the direction that decides whether the rank is the largest one."""
    return least[0] if rank >= most else least[1] if rank == most - 1 else 0.0


@kernel
def beside(run, size, rank, error):
    """Another step when this one would end next to a singular configuration: twice as long where the error allows it, else
    half, for the next one to leap over it; 0 when this one is fine."""
    if not run.options.watch or rank < 0:
        return 0.0
    counts, near = run.counts, run.problem.near
    here = direction(counts.rank_now, counts.rank_most, run.least[2])
    there = narrowest(rank, counts.rank_most, near)
    if there >= LAND * near.widest or there >= CLOSER * here:
        return 0.0
    return 2.0 * size if error * 2.0**run.options.order < 0.5 else 0.5 * size


@kernel
def note_rank(run, rank):
    """Ranks and least directions of the last three states."""
    counts, least, near = run.counts, run.least, run.problem.near
    counts.rank_older, counts.rank_old, counts.rank_now = counts.rank_old, counts.rank_now, rank
    if rank > counts.rank_most:
        near.widest = 0.0
    counts.rank_most, counts.rank_least = max(counts.rank_most, rank), min(counts.rank_least, rank)
    copy(least[1], least[0])
    copy(least[2], least[1])
    least[2, 0], least[2, 1] = near.smallest, near.dropped
    if rank >= counts.rank_most:
        near.widest = max(near.widest, near.smallest)
    if run.options.stabilize:
        near.certified = rank


@kernel
def narrowed(run):
    """What a step has to do with singular configurations: VANISHING, one within the last two steps; CLOSE, it ends next to
    one; LEAVING, it began next to one."""
    counts, least = run.counts, run.least
    close, most = max(TOUCHING, blurred(run)) * run.problem.near.widest, counts.rank_most
    found = VANISHING if is_narrow(run) else 0
    if direction(counts.rank_now, most, least[2]) < close:
        found += CLOSE
    elif direction(counts.rank_old, most, least[1]) < close:
        found += LEAVING
    return found


@kernel
def blurred(run):
    """Least direction that loops which are open may hide: branches that meet are about the root of the gap apart."""
    if run.options.stabilize:
        return 0.0
    gap = largest(vector(run.problem.arrays.g)) / run.problem.near.length
    return min(WIDE, BLUR * np.sqrt(gap))


@kernel
def is_narrow(run):
    """Whether a direction of the rows may have vanished in the last two steps: a sharp least in the middle of three."""
    clock, counts, least = run.clock, run.counts, run.least
    if counts.steps < 2:
        return False
    most = counts.rank_most
    a = direction(counts.rank_older, most, least[0])
    b = direction(counts.rank_old, most, least[1])
    c = direction(counts.rank_now, most, least[2])
    if not (b < a and b <= c):
        return False
    first, second = clock.t_old - clock.t_older, clock.t_now - clock.t_old
    slope = max((a - b) / first, (c - b) / second)
    return b <= 1.5 * slope * max(first, second)
