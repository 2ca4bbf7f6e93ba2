"""Derivatives of inverse dynamics of the tree, O(n depth): tau_j = S_j . P_j, P_j the wrench that all beyond j needs.

Of two coordinates the one farther out gives the sums, the other one only its screw and rates:
    c above j:  d_c tau_j = (J S_j) . gamma_c + (B^T S_j) . alpha_c,      c beyond j:  d_c tau_j = S_j . d_c P_c.
The coordinates above one are looked at together, with vector instructions.
"""

import numpy as np

from cotree.derivatives.composites import (
    NOUGHT,
    WRENCH,
    composite_inertia,
    gyroscopic_times,
    gyroscopic_transposed,
    loads_times,
    loads_transposed,
)
from cotree.derivatives.motion import ALPHA, BETA, GAMMA, own_screw_change
from cotree.derivatives.rows import block, fours, put_six, put_three, six, three
from cotree.dynamics import inertia
from cotree.engine.kernel import inlined, kernel
from cotree.kinematics.sweep import move_general, move_screw, place_general, place_screw, put_ground
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist, vec
from cotree.lie.vec3 import neg
from cotree.system.tables import SCREW


@kernel
def accelerate_all(tables, q, v, v_dot):
    """Displacements, screws, twists and accelerations (with ground accelerated against gravity) of all links."""
    put_ground(tables.world, tables.links, tables.dofs, tables.work, q)
    put_twist(tables.work[0].a, ((0.0, 0.0, 0.0), neg(vec(tables.world[0].gravity))))
    for i in range(1, tables.links.size):
        link, w = tables.links[i], tables.work[i]
        above = tables.work[link.parent]
        if link.kind == SCREW:
            x = tables.dof_work[link.iv]
            place_screw(tables.dofs[link.iv], above, w, x, q[link.iq])
            move_screw(above, w, x, v[link.iv])
            a = se3.plus_times(v_dot[link.iv], twist(x.S), twist(w.a))
        else:
            place_general(i, tables.links, tables.dofs, tables.work, tables.dof_work, q)
            move_general(i, tables.links, tables.dofs, tables.work, tables.dof_work, q, v)
            a = twist(w.a)
            for j in range(link.iv, link.iv + link.nv):
                a = se3.plus_times(v_dot[j], twist(tables.dof_work[j].S), a)
        put_twist(w.a, se3.plus(twist(above.a), a))


# `above` has one tile for TILE coordinates, and in it rows of TILE numbers: screws, angular part of alpha, beta, gamma
SCREWS, TURNS, BY_RATE, BY_STEP, ABOVE, TILE = 0, 6, 9, 15, 21, 64
TURN_Z, STEP_Y = (TURNS + 2) * TILE, (BY_STEP + 1) * TILE  # where two of these rows begin
# columns of `answers`, one row per coordinate: J S, B^T S, K^T S, d P / dq, d P / dv
MOMENTUM, TURNED, LAG, BY_Q, BY_V, ANSWERS = 0, 6, 9, 12, 18, 24
PAIRS = 5  # rows of TILE numbers: a tile's share of row and column of a coordinate


@kernel
def room_of_tree(n):
    """Numbers that `fill_tree` writes for n coordinates on its way."""
    return (n + TILE - 1) // TILE * ABOVE * TILE + n * ANSWERS + PAIRS * TILE


