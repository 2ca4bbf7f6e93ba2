"""How far constraints are from holding at many states, as a run's certificate asks: the compiled functions of
`constraints.api` called one after the other, without looking at the arguments of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints import api
from cotree.constraints.time_functions import RATE, VALUE, motion_values
from cotree.system.system import System

Array = NDArray[np.float64]


def position_violations(system: System, q: Array, t: Array) -> Array:
    """(k,): largest entry of the residual at q (k, nq) and times t (k,), over all rows, also those that are not kept."""
    if _asks_functions(system):
        return _largest([api.constraint_residual(system, x, s, regularized=False) for x, s in zip(q, t, strict=True)])
    here, rows = api.with_rows(system, False)
    motions, g = motion_values(system, 0.0, VALUE), np.zeros((len(q), rows))
    for x, own in zip(np.ascontiguousarray(q), g, strict=True):
        status = api._residual(here, motions, x, own)
        if status:
            api._complain(system, status, q=x)
    return _largest(g)


def velocity_violations(system: System, q: Array, v: Array, t: Array) -> Array:
    """(k,): largest entry of J v - b at q (k, nq), v (k, nv) and times t (k,)."""
    if _asks_functions(system):
        each = zip(q, v, t, strict=True)
        return _largest(
            [
                api.constraint_velocity(system, x, u, s, regularized=False)
                - api.constraint_rate(system, x, s, regularized=False)
                for x, u, s in each
            ]
        )
    here, rows = api.with_rows(system, False)
    b, out = np.zeros(rows), np.zeros((len(q), rows))
    if system.extra_rows.motions:
        api._rate(here, motion_values(system, 0.0, RATE), b)
    for x, u, own in zip(np.ascontiguousarray(q), np.ascontiguousarray(v), out, strict=True):
        status = api._velocity(here, x, u, own)
        if status:
            api._complain(system, status, q=x, v=u)
    return _largest(out - b)


def _asks_functions(system: System) -> bool:
    """Whether rows are the user's own, or depend on functions of time."""
    others = system.extra_rows
    return bool(others.user) or not all(motion.constant for _, motion in others.motions)


def _largest(rows: Array | list[Array]) -> Array:
    found: Array = np.abs(np.asarray(rows)).max(axis=1, initial=0.0)
    return found
