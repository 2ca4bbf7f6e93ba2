"""Derivatives of inverse dynamics of the tree, O(n depth): tau_j = S_j . P_j, P_j the wrench that all beyond j needs.

Of two coordinates the one farther out gives the sums, the other one only its screw and rates:
    c above j:  d_c tau_j = (J S_j) . gamma_c + (B^T S_j) . alpha_c,      c beyond j:  d_c tau_j = S_j . d_c P_c.
The coordinates above one are looked at by runs of neighbours in v, with vector instructions.
"""

import numpy as np

from cotree.derivatives.composites import (
    WRENCH,
    composite_inertia,
    gyroscopic_times,
    gyroscopic_transposed,
    loads_times,
    loads_transposed,
)
from cotree.derivatives.motion import ALPHA, BETA, GAMMA, own_screw_change
from cotree.derivatives.rows import put_six, put_three, six, three
from cotree.dynamics import inertia
from cotree.engine.kernel import kernel
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


@kernel
def fill_tree(tables, q, rates, sums, dq, dv, da):
    """The three matrices (nv, nv), zero before, without elements other than loads."""
    links, n = tables.links, dq.shape[0]
    above, answers, pairs = np.empty(((n + TILE - 1) // TILE, ABOVE * TILE)), np.empty((n, ANSWERS)), np.empty((2, n))
    _put_above(tables, rates, above)
    start, top = np.empty(links.size, np.int64), np.empty(links.size, np.int64)
    _put_runs(links, start, top)
    for i in range(1, links.size):
        link = links[i]
        for j in range(link.iv, link.iv + link.nv):
            _put_answers(tables, rates, sums, i, j, answers)
            k = link.parent
            while k > 0:
                _fill_run(above, answers, j, start[k], links[k].iv + links[k].nv, pairs, dq, dv, da)
                k = links[top[k]].parent
        _fill_own(tables, q, sums, i, answers, dq, dv, da)


@kernel
def _put_above(tables, rates, above):
    for c in range(tables.dofs.size):
        tile, at = above[c // TILE], c % TILE
        for k in range(6):
            tile[(SCREWS + k) * TILE + at] = tables.dof_work[c].S[k]
            tile[(BY_RATE + k) * TILE + at] = rates[c, BETA + k]
            tile[(BY_STEP + k) * TILE + at] = rates[c, GAMMA + k]
        for k in range(3):
            tile[(TURNS + k) * TILE + at] = rates[c, ALPHA + k]


@kernel
def _put_runs(links, start, top):
    """Of each link the first coordinate of the run of neighbours that ends with its own, and the link where it begins."""
    for i in range(1, links.size):
        up = links[i].parent
        if up > 0 and links[up].iv + links[up].nv == links[i].iv:
            start[i], top[i] = start[up], top[up]
        else:
            start[i], top[i] = links[i].iv, i


@kernel
def _put_answers(tables, rates, sums, i, j, answers):
    """What all that link i carries answers to coordinate j."""
    S, J = twist(tables.dof_work[j].S), composite_inertia(sums, i)
    by_q = se3.plus(inertia.momentum(J, six(rates, j, GAMMA)), gyroscopic_times(sums, i, six(rates, j, ALPHA)))
    by_q = se3.plus(by_q, se3.minus(se3.cobracket(S, six(sums, i, WRENCH)), loads_times(sums, i, S)))
    put_six(answers, j, MOMENTUM, inertia.momentum(J, S))
    put_three(answers, j, TURNED, gyroscopic_transposed(sums, i, S))
    put_three(answers, j, LAG, loads_transposed(sums, i, S))
    put_six(answers, j, BY_Q, by_q)
    put_six(answers, j, BY_V, se3.plus(inertia.momentum(J, six(rates, j, BETA)), gyroscopic_times(sums, i, S)))


@kernel
def _fill_run(above, answers, j, first, last, pairs, dq, dv, da):
    """Row and column j of the matrices at the coordinates first to last - 1 above it, tile by tile."""
    while first < last:
        end = min(last, (first // TILE + 1) * TILE)
        tile = above[first // TILE, first % TILE :]
        by_q, by_v = pairs[0, first:end], pairs[1, first:end]
        _fill_row(tile, answers, j, dq[j, first:end], dv[j, first:end], da[j, first:end])
        _pair(tile, six(answers, j, BY_Q), six(answers, j, BY_V), by_q, by_v)
        for c in range(end - first):
            dq[first + c, j], dv[first + c, j], da[first + c, j] = by_q[c], by_v[c], da[j, first + c]
        first = end


@kernel
def _fill_row(x, answers, j, dq, dv, da):
    """Sums over few numbers at fixed places in a tile: so the compiler finds vector instructions."""
    (a, b, c), (d, e, f) = six(answers, j, MOMENTUM)
    l, m, n = three(answers, j, TURNED)
    o, p, r = three(answers, j, LAG)
    for k in range(dq.size):
        s, t, u = x[k], x[TILE + k], x[TILE * 2 + k]
        da[k] = (a * s + b * t + c * u) + (d * x[TILE * 3 + k] + e * x[TILE * 4 + k] + f * x[TILE * 5 + k])
        v = (a * x[TILE * 9 + k] + b * x[TILE * 10 + k] + c * x[TILE * 11 + k]) + (
            d * x[TILE * 12 + k] + e * x[TILE * 13 + k] + f * x[TILE * 14 + k]
        )
        w = (a * x[TILE * 15 + k] + b * x[STEP_Y + k] + c * x[TILE * 17 + k]) + (
            d * x[TILE * 18 + k] + e * x[TILE * 19 + k] + f * x[TILE * 20 + k]
        )
        dv[k] = v + (l * s + m * t + n * u)
        dq[k] = w + ((l * x[TILE * 6 + k] + m * x[TILE * 7 + k] + n * x[TURN_Z + k]) - (o * s + p * t + r * u))


@kernel
def _pair(x, P, Q, by_q, by_v):
    """Two wrenches on the screws of a tile."""
    (a, b, c), (d, e, f) = P
    (o, p, r), (s, t, u) = Q
    for k in range(by_q.size):
        w = (a * x[k] + b * x[TILE + k] + c * x[TILE * 2 + k]) + (
            d * x[TILE * 3 + k] + e * x[TILE * 4 + k] + f * x[TILE * 5 + k]
        )
        by_v[k] = (o * x[k] + p * x[TILE + k] + r * x[TILE * 2 + k]) + (
            s * x[TILE * 3 + k] + t * x[TILE * 4 + k] + u * x[TILE * 5 + k]
        )
        by_q[k] = w


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