@kernel
def fill_tree(tables, q, rates, sums, room, dq, dv, da):
    """The three matrices (nv, nv), zero before, without elements other than loads; room: see `room_of_tree`.

    Of the coordinates above the link in hand there is a list, root first, with what the sums need of them beside it.
    """
    links, n = tables.links, dq.shape[0]
    end = (n + TILE - 1) // TILE * ABOVE * TILE
    above, answers = block(room, 0, end // (ABOVE * TILE), ABOVE * TILE), block(room, end, n, ANSWERS)
    pairs, own = room[end + n * ANSWERS :], np.zeros(n + links.size, np.int64)
    listed, ends = own[:n], own[n:]  # ends: how many coordinates there are up to a link, its own included
    for i in range(1, links.size):
        link = links[i]
        begin = ends[link.parent]
        ends[i] = begin + link.nv
        _list_above(tables, rates, link.parent, begin, ends[i - 1], listed, above)
        for j in range(link.iv, link.iv + link.nv):
            _put_answers(tables, rates, sums, i, j, answers)
            _fill_above(above, answers, j, listed, begin, pairs, dq, dv, da)
        _fill_own(tables, q, sums, i, answers, dq, dv, da)
        for k in range(link.nv):
            _put_above(tables, rates, above, listed, begin + k, link.iv + k)


@inlined
def _put_above(tables, rates, above, listed, at, c):
    """Coordinate c in a place of the list."""
    listed[at] = c
    tile, at = above[at // TILE], at % TILE
    for k in range(6):
        tile[(SCREWS + k) * TILE + at] = tables.dof_work[c].S[k]
        tile[(BY_RATE + k) * TILE + at] = rates[c, BETA + k]
        tile[(BY_STEP + k) * TILE + at] = rates[c, GAMMA + k]
    for k in range(3):
        tile[(TURNS + k) * TILE + at] = rates[c, ALPHA + k]


@kernel
def _list_above(tables, rates, link, end, valid, listed, above):
    """Let the list, of which the first `valid` places belong together, hold the coordinates of a link and of those above it;
    a link that it holds already ends the search, so that links that come depth first cost nothing."""
    links = tables.links
    while end > 0:
        last = links[link].iv + links[link].nv - 1
        if links[link].nv > 0 and end <= valid and listed[end - 1] == last:
            return
        for k in range(links[link].nv):
            end -= 1
            _put_above(tables, rates, above, listed, end, last - k)
        link = links[link].parent


@inlined
def _put_answers(tables, rates, sums, i, j, answers):
    """What all that link i carries answers to coordinate j."""
    S, J = twist(tables.dof_work[j].S), composite_inertia(sums, i)
    by_q = se3.plus(inertia.momentum(J, six(rates, j, GAMMA)), gyroscopic_times(sums, i, six(rates, j, ALPHA)))
    by_q = se3.plus(by_q, se3.cobracket(S, six(sums, i, WRENCH)))
    put_six(answers, j, MOMENTUM, inertia.momentum(J, S))
    put_three(answers, j, TURNED, gyroscopic_transposed(sums, i, S))
    put_three(answers, j, LAG, NOUGHT)
    if tables.elements.loads.size > 0:
        put_three(answers, j, LAG, loads_transposed(sums, i, S))
        by_q = se3.minus(by_q, loads_times(sums, i, S))
    put_six(answers, j, BY_Q, by_q)
    put_six(answers, j, BY_V, se3.plus(inertia.momentum(J, six(rates, j, BETA)), gyroscopic_times(sums, i, S)))


@inlined
def _fill_above(above, answers, j, listed, end, pairs, dq, dv, da):
    """Row and column j of the matrices at the coordinates listed, tile by tile."""
    for first in range(0, end, TILE):
        n = min(end - first, TILE)
        _pair(above[first // TILE], answers, j, fours(n), pairs)
        for k in range(n):
            c = listed[first + k]
            dq[c, j], dv[c, j], da[c, j] = pairs[k], pairs[TILE + k], pairs[TILE * 4 + k]
            dq[j, c], dv[j, c], da[j, c] = pairs[TILE * 2 + k], pairs[TILE * 3 + k], pairs[TILE * 4 + k]


@kernel
def _pair(x, answers, j, count, out):
    """Rows of TILE numbers: columns of dq and dv, rows of dq, dv and da, at so many coordinates. Sums over few numbers at fixed
    places in a tile: so the compiler finds vector instructions, and needs no checks for short rows. Numbers behind the last
    coordinate are computed with too, and not read."""
    (a, b, c), (d, e, f) = six(answers, j, MOMENTUM)
    l, m, n = three(answers, j, TURNED)
    o, p, r = three(answers, j, LAG)
    (A, B, C), (D, E, F) = six(answers, j, BY_Q)
    (G, H, I), (J, K, L) = six(answers, j, BY_V)
    for k in range(count):
        s, t, u = x[k], x[TILE + k], x[TILE * 2 + k]
        S, T, U = x[TILE * 3 + k], x[TILE * 4 + k], x[TILE * 5 + k]
        v = (a * x[TILE * 9 + k] + b * x[TILE * 10 + k] + c * x[TILE * 11 + k]) + (
            d * x[TILE * 12 + k] + e * x[TILE * 13 + k] + f * x[TILE * 14 + k]
        )
        w = (a * x[TILE * 15 + k] + b * x[STEP_Y + k] + c * x[TILE * 17 + k]) + (
            d * x[TILE * 18 + k] + e * x[TILE * 19 + k] + f * x[TILE * 20 + k]
        )
        out[k] = (A * s + B * t + C * u) + (D * S + E * T + F * U)
        out[TILE + k] = (G * s + H * t + I * u) + (J * S + K * T + L * U)
        out[TILE * 2 + k] = w + (
            (l * x[TILE * 6 + k] + m * x[TILE * 7 + k] + n * x[TURN_Z + k]) - (o * s + p * t + r * u)
        )
        out[TILE * 3 + k] = v + (l * s + m * t + n * u)
        out[TILE * 4 + k] = (a * s + b * t + c * u) + (d * S + e * T + f * U)


@kernel
def _fill_own(tables, q, sums, i, answers, dq, dv, da):
    """Entries of a joint's own coordinates, whose screws may change along each other."""
    P, link = six(sums, i, WRENCH), tables.links[i]
    for j in range(link.iv, link.iv + link.nv):
        S = twist(tables.dof_work[j].S)
        for c in range(link.iv, link.iv + link.nv):
            dq[j, c], dv[j, c] = se3.pair(S, six(answers, c, BY_Q)), se3.pair(S, six(answers, c, BY_V))
            da[j, c] = se3.pair(S, six(answers, c, MOMENTUM))
            if link.kind != SCREW:
                dq[j, c] += se3.pair(own_screw_change(tables, q, j, c), P)
