"""Derivatives of the forces of elements of registered kinds that say how their wrenches change (`ForceKind.slopes`).

The wrench W of a piece on link b (and -W on a) depends on the places and twists of the two links. With four matrices, by
displacements of a and of b at fixed twists, and by the twists, a coordinate c that moves b changes it by
    d_c W = W_b S_c + W_Vb d_c V_b,      dW/dv_c = W_Vb S_c.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.derivatives.between import PATH, add_change, add_change_by_velocity, find_path, make_path
from cotree.derivatives.motion import RATES, put_motion_rates, twist_change
from cotree.derivatives.rows import put_six
from cotree.dynamics.elements import put_efforts
from cotree.engine.kernel import kernel
from cotree.engine.spans import call_span
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.system.force_kinds import compile_slopes
from cotree.system.system import System
from cotree.system.views import open_tables

EACH = 36  # numbers of a matrix
OF_PIECE = 4 * EACH


@kernel
def times(slopes, at, S):
    """The matrix that begins at a place, times a twist."""
    y = (S[0][0], S[0][1], S[0][2], S[1][0], S[1][1], S[1][2])
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(6):
        a, b, c = a + slopes[at + k] * y[k], b + slopes[at + 6 + k] * y[k], c + slopes[at + 12 + k] * y[k]
        d, e, f = d + slopes[at + 18 + k] * y[k], e + slopes[at + 24 + k] * y[k], f + slopes[at + 30 + k] * y[k]
    return (a, b, c), (d, e, f)


@kernel
def put_slopes(tables, values, v, addresses, out):
    """Matrices of all pieces; links have moved. addresses: of the spans of the kinds, 0 where there is none."""
    others = tables.elements.others
    for k in range(others.kinds.size):
        if addresses[k] != 0:
            x = others.kinds[k]
            call_span(addresses[k], others.here, x.table, 0, 0, x.table.n, values, v, out)


@kernel
def _put_path_changes(tables, rates, p, slopes, at, path, n):
    for y in range(n):
        c, on_b = path.dof[y], path.sign[y] > 0.0
        S, link, side = twist(tables.dof_work[c].S), p.link_b if on_b else p.link_a, EACH if on_b else 0
        moving = at + 2 * EACH + side
        by_place, by_twist = times(slopes, at + side, S), times(slopes, moving, twist_change(tables, rates, c, link))
        put_six(path.by_q, y, 0, se3.plus(by_place, by_twist))
        put_six(path.by_v, y, 0, times(slopes, moving, S))


@kernel
def subtract_slopes(tables, pieces, rates, slopes, path, q, dq, dv):
    """Subtract the derivatives of the generalized forces of these pieces; efforts are up to date."""
    others = tables.elements.others
    for i in pieces:
        p = others.pieces[i]
        n = find_path(path, p.link_a, p.link_b, tables.links)
        _put_path_changes(tables, rates, p, slopes, OF_PIECE * i, path, n)
        add_change(tables, q, path, n, twist(others.efforts[i].W), -1.0, dq)
        add_change_by_velocity(tables, path, n, -1.0, dv)


@kernel
def _subtract_changes(here, values, q, v, addresses, pieces, dq, dv):
    tables, n = open_tables(here), v.size
    move_all(tables, q, v)
    put_efforts(tables.elements.others, values, q, v)
    rates, room = np.zeros((n, RATES)), np.empty(n * PATH)
    slopes, still = np.empty(tables.elements.others.pieces.size * OF_PIECE), np.zeros(n)
    put_motion_rates(tables, q, v, still, rates)
    put_slopes(tables, values, v, addresses, slopes)
    subtract_slopes(tables, pieces, rates, slopes, make_path(room, 0, n), q, dq, dv)


def told_pieces(system: System) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(addresses of the spans of the kinds, pieces whose wrenches they tell the changes of, all other pieces)."""
    return system.cached("told pieces", lambda: _told_pieces(system))


def _told_pieces(system: System) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    kinds = [kind for kind, _ in system.elements.kinds]
    addresses = np.array(compile_slopes(kinds), dtype=np.int64)
    ends = np.sort([int(x["piece"]) for _, table in system.elements.kinds for x in table])
    after = dict(zip(ends.tolist(), [*ends[1:].tolist(), len(system.elements.pieces)], strict=True))
    told = [
        k
        for kind, table in system.elements.kinds
        if kind.slopes is not None
        for x in table
        for k in range(int(x["piece"]), after[int(x["piece"])])
    ]
    rest = np.setdiff1d(np.arange(len(system.elements.pieces)), told)
    return addresses, np.array(told, dtype=np.int64), rest.astype(np.int64)


def subtract_changes(
    system: System, values: NDArray[np.float64], q: NDArray[np.float64], v: NDArray[np.float64],
    dq: NDArray[np.float64], dv: NDArray[np.float64],
) -> None:  # fmt: skip
    """Subtract the derivatives of the generalized forces of the elements that say how they change, in place."""
    addresses, told, _ = told_pieces(system)
    if len(told):
        _subtract_changes(system.here, values, q, v, addresses, told, dq, dv)
