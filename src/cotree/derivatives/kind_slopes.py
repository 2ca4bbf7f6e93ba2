"""Derivatives of the forces of elements of registered kinds by differences of eighth order, all columns in one compiled call.

The step of each column is found as in `constraints.finite_differences`, whose numbers are taken: steps about the usual one
first, if the smallest ones agree with them, otherwise all. Here the function is compiled too, and so is the search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cotree.constraints.finite_differences import (
    EIGHTH,
    EPS,
    FEW,
    FOURTH,
    GROWTH,
    LEVELS,
    SIXTH,
    SMALLEST,
    SURE,
    USUAL,
    WORSE,
)
from cotree.dynamics.elements import put_efforts
from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy, fill
from cotree.kinematics.configuration import move
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.system.views import open_tables

OF_EIGHTH, OF_SIXTH, OF_FOURTH = EIGHTH[1], SIXTH[1], FOURTH[1]
EACH = 3  # multiples of the step of a level that no other level has: four times a step is the next one
PLACES = EACH * LEVELS + 1


class Around(NamedTuple):
    """A state, the column along which it is left, room for a state nearby, and the forces there, each found once.

    along: 0 for displacements, 1 for velocities. ahead, behind (PLACES, nv): forces on both sides; known: where they are.
    pieces: of the elements that count.
    """

    values: Any
    q: Any
    v: Any
    along: Any
    column: Any
    step: Any
    x: Any
    u: Any
    middle: Any
    ahead: Any
    behind: Any
    known: Any
    pieces: Any


@kernel
def add_path(links, dof_work, link, factor, W, out):
    """The powers of a wrench on a link on the unit motions of the joints that carry it."""
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            out[j] += factor * se3.pair(twist(dof_work[j].S), W)
        link = links[link].parent


@kernel
def put_kind_forces(tables, values, q, v, pieces, out):
    """Generalized forces of these pieces of elements of registered kinds."""
    move_all(tables, q, v)
    fill(out, 0.0)
    others = tables.elements.others
    put_efforts(others, values, q, v)
    for i in pieces:
        W = twist(others.efforts[i].W)
        add_path(tables.links, tables.dof_work, others.pieces[i].link_b, 1.0, W, out)
        add_path(tables.links, tables.dof_work, others.pieces[i].link_a, -1.0, W, out)


@kernel
def _put_nearby(tables, a, s, out):
    """Forces at the distance s; numbers that an element does not give count as zero, as they do for functions."""
    if a.along == 0:
        a.step[a.column] = s
        move(tables.links, tables.dofs, a.q, a.step, a.x)
        a.step[a.column] = 0.0
        put_kind_forces(tables, a.values, a.x, a.v, a.pieces, out)
    else:
        copy(a.v, a.u)
        a.u[a.column] += s
        put_kind_forces(tables, a.values, a.q, a.u, a.pieces, out)
    for i in range(out.size):
        if not np.isfinite(out[i]):
            out[i] = 0.0


@kernel
def _know(tables, a, level, count):
    """Have the forces at the first multiples of the step of a level."""
    for k in range(count):
        place = EACH * level + k
        if a.known[place] == 0:
            s = (k + 1.0) * GROWTH**level * SMALLEST
            _put_nearby(tables, a, s, a.ahead[place])
            _put_nearby(tables, a, -s, a.behind[place])
            a.known[place] = 1


@kernel
def _rounding(a, place, h):
    """What a difference over h loses, with forces as large as those at a place."""
    size = 0.0
    for i in range(a.middle.size):
        size = max(size, abs(a.middle[i]), abs(a.ahead[place, i]), abs(a.behind[place, i]))
    return EPS * size / h


@kernel
def _estimate(tables, a, level, out):
    """out := derivative by the steps of a level; returns its error and what is lost by rounding."""
    _know(tables, a, level, 4)
    h, first, off = GROWTH**level * SMALLEST, EACH * level, 0.0
    for i in range(out.size):
        value = lower = 0.0
        for k in range(4):
            difference = (a.ahead[first + k, i] - a.behind[first + k, i]) / h
            value += OF_EIGHTH[k] * difference
            if k < 3:
                lower += OF_SIXTH[k] * difference
        out[i], off = value, max(off, abs(value - lower))
    lost = _rounding(a, first + 3, h)
    return off + lost, lost


@kernel
def _climb(tables, a, first, trial, best):
    """The best of larger and larger steps, until what is cut off outgrows rounding; returns its error."""
    error, _ = _estimate(tables, a, first, best)
    for level in range(first + 1, LEVELS):
        found, _ = _estimate(tables, a, level, trial)
        if found < error:
            error = found
            copy(trial, best)
        if found > WORSE * error:
            break
    return error


@kernel
def _about_the_usual(tables, a, trial, best):
    """Larger steps while they help; smaller ones while they help where more than rounding is lost by the usual one."""
    error = _climb(tables, a, USUAL, trial, best)
    last, lost = _estimate(tables, a, USUAL, trial)
    for down in range(USUAL):
        if last < FEW * lost or last > FEW * error:
            break
        last, lost = _estimate(tables, a, USUAL - 1 - down, trial)
        if last < error:
            error = last
            copy(trial, best)
    return error


@kernel
def _agrees(tables, a, error, found):
    """Whether the smallest steps give the same, as far as their rounding, or the difference of two orders, lets one see."""
    _know(tables, a, 0, 2)
    off = apart = 0.0
    for i in range(found.size):
        near, far = (a.ahead[0, i] - a.behind[0, i]) / SMALLEST, (a.ahead[1, i] - a.behind[1, i]) / SMALLEST
        value = OF_FOURTH[0] * near + OF_FOURTH[1] * far
        off, apart = max(off, abs(value - 0.5 * near)), max(apart, abs(value - found[i]))
    return apart <= max(SURE * _rounding(a, 1, SMALLEST), WORSE * off) + error


@kernel
def _subtract_column(tables, a, trial, best, out):
    for place in range(PLACES):
        a.known[place] = 0
    if not _agrees(tables, a, _about_the_usual(tables, a, trial, best), best):
        _climb(tables, a, 0, trial, best)
    for i in range(best.size):
        out[i, a.column] -= best[i]


@kernel
def subtract_kind_slopes(here, values, q, v, pieces, dq, dv):
    """Subtract the derivatives of the generalized forces of these pieces of elements from dq and dv."""
    tables, n = open_tables(here), v.size
    step, x, u, middle, trial, best = np.zeros(n), np.empty(q.size), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    ahead, behind, known = np.empty((PLACES, n)), np.empty((PLACES, n)), np.zeros(PLACES, np.int64)
    put_kind_forces(tables, values, q, v, pieces, middle)
    for c in range(n):
        by_q = Around(values, q, v, 0, c, step, x, u, middle, ahead, behind, known, pieces)
        _subtract_column(tables, by_q, trial, best, dq)
        by_v = Around(values, q, v, 1, c, step, x, u, middle, ahead, behind, known, pieces)
        _subtract_column(tables, by_v, trial, best, dv)
    move_all(tables, q, v)  # for those who read the tables behind this
