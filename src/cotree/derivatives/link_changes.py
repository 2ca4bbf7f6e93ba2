"""How all links, and the wrenches of constraint rows on them, change along directions of the state and of parameters.

A direction displaces link i by the screw X_i and changes its twist and its acceleration. With steps x, y, z of the coordinates,
of v and of v_dot, and sums over the coordinates on the way to the link,
    X = sum S x,   D = [X, V] + alpha + Y,   A = [X, a] + [alpha, V] + gamma + [Y, V] + beta + Z,
    alpha = sum alpha_c x_c,   gamma = sum gamma_c x_c,   Y = sum S y,   beta = sum beta_c y_c,   Z = sum S z,
where alpha_c, beta_c and gamma_c are those of `motion`; parameters that move joints add to X, alpha and gamma (`fields`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.all_rows import put_wrenches
from cotree.derivatives.motion import ALPHA, BETA, GAMMA, RATES, put_motion_rates
from cotree.derivatives.parameters.directions import Directions
from cotree.derivatives.parameters.fields import add_twist
from cotree.derivatives.parameters.row_fields import ask
from cotree.derivatives.row_changes import A_STEP, B_STEP
from cotree.derivatives.rows import put_six, six
from cotree.derivatives.tree import accelerate_all
from cotree.engine.kernel import kernel
from cotree.engine.spans import call_span
from cotree.engine.vectors import copy, fill_rows
from cotree.lie import se3
from cotree.lie.storage import pose, put_twist, twist
from cotree.system.system import System
from cotree.system.views import open_rows, open_tables

Array = NDArray[np.float64]
# columns of the sums of a link: X, alpha, gamma as in `fields`, then Y, beta, Z
STEP, TURN, SECOND, PUSHED, LAG, DRIVEN, SUMS = 0, 6, 12, 18, 24, 30, 36


class LinkChanges(NamedTuple):
    """Of all links: displacement C (links, 12), twist V and acceleration A (links, 6) about the sweep's origin (3,), which
    counts as fixed; their changes X, DV, DA (directions, links, 6). Of all pieces of rows the wrenches (pieces, 12) on bodies a
    and b, and their changes (directions, pieces, 12)."""

    C: Array
    V: Array
    A: Array
    origin: Array
    X: Array
    DV: Array
    DA: Array
    W: Array
    DW: Array


@kernel
def _put_links(here, q, v, v_dot, steps, first, d, found):
    """All but the wrenches; steps (3, directions, nv); parameters are the directions from the first on."""
    C, V, A, origin, X, DV, DA, _, _ = found
    tables = open_tables(here)
    links, n = tables.links, v.size
    accelerate_all(tables, q, v, v_dot)
    rates, sums, ground = np.empty((n, RATES)), np.zeros((links.size, SUMS)), twist(tables.work[0].a)
    put_motion_rates(tables, q, v, v_dot, rates)
    for i in range(links.size):
        copy(tables.work[i].C, C[i])
        copy(tables.work[i].V, V[i])
        put_twist(A[i], se3.minus(twist(tables.work[i].a), ground))
    for c in range(3):
        origin[c] = tables.world[0].origin[c] - tables.work[0].C[9 + c]
    for k in range(X.shape[0]):
        for i in range(1, links.size):
            link = links[i]
            copy(sums[link.parent], sums[i])
            if k >= first and d.moves[k - first] != 0:
                add_twist(tables.work[link.parent], d.before[k - first, i], 1.0, sums, i)
                add_twist(tables.work[i], d.behind[k - first, i], -1.0, sums, i)
            for j in range(link.iv, link.iv + link.nv):
                _add(sums, i, STEP, steps[0, k, j], twist(tables.dof_work[j].S))
                _add(sums, i, TURN, steps[0, k, j], six(rates, j, ALPHA))
                _add(sums, i, SECOND, steps[0, k, j], six(rates, j, GAMMA))
                _add(sums, i, PUSHED, steps[1, k, j], twist(tables.dof_work[j].S))
                _add(sums, i, LAG, steps[1, k, j], six(rates, j, BETA))
                _add(sums, i, DRIVEN, steps[2, k, j], twist(tables.dof_work[j].S))
            _put_changes(tables.work[i], sums, i, X[k], DV[k], DA[k])


@kernel
def _add(sums, i, at, factor, X):
    if factor != 0.0:
        put_six(sums, i, at, se3.plus_times(factor, X, six(sums, i, at)))


@kernel
def _put_changes(w, sums, i, X, DV, DA):
    V, a, x, y = twist(w.V), twist(w.a), six(sums, i, STEP), six(sums, i, PUSHED)
    alpha = six(sums, i, TURN)
    put_six(X, i, 0, x)
    put_six(DV, i, 0, se3.plus(se3.plus(se3.bracket(x, V), alpha), y))
    change = se3.plus(se3.bracket(x, a), se3.bracket(se3.plus(alpha, y), V))
    more = se3.plus(six(sums, i, SECOND), se3.plus(six(sums, i, LAG), six(sums, i, DRIVEN)))
    put_six(DA, i, 0, se3.plus(change, more))


@kernel
def _put_rows(here, first, d, owners, addresses, found):
    """The wrenches of all pieces of rows and their changes; links are as `_put_links` leaves them."""
    _, _, _, _, X, DV, _, W, DW = found
    tables, rows = open_tables(here), open_rows(here)
    m, which, jets = np.zeros((12, 3)), np.zeros(1), np.empty((1, 24))
    put_wrenches(here)
    for i in range(rows.pieces.size):
        p, w = rows.pieces[i], rows.wrenches[i]
        if p.iv >= 0:
            continue
        put_six(W, i, 0, twist(w.Wa))
        put_six(W, i, 6, twist(w.Wb))
        x, on_a, on_b = rows.kinds[owners[i, 0]], tables.work[p.link_a], tables.work[p.link_b]
        which[0] = i
        for k in range(X.shape[0]):
            Sa, Sb = six(X[k], p.link_a, 0), six(X[k], p.link_b, 0)
            if k >= first:
                Sa = se3.plus(Sa, se3.Ad(pose(on_a.C), twist(d.tips[k - first, i, :6])))
                Sb = se3.plus(Sb, se3.Ad(pose(on_b.C), twist(d.tips[k - first, i, 6:])))
            ask(m, (twist(on_a.V), twist(on_b.V)), (Sa, Sb), (six(DV[k], p.link_a, 0), six(DV[k], p.link_b, 0)))
            fill_rows(jets, 0, 1, 0.0)
            call_span(addresses[owners[i, 0]], here, x.table, x.base, owners[i, 1], owners[i, 1] + 1, m, which, jets)
            put_six(DW[k], i, 0, six(jets, 0, A_STEP))
            put_six(DW[k], i, 6, six(jets, 0, B_STEP))


def link_changes(
    system: System, q: Array, v: Array, v_dot: Array, steps: Array, d: Directions, jets: tuple[Array, Array] | None
) -> LinkChanges:
    """Along directions with steps (3, directions, nv) of q, v and v_dot; the last of them are the parameters of d. jets: those
    of the rows (`jets_of`), None where their wrenches are not asked for."""
    links, pieces, count = len(system.links), len(system.tables["pieces"]), steps.shape[1]
    shapes = ((links, 12), (links, 6), (links, 6), (3,), *3 * ((count, links, 6),), (pieces, 12), (count, pieces, 12))
    found = LinkChanges(*(np.zeros(shape) for shape in shapes))
    first = count - len(d.moves)
    _put_links(system.here, q, v, v_dot, steps, first, d, found)
    if jets is not None:
        _put_rows(system.here, first, d, *jets, found)
    return found
