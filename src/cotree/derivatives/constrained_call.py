"""Derivatives of forward dynamics with constraints in one fast call, where all rows and forces have closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.constraints.units import length_of
from cotree.derivatives.compiled import NOT_FINITE, UNKNOWN, all_at_once, room_at_once
from cotree.derivatives.constraints import jets_of
from cotree.derivatives.functions import differenced
from cotree.derivatives.inverse import complain
from cotree.derivatives.results import ForwardDerivatives, Multipliers
from cotree.derivatives.rows import block
from cotree.dynamics.charts import has_charts
from cotree.engine.fast_call import fast_arrays, matrix_in, vector_in
from cotree.engine.records import (
    address_of,
    arrays,
    at_t,
    integer_rows,
    integers,
    matrix,
    opener,
    put_array,
    record,
)
from cotree.formulations.careful import REGULAR
from cotree.system.arguments import require_finite
from cotree.system.fast_calls import call_bound
from cotree.system.system import System

Array = NDArray[np.float64]
KEPT = 1_000_000  # numbers that a binding keeps as room; larger systems make it anew in each call
case_t = np.dtype(
    [
        ("system", at_t),  # address of the tables
        ("rows", "i8"),
        ("loops", "i8"),
        ("known", "i8"),
        ("length", "f8"),
        ("arrays", arrays("motions", "owners", "addresses", "pivot")),
    ],
    align=True,
)
_case_at = opener(case_t)
RECORD = "derivatives with constraints"


@fast_arrays(ForwardDerivatives, Multipliers)
def _fast_constrained(here, values, q, v, w, places, room):
    """dq, dv, dtau, v_dot, and the derivatives of the multipliers."""
    case, n = _case_at(here), v.size
    a, m, W = case.arrays, case.rows, room
    motions, owners, addresses = matrix(a.motions), integer_rows(a.owners), integers(a.addresses)
    pivot = integers(a.pivot)
    rank, status = all_at_once(
        case.system, values, motions, q, v, w, case.loops, case.length, case.known, owners, addresses, W, pivot
    )
    if rank < 0:
        return rank
    if status != 0:
        return status
    X, lam = block(W, 0, n, 3 * n), block(W, 3 * n * n, m, 3 * n)
    for part in range(3):
        of_v_dot, of_lam = matrix_in(places, part), matrix_in(places, part + 4)
        for i in range(n):
            for k in range(n):
                of_v_dot[i, k] = X[i, part * n + k]
        for i in range(m):
            for k in range(n):
                of_lam[i, k] = lam[i, part * n + k]
    at, v_dot = 3 * n * (n + m) + 5 * m * n + 2 * n * n, vector_in(places, 3)
    for k in range(n):
        v_dot[k] = W[at + k]
    return 0


quick_constrained = _fast_constrained.quick


def call_constrained(system: System, q: Array, v: Array, tau: Array) -> ForwardDerivatives | None:
    """What the fast call gives; None where the careful way has to be taken: functions of time or of the state, coordinates
    that can be singular, rows of which it is not known whether they are regular, large systems."""
    n, m = system.nv, system.n_constraints
    size = room_at_once(n, m, len(system.links))
    owners, addresses = jets_of(system)
    plain = addresses is not None and not (differenced(system) or system.extra_rows.motions or has_charts(system))
    if not plain or size > KEPT:
        return None

    def case(here: int) -> tuple[int, Any]:
        made, kept = (
            record(case_t),
            (motion_values(system, 0.0, ACCELERATION), owners, addresses, np.zeros(m, np.int64)),
        )
        made.system, made.rows, made.loops = here, m, m - len(system.extra_rows.names)
        made.length = system.cached("length", lambda: length_of(system))
        for name, array in zip(("motions", "owners", "addresses", "pivot"), kept, strict=True):
            put_array(made.arrays[name], array)
        system.own.cache[RECORD] = made
        made.known = max(system.cache.get(REGULAR, ()), default=-1)
        return address_of(made), (made, kept)

    if RECORD in system.own.cache:
        system.own.cache[RECORD].known = max(system.cache.get(REGULAR, ()), default=-1)
    shapes = ((n, n), (n, n), (n, n), (n,), (m, n), (m, n), (m, n))
    found = call_bound(_fast_constrained, system, q, v, tau, quick=True, shapes=shapes, room=size, at=case)
    if type(found) is ForwardDerivatives:
        return found
    if found == UNKNOWN:
        return None
    require_finite(system, q=q, v=v, tau=tau)
    complain(system, NOT_FINITE if found < 0 else found, q=q, v=v)
    return None
